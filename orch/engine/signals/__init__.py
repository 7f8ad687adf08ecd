"""Signals to resources, and the clearing of breakpoints."""
