"""Previews and saved plans of operations."""
