"""Faults on the real broker and the real database."""
