"""Collecting what is wrong with a template, all of it, each with its place.

While a template is read, a :class:`Fault` says what is wrong with one part.
A :class:`Report` gathers faults and raises one error that carries them all;
its type is that of the first, which is the one that Heat would have raised.
"""

import collections.abc
import difflib
import itertools

from orch import errors
from orch.template import document as document_
from orch.template import errors as template_errors
from orch.template import world

_LOCATED = 100
_ADVISED = 20
_MOST_NAMES = 500
_LONGEST_NAME = 100
_IN_PLACE = (
    template_errors.FunctionFailed,
    template_errors.AttributeInvalid,
    template_errors.ReferenceInvalid,
    world.NotYetKnown,
)
"""Errors of a function that make the part it stands in invalid."""


class Fault(Exception):  # noqa: N818 it is caught, never shown
    """One part of a template is wrong.

    :ivar kind: the error that the whole request gets for it
    """

    def __init__(
        self,
        path: template_errors.Path,
        message: str,
        kind: type[errors.OrchError] = template_errors.TemplateInvalid,
        advice: template_errors.Advice = "",
    ) -> None:
        super().__init__(message)
        self.path = path
        self.message = message
        self.kind = kind
        self._advice = advice

    @property
    def advice(self) -> str:
        """Return what to do about it; empty when the message says it."""
        return (
            self._advice if isinstance(self._advice, str) else self._advice()
        )


def fault_of(error: Exception, path: template_errors.Path) -> Fault:
    """Return what an error that some part raised says, with its place."""
    if isinstance(error, Fault):
        return error
    if isinstance(error, _IN_PLACE):
        advice = getattr(error, "advice", "")
        return Fault(path, error.message, advice=advice)
    if isinstance(error, errors.OrchError):
        return Fault(path, error.message, type(error))
    if isinstance(error, KeyError) and error.args:
        return Fault(path, str(error.args[0]))
    if isinstance(error, RecursionError):
        return Fault(path, "it is nested too deep", template_errors.TooLarge)
    return Fault(path, str(error) or type(error).__name__)


def suggest(
    name: str, known: collections.abc.Iterable[str]
) -> template_errors.Advice:
    """Return advice that names the known name nearest to a wrong one.

    To look for it costs more than all else that is done with a name, so
    that waits until somebody is told, and ends after some hundred names.
    """

    def advise() -> str:
        if len(name) > _LONGEST_NAME:
            return ""
        some = list(itertools.islice(known, _MOST_NAMES))
        near = difflib.get_close_matches(name, some, n=1)
        return f"Did you mean {near[0]}?" if near else ""

    return advise


class Report:
    """The faults of one document."""

    def __init__(self, document: document_.Document) -> None:
        self._document = document
        self.faults: list[Fault] = []

    def add(self, fault: Fault) -> None:
        """Remember one more fault."""
        self.faults.append(fault)

    def check(self) -> None:
        """Go on only when nothing was found.

        :raises orch.errors.OrchError: all that was found
        """
        if self.faults:
            raise self.error()

    def error(
        self, kind: type[errors.OrchError] | None = None
    ) -> errors.OrchError:
        """Return the error that carries all faults.

        :param kind: its type; by default that of the first fault
        """
        first = self.faults[0]
        found = [
            self._problem(fault, place)
            for place, fault in enumerate(self.faults)
        ]
        text = _sentence(first)
        if len(found) > 1:
            text += f" (and {len(found) - 1} more problems)"
        return (kind or first.kind)(text, found)

    def _problem(self, fault: Fault, number: int) -> errors.Problem:
        """Return a fault for the caller; the first ones with all there is."""
        place = document_.NOWHERE
        if number < _LOCATED and fault.path:
            place = self._document.locate(fault.path)
        return errors.Problem(
            fault.message,
            template_errors.dotted(fault.path),
            fault.advice if number < _ADVISED else "",
            self._document.file,
            place.line,
            place.column,
        )


def _sentence(fault: Fault) -> str:
    """Return one fault as text, place and advice included."""
    text = fault.message
    if fault.path and fault.kind is template_errors.TemplateInvalid:
        text = f"{template_errors.dotted(fault.path)}: {text}"
    return f"{text} {fault.advice}".strip()
