"""The base of all errors, and the kinds that every floor knows.

An error bears a stable ``code``: it is never renamed and never reused, and
it is what crosses the bus (``orch.rpc.faults``) and what the API turns into
an HTTP status and Heat's error type (``orch.api.faults``). A package's own
errors derive from these and stand in its ``errors.py``.
"""

import collections.abc
import dataclasses
import typing


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a request.

    :ivar message: what is wrong, a sentence
    :ivar path: where in the document, dotted (``resources.web.properties``)
    :ivar advice: what to do about it; empty when the message says it
    :ivar file: name of the file, empty for the template itself
    :ivar line: line in that file, from 1; 0 when not known
    :ivar column: column in that line, from 1; 0 when not known
    """

    message: str
    path: str = ""
    advice: str = ""
    file: str = ""
    line: int = 0
    column: int = 0


class OrchError(Exception):
    """Whatever Orch says went wrong.

    :cvar shown_as: its name in reasons of failures, where it is not that of
        the class
    :ivar message: one clear sentence for whoever asked
    :ivar problems: all single problems, where there are several
    """

    code: typing.ClassVar[str] = "orch.internal"
    shown_as: typing.ClassVar[str] = ""
    by_code: typing.ClassVar[dict[str, type["OrchError"]]] = {}

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Register the class under the code that it declares itself."""
        super().__init_subclass__(**kwargs)
        if "code" in cls.__dict__:
            OrchError.by_code[cls.code] = cls

    def __init__(
        self,
        message: str,
        problems: collections.abc.Sequence[Problem] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.problems = tuple(problems)


def kind_of(error: BaseException) -> str:
    """Return the name of an error in the reason of a failure."""
    found = error.shown_as if isinstance(error, OrchError) else ""
    return found or type(error).__name__


class NotFound(OrchError):
    """An object that was named does not exist, or not for this caller."""

    code = "orch.not_found"


class Conflict(OrchError):
    """The request conflicts with the state of the object."""

    code = "orch.conflict"


class Invalid(OrchError):
    """The request itself is wrong; sending it again will not help."""

    code = "orch.invalid"


def property_error(path: str, text: str) -> Invalid:
    """Return the error of a property that has a wrong value.

    :param path: of the property, dotted
    :param text: what is wrong, a sentence without its subject
    """
    message = f"{path} {text}"
    return Invalid(message, [Problem(message, path=path)])


def invalid_at(place: str, message: str, advice: str = "") -> Invalid:
    """Return the error of a request that is wrong at a place.

    :param place: in the request, dotted
    """
    problem = Problem(message, path=place, advice=advice)
    text = f"{message}; {advice}" if advice else message
    return Invalid(f"{place}: {text}", [problem])


class LimitExceeded(Invalid):
    """The request is larger than the operator allows."""

    shown_as = "RequestLimitExceeded"

    code = "orch.limit_exceeded"


class Forbidden(OrchError):
    """The caller may not do this."""

    code = "orch.forbidden"


class NotSupported(Invalid):
    """The request is understood, and not served here."""

    code = "orch.not_supported"


class Unavailable(OrchError):
    """Nothing was changed: a part of the service gives no answer now."""

    code = "orch.unavailable"


class AskAnother(Unavailable):
    """The worker that was asked cannot answer now; another one may."""

    code = "orch.ask_another"


class Permanent(OrchError):
    """An action failed, and will fail again until something is changed.

    :ivar is_verdict: it says that the object of the action has failed, and
        not only that it could not be asked
    """

    code = "orch.permanent"
    is_verdict: bool = True


class Transient(OrchError):
    """An act failed for a cause that passes by itself; it may be retried.

    Whether it was done all the same is not known.

    :ivar after_s: in how many seconds the service wants to be asked again,
        if it said so
    :ivar is_over: the service has ended the call, or never got it: nothing
        of it can take effect later
    """

    code = "orch.transient"
    after_s: float | None = None
    is_over: bool = False


class Outage(Transient):
    """A service gives no answer at all, and may not for a while."""

    code = "orch.outage"


class Busy(OrchError):
    """An action was refused while another one on the object is in progress."""

    code = "orch.busy"


class QuotaExceeded(OrchError):
    """An action was refused, as a quota is used up."""

    code = "orch.quota_exceeded"
