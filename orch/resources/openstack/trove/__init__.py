"""Types on Trove."""
