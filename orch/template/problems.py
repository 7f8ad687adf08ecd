"""Collecting what is wrong with a template, all of it, each with its place.

While documents are read, a :class:`Fault` says what is wrong with one part.
A :class:`Report` gathers faults and raises one error that carries them all;
its type is that of the first, which is the one that Heat would have raised.
A fault keeps the document that it stands in, so those of a template, of its
environment and of nested templates come together.
"""

import collections.abc
import contextlib
import difflib
import itertools

from orch import errors
from orch.context import deadline
from orch.plugin import function
from orch.template import errors as template_errors
from orch.template import world
from orch.template.text import document as document_

_LOCATED = 100
_ADVISED = 20
_MAX_NAMES = 500
_MAX_NAME_LENGTH = 100
_IN_PLACE = (
    template_errors.FunctionFailed,
    template_errors.AttributeInvalid,
    template_errors.ReferenceInvalid,
    world.NotYetKnown,
)
"""Errors of a function that make the part it stands in invalid."""
_WITHOUT_VALUES = (
    world.NotYetKnown,
    template_errors.WorkExceeded,
    RecursionError,
)
"""Errors of a function whose texts have nothing of its arguments."""

OMITTED = "what is wrong with it is not shown, as a sensitive value is in it"
"""Said where the text of an error may have something of a value in it."""

_PROPERTIES = (("properties",), ("Properties",))
"""What stands third in the path of a property, in either language."""

Adviser = collections.abc.Callable[[str], str]
"""Gives advice about a key; empty for none."""


class Fault(Exception):  # noqa: N818 it is caught, never shown
    """One part of a document is wrong.

    :ivar kind: the error that the whole request gets for it
    :ivar document: what it stands in; ``None`` until a report takes it,
        which knows
    :ivar place: where, when that is known better than by the path
    :ivar bare: its text without anything of the value it is about
    """

    def __init__(
        self,
        path: template_errors.Path,
        message: str,
        kind: type[errors.OrchError] = template_errors.TemplateInvalid,
        advice: template_errors.Advice = "",
        *,
        document: document_.Document | None = None,
        place: document_.Place | None = None,
        bare: str = OMITTED,
    ) -> None:
        super().__init__(message)
        self.path = path
        self.message = message
        self.kind = kind
        self.document = document
        self.place = place
        self.bare = bare
        self._advice = advice

    @property
    def advice(self) -> str:
        """Return what to do about it; empty when the message says it."""
        return (
            self._advice if isinstance(self._advice, str) else self._advice()
        )

    def omit_value(self) -> None:
        """Let it say nothing of the value that it is about."""
        self.message = self.bare
        self._advice = ""
        self.args = (self.bare,)


@contextlib.contextmanager
def values_omitted(scope: function.Scope) -> collections.abc.Iterator[None]:
    """Omit values in the errors of the block that has read a sensitive one.

    What a function was given, and what it made of that, may be in the text
    of whatever it raises.

    :raises orch.errors.OrchError: the error of the block, of the same kind
    :raises Fault: the same
    :raises ValueError: the block raised what is neither
    """
    before = scope.sensitive_reads
    try:
        yield
    except Exception as error:
        if scope.sensitive_reads == before or isinstance(
            error, _WITHOUT_VALUES
        ):
            raise
        if isinstance(error, Fault):
            error.omit_value()
            raise error from None
        if not isinstance(error, errors.OrchError):
            raise ValueError(OMITTED) from None
        if not isinstance(error, errors.Invalid):
            # It is about a resource that was read, not about a value.
            raise
        # A class may want more arguments than a text.
        bare = type(error).__new__(type(error))
        errors.OrchError.__init__(bare, OMITTED)
        vars(bare).setdefault("advice", "")
        raise bare from None


