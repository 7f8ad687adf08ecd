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
from orch.context import request
from orch.metrics import catalogue

LOG = logging.getLogger(__name__)

_UNEXPECTED = "The engine failed unexpectedly; its log says why."


class FaultError(Exception):
    """An error on its way; its only argument is a JSON text."""


def to_wire(error: errors.OrchError) -> FaultError:
    """Return what travels for this error.

    Codes of its kinds go along, from the nearest to the widest, for a
    receiver that does not know the nearest.
    """
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
                "message": error.message,
                "problems": [
                    dataclasses.asdict(problem) for problem in error.problems
                ],
            }
        )
    )


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

    def __init__(self, endpoint: object) -> None:
        """Guard the public methods of ``endpoint``."""
        self._endpoint = endpoint
        self.target: messaging.Target | None = getattr(
            endpoint, "target", None
        )

    def __getattr__(self, name: str) -> object:
        """Return a method of the endpoint, guarded."""
        method = getattr(self._endpoint, name)
        if name.startswith("_") or not callable(method):
            raise AttributeError(name)
        namespace = getattr(self.target, "namespace", None) or ""
        return _guarded(method, str(namespace), name)


def _guarded(
    method: collections.abc.Callable[..., object], namespace: str, name: str
) -> collections.abc.Callable[..., object]:
    @functools.wraps(method)
    def call(ctxt: object, *args: object, **kwargs: object) -> object:
        error: BaseException | None
        with _logged(ctxt):
            try:
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


def _of(error: BaseException | None) -> FaultError:
    if isinstance(error, errors.OrchError):
        return to_wire(error)
    LOG.error("a request failed unexpectedly", exc_info=error)
    return to_wire(errors.OrchError(_UNEXPECTED))


def _expected(fault: FaultError) -> Exception:
    """Return what tells the server to send the fault, without traceback."""
    expected: Exception = messaging.ExpectedException()
    vars(expected)["exc_info"] = (FaultError, fault, None)
    return expected
