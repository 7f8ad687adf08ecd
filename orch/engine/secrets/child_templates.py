"""Which resources may hold a child stack with a template of some kind.

By what a template, its files and its environment say, before the child stacks
exist.
"""

import collections.abc
import re
import typing

from orch.engine.secrets import references
from orch.template import template

_DECLARATION: typing.Final = re.compile(
    r"""(?:hidden|NoEcho)["']?\s*:\s*["']?(?i:true|t|yes|on|y|1)\b"""
)
"""A parameter that is hidden, as a template in a file declares it."""


def find_holders(
    parsed_template: template.Template,
    resources: collections.abc.Mapping[str, object],
    fits: collections.abc.Callable[[object], bool],
) -> frozenset[str]:
    """Return the resources that may hold a stack whose template fits.

    Those with such a template of their own, or that speak of a file which
    fits, of a file that speaks of one, or of a type that such a file stands
    for.

    :param resources: of the template, as it declares them
    :param fits: answers whether a text, or a value with texts, does
    """
    files = parsed_template.files
    names = {name for name, text in files.items() if fits(text)}
    targets = list(
        _targets(parsed_template.environment.get("resource_registry"))
    )
    known: set[str] = set()
    while names != known:
        known = set(names)
        names |= {key for key, target in targets if _leads(target, known)}
        names |= {
            name
            for name, text in files.items()
            if references.speaks_of(text, known)
        }
    return frozenset(
        name
        for name, declared in resources.items()
        if (names and references.speaks_of(declared, names)) or fits(declared)
    )


def declares_hidden(written: object) -> bool:
    """Answer whether a text in what is written hides a parameter."""
    if isinstance(written, str):
        # The search in a long text takes longer than a look at it.
        return (
            "hidden" in written or "NoEcho" in written
        ) and _DECLARATION.search(written) is not None
    if isinstance(written, dict):
        return any(declares_hidden(each) for each in written.values())
    return isinstance(written, list) and any(map(declares_hidden, written))


def _leads(target: str, names: collections.abc.Iterable[str]) -> bool:
    """Answer whether a type is one of these files, or of these types."""
    end = "/" + target.removeprefix("./")
    return any(name == target or name.endswith(end) for name in names)


def _targets(
    section: object,
) -> collections.abc.Iterator[tuple[str, str]]:
    """Return what an environment says that types are."""
    if isinstance(section, dict):
        for key, target in section.items():
            if isinstance(target, str):
                yield key, target
            yield from _targets(target)
