"""The template language: text in, values out. No database, no cloud.

:mod:`orch.template.template` is the door; the order of the rooms behind it
is ``loading`` (text to object), ``environment`` and ``parameters``,
``body`` (conditions, resources and outputs parsed to expressions),
``checking`` (all problems at once) and ``resolving``. Templates that are
types of resources are read by ``nested_type``, and what they and groups make
is looked at by ``nesting``.
"""
