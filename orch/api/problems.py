"""Problem details (RFC 9457): what an error is, for programs.

They stand beside the members of Heat's body, which keep their names and
types; there ``code`` is the HTTP status and Orch's own code is
``error_code``. Who accepts ``application/problem+json`` gets the problem
itself, in which ``code`` is Orch's.
"""

import collections.abc
import dataclasses

from orch import errors
from orch.api import web

MEDIA_TYPE = "application/problem+json"

Body = dict[str, object]


def is_problem_requested(req: web.Request) -> bool:
    """Answer whether the sender asks for a problem, not for Heat's body."""
    return MEDIA_TYPE in req.accept.lower()


def problem_details(
    req: web.Request,
    status: int,
    code: str,
    message: str,
    problems: collections.abc.Sequence[errors.Problem],
) -> Body:
    """Return the members that are the same in both forms.

    ``where`` and ``hint`` are those of the first problem that has any.

    :param code: Orch's own, which never changes
    """
    found: Body = {
        "type": f"urn:orch:error:{code}",
        "status": status,
        "detail": message,
        "instance": f"urn:orch:request:{req.request_id}",
        "request_id": req.request_id,
    }
    for each in problems:
        where = _where(each)
        if where and "where" not in found:
            found["where"] = where
        if each.advice and "hint" not in found:
            found["hint"] = each.advice
    if problems:
        found["problems"] = [dataclasses.asdict(each) for each in problems]
    return found


def _where(problem: errors.Problem) -> Body:
    told = {
        "file": problem.file,
        "line": problem.line,
        "column": problem.column,
        "path": problem.path,
    }
    return {name: value for name, value in told.items() if value}
