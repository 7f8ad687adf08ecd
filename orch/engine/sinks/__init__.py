"""Tells the sinks that environments name of the events of their stacks."""
