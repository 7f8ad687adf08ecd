"""Resource types that are known by their schema, without a plug-in.

Templates with such types are checked as all others are, and clients can read
their schemas. No resource of them can be created: a stack with one is not
accepted.
"""

from orch.plugin import facts
from orch.plugin import resource
from orch.plugin import type_files


class SchemaOnlyResource(resource.Resource):
    """Base of the types that are known by their schema only."""

    is_schema_only = True


def load_type(type_name: str, package: str) -> type[SchemaOnlyResource]:
    """Return the class of a type that a package describes.

    :raises orch.plugin.facts.BadFacts: no file of the package has it, or its
        facts have not the form of :mod:`orch.plugin.facts`
    """
    return build_type(type_name, type_files.read_type(package, type_name))


def build_type(type_name: str, found: facts.Facts) -> type[SchemaOnlyResource]:
    """Return the class of a type, built from its facts.

    :raises orch.plugin.facts.BadFacts: they have not the form of
        :mod:`orch.plugin.facts`
    """
    declared = facts.read_traits(found)
    if not facts.read_text(found, "description"):
        declared["__doc__"] = (
            f"{type_name} is known by its schema; no plug-in serves it here."
        )
    return type_files.build_class(
        type_name, found, SchemaOnlyResource, declared
    )
