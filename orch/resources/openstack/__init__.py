"""Resource types on the services of OpenStack, described by tables.

``type_table`` is the vocabulary of the tables, ``wire`` translates between
properties and the bodies of requests, ``base`` is the base of the types.
``schemas`` has the facts of their properties and attributes, one JSON file
for each service. Each service has a package, each type with code a module.
"""
