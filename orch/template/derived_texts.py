"""What functions make of parameters alone: parts of a text, a digest of it.

A template cuts a value where it uses it, so such a part is no value of any
parameter. Whoever looks for a value has to look for its parts as well.
"""

import collections.abc
import typing

from orch import errors
from orch.plugin import function
from orch.template import body as body_
from orch.template import problems
from orch.template import world
from orch.template.language import functions_of_version
from orch.template.language import versions
from orch.template.parameters import values as parameters_

_PARAMETER: typing.Final = frozenset({"get_param", "Ref"})

Names = collections.abc.Collection[str]


def find_derived_texts(
    body: body_.Body,
    root: collections.abc.Mapping[str, object],
    version: versions.Version,
    parameters: parameters_.Parameters,
    names: Names,
) -> frozenset[str]:
    """Return the texts that functions make of some of the parameters.

    Not the parameters as they are, nor of what reads a resource as well, or
    fails; and not texts that are written beside the function, or are values
    of the other parameters.

    :param body: not parsed yet, its conditions are
    :param root: the template as an object
    """
    search = _Search(
        body, functions_of_version.functions_of_version(version), names
    )
    for section in (version.format.resources, version.format.outputs):
        search.search_in(root.get(section))
    if not search.found:
        return frozenset()
    return frozenset(search.found) - _open_texts(parameters, names)


def find_texts(value: object) -> collections.abc.Iterator[str]:
    """Return all texts and numbers in a value, as texts; not the keys."""
    if isinstance(value, collections.abc.Mapping):
        for each in value.values():
            yield from find_texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from find_texts(each)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _open_texts(parameters: parameters_.Parameters, names: Names) -> set[str]:
    """Return the values of the parameters that nobody looks for."""
    found = set(parameters.pseudo.values())
    for name in parameters.schemas:
        if name not in names:
            try:
                found.update(find_texts(parameters.value(name)))
            except errors.OrchError:
                continue
    return found


class _Search:
    """Goes through a template as it is written."""

    def __init__(
        self,
        body: body_.Body,
        functions: collections.abc.Container[str],
        names: Names,
    ) -> None:
        self._body = body
        self._functions = functions
        self._names = names
        self.found: set[str] = set()

    def search_in(self, written: object) -> bool:
        """Answer whether something here reads one of the parameters."""
        if not isinstance(written, dict | list):
            return False
        inner = written.values() if isinstance(written, dict) else written
        # Each of them is looked at, also after one that does.
        reads = True in [self.search_in(each) for each in inner]
        if isinstance(written, list) or len(written) != 1:
            return reads
        ((name, arguments),) = written.items()
        if name in _PARAMETER:
            return reads or self._is_one(arguments)
        if reads and name in self._functions:
            self._work_out(written)
        return reads

    def _is_one(self, arguments: object) -> bool:
        """Answer whether the arguments name one of the parameters."""
        if isinstance(arguments, list) and arguments:
            arguments = arguments[0]
        return isinstance(arguments, str) and arguments in self._names

    def _work_out(self, written: dict[str, object]) -> None:
        try:
            parsed = self._body.parser.expression(written, ())
            value = parsed.resolve(self._body.scope(world.EmptyWorld()))
        except (problems.Fault, errors.OrchError):
            # What reads a resource is not known here, and what is wrong has
            # no value anywhere.
            return
        if value is not function.OMITTED:
            self.found.update({*find_texts(value)} - {*find_texts(written)})
