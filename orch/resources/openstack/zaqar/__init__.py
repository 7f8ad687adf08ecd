"""Types of Zaqar, which are more than data."""
