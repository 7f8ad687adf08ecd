"""Refuses templates with resources that nothing here can make.

Their types are known by schema only, or lack something here, so the template
may be all right; it cannot become a stack.
"""

import collections.abc

from orch import errors as base_errors
from orch.plugin import clouds
from orch.template import body as body_
from orch.template import errors
from orch.template import problems

_MAX_NAMES = 10

_Users = dict[str, dict[str, list[str]]]
"""Names of resources, by what is lacking and by their type."""


def check_served(bodies: collections.abc.Iterable[body_.Body]) -> None:
    """Refuse resources whose types are not served, all of them at once.

    One that stands for an existing thing (``external_id``) is refused too:
    nothing could look at it.

    :param bodies: the template of the stack, then those of stacks in it
    :raises orch.template.errors.TypeUnavailable: it names types and
        resources
    """
    users: _Users = {}
    report = problems.Report()
    for body in bodies:
        for parsed in body.resources.parsed.values():
            lacks = parsed.plugin.lacks if parsed.plugin else None
            if lacks is None:
                continue
            name = parsed.declaration.name
            type_name = parsed.declaration.type_name
            types = users.setdefault(lacks, {})
            types.setdefault(type_name, []).append(name)
            report.add(
                problems.Fault(
                    body.type_path(name),
                    f"No plug-in serves the resource type {type_name} here.",
                    document=body.document,
                )
            )
    if users:
        raise errors.TypeUnavailable(_text(users), report.error().problems)


def check_permitted(
    bodies: collections.abc.Iterable[body_.Body],
    permits: collections.abc.Callable[[str], bool],
) -> None:
    """Refuse resources of types that the caller may not have.

    :raises orch.errors.Forbidden: it names the first of them
    """
    used = dict.fromkeys(
        parsed.declaration.type_name
        for body in bodies
        for parsed in body.resources.parsed.values()
    )
    for type_name in used:
        if not permits(type_name):
            raise base_errors.Forbidden(
                f"You are not authorized to use {type_name}."
            )


def acting_types(bodies: collections.abc.Iterable[body_.Body]) -> list[str]:
    """Return the types of resources that act in a cloud, sorted.

    Each of these resources needs a login of its stack.
    """
    return sorted(
        {
            parsed.declaration.type_name
            for body in bodies
            for parsed in body.resources.parsed.values()
            if isinstance(parsed.plugin, clouds.CloudResource)
            and parsed.plugin.always_reaches
        }
    )


def _text(users: _Users) -> str:
    return " ".join(
        f"No plug-in serves these resource types here: {_listed(types)}."
        f" {lacks}"
        for lacks, types in users.items()
    )


def _listed(types: collections.abc.Mapping[str, list[str]]) -> str:
    return ", ".join(
        f"{type_name} ({_names(names)})" for type_name, names in types.items()
    )


def _names(names: collections.abc.Sequence[str]) -> str:
    more = len(names) - _MAX_NAMES
    shown = ", ".join(names[:_MAX_NAMES])
    return f"{shown} and {more} more" if more > 0 else shown
