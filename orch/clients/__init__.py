"""Clients of the services of a cloud.

The libraries of these modules take much memory, and a worker without a cloud
never loads them: plug-ins get their connections from the worker
(:mod:`orch.plugin.clouds`).
"""
