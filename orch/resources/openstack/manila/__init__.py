"""Types on Manila."""
