"""Refuses templates with resources that nothing here can make.

Their types are known by schema only, so the template may be all right; it
cannot become a stack.
"""

import collections.abc

from orch.template import body as body_
from orch.template import declaration
from orch.template import errors
from orch.template import problems

_MOST_NAMES = 10

Unserved = dict[str, list[declaration.Parsed]]


def check(bodies: collections.abc.Iterable[body_.Body]) -> None:
    """Refuse resources whose types are only known, all of them at once.

    One that stands for an existing thing (``external_id``) is refused too:
    nothing could look at it.

    :param bodies: the template of the stack, then those of stacks in it
    :raises orch.template.errors.TypeUnavailable: it names types and
        resources
    """
    unserved: Unserved = {}
    report = problems.Report()
    for body in bodies:
        for parsed in body.resources.parsed.values():
            name = parsed.declaration.type_name
            if parsed.plugin is None or not parsed.plugin.is_known_only:
                continue
            unserved.setdefault(name, []).append(parsed)
            report.add(
                problems.Fault(
                    body.type_path(parsed.declaration.name),
                    _sentence(name),
                    document=body.document,
                )
            )
    if not unserved:
        return
    raise errors.TypeUnavailable(_text(unserved), report.error().problems)


def _sentence(type_name: str) -> str:
    return f"No plug-in serves the resource type {type_name} here."


def _text(unserved: Unserved) -> str:
    types = ", ".join(
        f"{type_name} ({_names(users)})"
        for type_name, users in unserved.items()
    )
    return (
        f"No plug-in serves these resource types here: {types}. Install"
        " plug-ins for them on all workers, or leave these resources out."
    )


def _names(users: collections.abc.Sequence[declaration.Parsed]) -> str:
    names = [parsed.declaration.name for parsed in users]
    more = len(names) - _MOST_NAMES
    shown = ", ".join(names[:_MOST_NAMES])
    return f"{shown} and {more} more" if more > 0 else shown
