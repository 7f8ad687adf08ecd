"""Types on Magnum, which are more than data."""
