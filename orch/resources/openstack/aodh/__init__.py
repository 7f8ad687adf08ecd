"""Types of Aodh that are more than data."""
