"""Deliver events to the sinks that environments name."""
