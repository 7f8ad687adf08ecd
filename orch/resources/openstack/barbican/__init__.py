"""Types of Barbican that are more than data."""
