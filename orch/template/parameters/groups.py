"""The section ``parameter_groups``: how clients group parameters."""

import collections.abc

from orch.template import errors
from orch.template import problems


def parameter_group_faults(
    written: object,
    parameters: collections.abc.Collection[str],
    section: str,
) -> collections.abc.Iterator[problems.Fault]:
    """Return what is wrong with the section."""
    if not written:
        return
    if not isinstance(written, list):
        yield _fault(
            (section,), section, "The parameter_groups should be a list."
        )
        return
    grouped: set[str] = set()
    for place, group in enumerate(written):
        path = (section, place)
        if not isinstance(group, dict):
            yield _fault(path, section, "The parameter group should be a map.")
            continue
        named = f"{section}.{group.get('label', '')}"
        members = group.get("parameters")
        if not isinstance(members, list):
            yield _fault(
                path,
                named,
                "The parameters of parameter group should be a list.",
                problems.suggest_rename("parameters", group),
            )
            continue
        yield from _member_faults(members, parameters, grouped, path, named)


def _member_faults(
    members: list[object],
    parameters: collections.abc.Collection[str],
    grouped: set[str],
    group: errors.Path,
    named: str,
) -> collections.abc.Iterator[problems.Fault]:
    for place, member in enumerate(members):
        name = str(member)
        path = (*group, "parameters", place)
        if name not in parameters:
            yield _fault(
                path,
                named,
                f"The grouped parameter {name} does not reference a valid"
                " parameter.",
                problems.suggest_name(name, parameters),
            )
        elif name in grouped:
            yield _fault(
                path,
                named,
                f"The {name} parameter must be assigned to one parameter"
                " group only.",
            )
        grouped.add(name)


def _fault(
    path: errors.Path, named: str, text: str, advice: errors.Advice = ""
) -> problems.Fault:
    return problems.Fault(
        path, f"Parameter Groups error: {named}: {text}", advice=advice
    )
