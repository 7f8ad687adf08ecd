"""Data of the types on OpenStack: one JSON file a service.

The form of the files is that of :mod:`orch.resources.openstack.type_data`.
"""
