"""Refuses templates with resources that nothing here can make.

Their types are known by schema only, so the template may be all right; it
cannot become a stack.
"""

import collections.abc

from orch.template import declaration
from orch.template import document as document_
from orch.template import errors
from orch.template import problems

_MOST_NAMES = 10

Unserved = dict[str, list[declaration.Parsed]]


def check(
    resources: collections.abc.Iterable[declaration.Parsed],
    type_key: str,
    document: document_.Document,
    files: collections.abc.Container[str] = (),
) -> None:
    """Refuse resources whose types are only known, all of them at once.

    One that stands for an existing thing (``external_id``) is refused too:
    nothing could look at it. So is one of a type that the installation maps
    to a template: the user sees a type, and no plug-in serves it.

    :param resources: the active ones
    :param type_key: what the document calls the type of a resource
    :param files: names of the files that came with the template
    :raises orch.template.errors.TypeUnavailable: it names types and
        resources
    """
    unserved: Unserved = {}
    for parsed in resources:
        name = parsed.declaration.type_name
        if parsed.plugin is not None and parsed.plugin.is_known_only:
            unserved.setdefault(name, []).append(parsed)
        elif parsed.nested is not None and name not in files:
            name = parsed.declaration.declared_type
            unserved.setdefault(name, []).append(parsed)
    if not unserved:
        return
    report = problems.Report(document)
    for type_name, users in unserved.items():
        for parsed in users:
            path = (*parsed.properties.path[:-1], type_key)
            report.add(problems.Fault(path, _sentence(type_name)))
    raise errors.TypeUnavailable(_text(unserved), report.error().problems)


def check_nested(
    resources: collections.abc.Iterable[declaration.Parsed],
    type_key: str,
    document: document_.Document,
) -> None:
    """Refuse resources that are templates of their own, all at once.

    :param resources: the active ones
    :param type_key: what the document calls the type of a resource
    :raises orch.template.errors.NestedUnsupported: it names them
    """
    report = problems.Report(document)
    for parsed in resources:
        if parsed.nested is not None:
            declared = parsed.declaration
            report.add(
                problems.Fault(
                    (*parsed.properties.path[:-1], type_key),
                    f"The resource {declared.name} is a template of its own"
                    f" ({declared.type_name}); stacks in stacks are not"
                    " served yet.",
                )
            )
    if report.faults:
        raise report.error(errors.NestedUnsupported)


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
