"""The template language: text in, values out. No database, no cloud.

:mod:`orch.template.template` is the door; the order of the rooms behind it
is ``loading`` (text to object), ``environment`` and ``parameters``,
``body`` (conditions, resources and outputs parsed to expressions),
``checking`` (all problems at once) and ``resolving``.
"""
