"""How Orch talks to the services of a cloud.

What is in here takes much memory to load, and a worker without a cloud never
needs it: plug-ins get their connections from the worker
(:mod:`orch.plugin.clouds`).
"""
