"""Directed graphs of anything that can be a key of a map."""
