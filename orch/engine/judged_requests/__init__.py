"""Requests that lifecycle plug-ins judge without an operation of their own."""
