"""The workers: what they answer, accept, run and report."""
