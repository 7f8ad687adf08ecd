"""Resource types on the services of OpenStack, described by tables.

``table`` is the vocabulary of such a page, ``wire`` translates between
properties and what stands in requests, ``thing`` is the base of the types.
``schemas`` holds the facts of their properties and attributes, one JSON file
a service. One package a service, one module a type.
"""
