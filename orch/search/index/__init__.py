"""Indexes, which store and find documents; one module for each backend."""