def fault_of(error: Exception, path: template_errors.Path) -> Fault:
    """Return what an error that some part raised says, with its place.

    :raises orch.context.deadline.DeadlineExceeded: that is the error
    """
    if isinstance(error, deadline.DeadlineExceeded):
        # It says nothing of the template.
        raise error
    if isinstance(error, Fault):
        return error
    advice = getattr(error, "advice", "")
    if isinstance(error, _IN_PLACE):
        return Fault(path, error.message, advice=advice)
    if isinstance(error, errors.OrchError):
        fault = Fault(path, error.message, type(error), advice)
        if error.problems and error.problems[0].line:
            # The error knows the place itself.
            first = error.problems[0]
            fault.place = document_.Place(first.line, first.column)
        return fault
    if isinstance(error, KeyError) and error.args:
        return Fault(path, str(error.args[0]) or 'there is no key ""')
    if isinstance(error, RecursionError):
        return Fault(path, "it is nested too deep", template_errors.TooLarge)
    return Fault(path, str(error) or type(error).__name__)


def suggest_name(
    name: str, known: collections.abc.Iterable[str], otherwise: str = ""
) -> template_errors.Advice:
    """Return advice that names the known name nearest to a wrong one.

    To look for it costs more than all else that is done with a name, so
    that is computed when it is shown, and ends after some hundred names.

    :param otherwise: the advice where no known name is near
    """

    def advise() -> str:
        if len(name) > _MAX_NAME_LENGTH:
            return otherwise
        some = list(itertools.islice(known, _MAX_NAMES))
        near = difflib.get_close_matches(name, some, n=1)
        return f"Did you mean {near[0]}?" if near else otherwise

    return advise


def suggest_rename(
    missing: str, written: collections.abc.Iterable[str]
) -> template_errors.Advice:
    """Return advice about a key that is not there, and may be misspelt."""

    def advise() -> str:
        some = list(itertools.islice(written, _MAX_NAMES))
        near = difflib.get_close_matches(missing, some, n=1)
        return f"Write {missing} for {near[0]}." if near else ""

    return advise


class Report:
    """The faults of what came with one request."""

    def __init__(
        self,
        document: document_.Document = document_.EMPTY,
        advise: Adviser | None = None,
    ) -> None:
        """Know of no fault yet.

        :param document: what faults stand in that do not say so
        :param advise: says what a key that is no function may stand for
        """
        self._document = document
        self._advise = advise
        self.faults: list[Fault] = []

    def add(self, fault: Fault) -> None:
        """Remember one more fault, without the frames it came through."""
        fault.with_traceback(None)
        fault.__cause__ = fault.__context__ = None
        if fault.document is None:
            fault.document = self._document
        self.faults.append(fault)

    def extend(self, faults: collections.abc.Iterable[Fault]) -> None:
        """Remember more faults, those of other reports as well."""
        for fault in faults:
            self.add(fault)

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
        text = _sentence(first, found[0].advice)
        if len(found) > 1:
            text += f" (and {len(found) - 1} more problems)"
        return (kind or first.kind)(text, found)

    def _problem(self, fault: Fault, number: int) -> errors.Problem:
        """Return a fault for the caller; the first ones with all there is."""
        document = fault.document or self._document
        place = fault.place or document_.NOWHERE
        if number < _LOCATED and fault.path and fault.place is None:
            place = document.locate(fault.path)
        return errors.Problem(
            fault.message,
            template_errors.dotted(fault.path),
            self._advice(fault, document) if number < _ADVISED else "",
            document.file,
            place.line,
            place.column,
        )

    def _advice(self, fault: Fault, document: document_.Document) -> str:
        """Return what to do about a fault.

        A map with a single key may be a function whose name is wrong: the
        language takes it for a plain value, which then has a wrong type.
        """
        advice = fault.advice
        if advice or self._advise is None:
            return advice
        value = document.find(fault.path)
        if isinstance(value, dict) and len(value) == 1:
            return self._advise(*value)
        return ""


def _sentence(fault: Fault, advice: str) -> str:
    """Return one fault as text, place and advice included.

    The place stands as in Heat's messages, which clients compare.
    """
    text = fault.message
    is_placed = issubclass(
        fault.kind, template_errors.TemplateInvalid
    ) and not issubclass(fault.kind, template_errors.FacadeInvalid)
    if fault.path and is_placed:
        text = f"{template_errors.dotted(fault.path)}: : {text}"
        if fault.path[2:3] in _PROPERTIES:
            text = f"Property error: : {text}"
    if fault.document is not None and fault.document.file:
        text = f"{fault.document.file}: {text}"
    return f"{text} {advice}".strip()
