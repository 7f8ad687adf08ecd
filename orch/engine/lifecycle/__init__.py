"""Lifecycle plug-ins around every operation: whom to call, what it means.

The calls themselves are made by the runner (``orch.flow.phases``).
"""
