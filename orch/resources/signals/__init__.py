"""Bases of the types that wait for signals; no type itself."""
