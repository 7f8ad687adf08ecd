"""Resources of a template that make up secrets, and where these may go.

No template says that these are hidden, so the types of resources do.
"""

import re
import typing
import weakref

from orch.engine.secrets import taint
from orch.model import secret_types
from orch.template import template

_UUID: typing.Final = re.compile(
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
)
_SHORT_ID: typing.Final = re.compile(r"[a-z2-7]{12}")
"""How a name ends that the engine gives."""


def is_made_up(resource: str, physical_id: str) -> bool:
    """Answer whether an id is one that nobody has chosen."""
    if _UUID.fullmatch(physical_id):
        return True
    name, _, end = physical_id.rpartition(f"-{resource}-")
    return bool(name) and _SHORT_ID.fullmatch(end) is not None


_NONE: typing.Final = frozenset[str]()
_KEPT: weakref.WeakKeyDictionary[template.Template, frozenset[str]] = (
    weakref.WeakKeyDictionary()
)
"""What is kept here goes with the template."""


def extended(
    parsed_template: template.Template,
    places: taint.Hiding,
    inner: frozenset[str] = _NONE,
    telling: frozenset[str] = _NONE,
) -> taint.Hiding:
    """Return where hidden values may be, made-up secrets among them.

    :param places: where what is hidden by parameters may be
    :param inner: more resources that may have something of them
    :param telling: resources whose ids are made of them
    """
    secrets = of(parsed_template) | telling
    if inner <= places.resources and secrets <= places.secrets:
        return places
    return taint.Hiding(
        parsed_template,
        None if places.is_anywhere else places.parameters,
        inner.union(places.resources),
        altering=places.altered,
        secrets=secrets.union(places.secrets),
        by_ids=places.by_ids,
    )


def of(parsed_template: template.Template) -> frozenset[str]:
    """Return the names of the resources that make up secrets."""
    found = _KEPT.get(parsed_template)
    if found is None:
        found = _KEPT[parsed_template] = _find(parsed_template)
    return found


def may_make(parsed_template: template.Template) -> bool:
    """Answer whether a resource of a template may make up a secret.

    Behind a pattern for types there may be any.
    """
    registry = parsed_template.environment.get("resource_registry")
    return bool(of(parsed_template)) or any(
        "*" in each for each in secret_types.resolve_types(registry)
    )


def _find(parsed_template: template.Template) -> frozenset[str]:
    form = parsed_template.version.format
    section = parsed_template.raw.get(form.resources)
    if not isinstance(section, dict):
        return _NONE
    types = {
        name: str(each.get(form.resource.type))
        for name, each in section.items()
        if isinstance(each, dict)
    }
    registry = parsed_template.environment.get("resource_registry")
    stands_for = secret_types.resolve_types(registry) if registry else {}
    return frozenset(
        str(name)
        for name, each in types.items()
        if stands_for.get(each, each) in secret_types.TYPES
    )
