"""The wire form of errors: code, message and problems, never a traceback.

oslo.messaging rebuilds a remote exception from its class and arguments, and
only of modules that the client allows. One class of ours travels, whatever
went wrong, and both ends translate.
"""

import collections.abc
import contextlib
import dataclasses
import functools
import json
import logging

import oslo_messaging as messaging

from orch import errors
from orch import project_slots
from orch import redacted
from orch.context import deadline
from orch.context import function_time
from orch.context import hidden_values
from orch.context import outside
from orch.context import request
from orch.metrics import catalogue

LOG = logging.getLogger(__name__)

_MAX_HIDDEN = 1000
_UNEXPECTED = "The engine failed unexpectedly; its log says why."


class FaultError(Exception):
    """An error on its way; its only argument is a JSON text."""


def to_wire(error: errors.OrchError) -> FaultError:
    """Return what travels for this error.

    Codes of its kinds go along, from the nearest to the widest, for a
    receiver that does not know the nearest. Hidden values of the request are
    redacted in its texts.
    """
    redact = _redactor()
    kinds = [
        kind.__dict__["code"]
        for kind in type(error).__mro__
        if "code" in kind.__dict__
    ]
    return FaultError(
        json.dumps(
            {
                "code": error.code,
                "kinds": kinds,
                "message": redact(error.message),
                "problems": [
                    {
                        **dataclasses.asdict(problem),
                        "message": redact(problem.message),
                        "advice": redact(problem.advice),
                    }
                    for problem in error.problems
                ],
            }
        )
    )


def _redactor() -> collections.abc.Callable[[str], str]:
    """Return what redacts the hidden values of the request in a text.

    No part of a text is shown if it would take too long to look for them.
    """
    try:
        hidden = hidden_values.texts()
    except RecursionError:
        return _redact_all
    if len(hidden) > _MAX_HIDDEN:
        return _redact_all
    return redacted.Redactor(hidden).redact


def _redact_all(text: str) -> str:
    return redacted.TEXT if text else text


def from_wire(fault: FaultError) -> errors.OrchError:
    """Return the error that travelled.

    It has the exact code, and the nearest class that this process knows.
    """
    facts = json.loads(fault.args[0])
    found = (errors.OrchError.by_code.get(code) for code in facts["kinds"])
    kind = next((each for each in found if each), errors.OrchError)
    # A class may want more arguments than what travels can tell.
    error = kind.__new__(kind)
    problems = [errors.Problem(**each) for each in facts["problems"]]
    errors.OrchError.__init__(error, facts["message"], problems)
    vars(error)["code"] = facts["code"]
    return error


class Guard:
    """An endpoint whose methods raise nothing but :class:`FaultError`.

    Errors of Orch are expected, so the server does not log them; all others
    are logged here, once.
    """

    def __init__(
        self,
        endpoint: object,
        slots: project_slots.ProjectSlots | None = None,
        function_budget: function_time.ProjectBudget | None = None,
    ) -> None:
        """Guard the public methods of ``endpoint``.

        :param slots: for calls of other services while a caller waits;
            ``None`` for no limit
        :param function_budget: for functions of templates; ``None`` for no
            limit
        """
        self._endpoint = endpoint
        self._slots = slots
        self._function_budget = function_budget
        self.target: messaging.Target | None = getattr(
            endpoint, "target", None
        )

    def __getattr__(self, name: str) -> object:
        """Return a method of the endpoint, guarded."""
        method = getattr(self._endpoint, name)
        if name.startswith("_") or not callable(method):
            raise AttributeError(name)
        namespace = getattr(self.target, "namespace", None) or ""
        return _guarded(
            method, str(namespace), name, self._slots, self._function_budget
        )


def _guarded(
    method: collections.abc.Callable[..., object],
    namespace: str,
    name: str,
    slots: project_slots.ProjectSlots | None,
    function_budget: function_time.ProjectBudget | None,
) -> collections.abc.Callable[..., object]:
    @functools.wraps(method)
    def call(ctxt: object, *args: object, **kwargs: object) -> object:
        error: BaseException | None
        with (
            _logged(ctxt),
            _limited(ctxt),
            _slotted(ctxt, slots),
            hidden_values.collected(),
        ):
            try:
                deadline.check()
                with _counted(ctxt, function_budget):
                    answer = method(ctxt, *args, **kwargs)
            except messaging.ExpectedException as expected:
                error = expected.exc_info[1]
            except Exception as raised:
                error = raised
            else:
                catalogue.RPC_CALLS.count(namespace, name, "answered")
                return answer
            is_answer = isinstance(error, errors.OrchError)
            catalogue.RPC_CALLS.count(
                namespace, name, "refused" if is_answer else "failed"
            )
            fault = _of(error)
        raise _expected(fault)

    return call


def _logged(ctxt: object) -> contextlib.AbstractContextManager[None]:
    """Let the log lines of a method say whose request they belong to."""
    if isinstance(ctxt, request.RequestContext):
        return ctxt.logged()
    return contextlib.nullcontext()


def _limited(ctxt: object) -> contextlib.AbstractContextManager[None]:
    """Bind a method to the time that its caller waits for the answer."""
    if isinstance(ctxt, request.RequestContext):
        return deadline.limited(ctxt.time_limit_s)
    return contextlib.nullcontext()


def _slotted(
    ctxt: object, slots: project_slots.ProjectSlots | None
) -> contextlib.AbstractContextManager[None]:
    """Count the calls of other services for those of the caller's project."""
    if isinstance(ctxt, request.RequestContext):
        return outside.limited(
            outside.OutsideCalls(ctxt.project_id, slots, is_awaited=True)
        )
    return contextlib.nullcontext()


def _counted(
    ctxt: object, budget: function_time.ProjectBudget | None
) -> contextlib.AbstractContextManager[None]:
    """Count the processor time of template functions for the caller."""
    if budget is not None and isinstance(ctxt, request.RequestContext):
        return budget.counted(ctxt.project_id)
    return function_time.counted()


def _of(error: BaseException | None) -> FaultError:
    if isinstance(error, errors.OrchError):
        return to_wire(error)
    trace: redacted.Trace | BaseException | None = error
    if error is not None and hidden_values.texts():
        text = _redactor()(f"{type(error).__name__}: {error}")
        trace = redacted.redact_trace(error, text)
    LOG.error("a request failed unexpectedly", exc_info=trace)
    return to_wire(errors.OrchError(_UNEXPECTED))


def _expected(fault: FaultError) -> Exception:
    """Return what tells the server to send the fault, without traceback."""
    expected: Exception = messaging.ExpectedException()
    vars(expected)["exc_info"] = (FaultError, fault, None)
    return expected
