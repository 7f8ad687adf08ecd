"""Types on Blazar."""
