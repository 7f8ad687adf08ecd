"""Facts of types that no plug-in serves yet: one JSON file a service.

Types whose service is gone stand together in ``withdrawn.json``. Old
templates with them are still checked, but clients are not told of them.

The form of the files stands in :mod:`orch.plugin.facts`. A type leaves its
file in the change that brings its plug-in.
"""
