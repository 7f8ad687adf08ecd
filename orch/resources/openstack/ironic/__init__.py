"""Types on Ironic, which are more than data."""
