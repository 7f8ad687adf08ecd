"""Which rule a request needs that may ask for a retry."""

from orch.api import web
from orch.policies import enforcer
from orch.rpc import contract

RULE = "actions:retry"


def check_retry(
    rules: enforcer.Enforcer,
    req: web.Request,
    options: contract.StackOptions | None,
    otherwise: str,
) -> None:
    """Return only if the caller may ask for what the request asks for.

    Who may retry need not be allowed to do anything else, nor the other way
    round.

    :param options: of the retry, ``None`` when it asks for none
    :param otherwise: the rule of the request without a retry
    :raises orch.errors.Forbidden: the caller may not
    """
    rules.check(req.caller, otherwise if options is None else RULE)
