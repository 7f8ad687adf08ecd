"""Stacks that are exported, abandoned, handed over, or generated."""

import collections.abc
import time
import typing

from orch import errors
from orch.api import body
from orch.api import errors as api_errors
from orch.api import query
from orch.api import web
from orch.api.handlers import backends
from orch.api.schemas import adoption as schema
from orch.api.schemas import generation
from orch.api.views import facts as facts_
from orch.api.views import timestamps
from orch.context import request
from orch.rpc import contract

_FIRST_PAUSE_S = 0.05
_MAX_PAUSE_S = 1.0
_PREPARED: typing.Final = ("token", "document", "form", "size", "max_size")
"""What is shown; workers of an older version do not tell all of it."""

_ABANDON = "stacks:abandon"
_HAND_OVER = "stacks:hand_over"
_PLAIN = "stacks:plain_secrets"

_Facts = typing.TypeVar("_Facts", contract.AbandonFacts, contract.OfferFacts)


def export(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show the document of a stack; nothing changes."""
    secrets = _secrets(backend, req)
    return web.Answer(backend.adoption.export(req.caller, stack_id, secrets))


def abandon(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Abandon a stack, and show its document; a second time again."""
    secrets = _secrets(backend, req)
    facts = _ask(
        backend,
        req.caller,
        lambda: backend.adoption.commit(req.caller, stack_id, None, secrets),
    )
    return web.Answer(facts.get("document"))


def step(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Do one of the two steps that letting go is made of, or hand over."""
    asked = body.read(
        req,
        backend.limits.max_json_body_size,
        lambda asked: _HAND_OVER if schema.HAND_OVER in asked else _ABANDON,
    )
    if schema.HAND_OVER in asked:
        receiver_id = asked[schema.HAND_OVER]["project"]
        return _hand_over(backend, req, stack_id, receiver_id)
    token = asked.get("commit")
    secrets = _secrets(backend, req)
    facts = _ask(
        backend,
        req.caller,
        lambda: (
            backend.adoption.commit(req.caller, stack_id, token, secrets)
            if token
            else backend.adoption.prepare(req.caller, stack_id, secrets)
        ),
    )
    view = {key: facts[key] for key in _PREPARED if key in facts}
    return web.Answer({"abandonment": view})


def _hand_over(
    backend: backends.Backend,
    req: web.Request,
    stack_id: str,
    receiver_id: str,
) -> web.Answer:
    """Abandon a stack, and offer it to another project."""
    if schema.secrets_of(req):
        raise errors.Invalid(
            "The document of a stack that is handed over stays in the"
            " installation: leave out secrets, receiver and form."
        )
    facts = _ask(
        backend,
        req.caller,
        lambda: backend.hand_overs.offer(req.caller, stack_id, receiver_id),
    )
    shown = {
        "token": facts["token"],
        "project": facts["receiver_id"],
        "expires_at": timestamps.format_time(facts["expires_at"]),
    }
    return web.Answer({"abandonment": shown})


def document(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show the document of an abandoned stack."""
    secrets = _secrets(backend, req)
    return web.Answer(backend.adoption.show(req.caller, stack_id, secrets))


def addresses(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show where the addresses of an adopted stack are now."""
    told = backend.adoption.show_addresses(req.caller, stack_id)
    return web.Answer({"announcement": told})


def forwarded(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Show what has become of the addresses of an abandoned stack."""
    found = backend.adoption.list_forwarded(req.caller, stack_id)
    return web.Answer(_forwarded_view(found))


def announce(
    backend: backends.Backend, req: web.Request, name: str, stack_id: str
) -> web.Answer:
    """Pass on what comes to an abandoned stack, from now on."""
    asked = body.read(req, backend.limits.max_json_body_size)
    found = backend.adoption.announce(
        req.caller, stack_id, asked["announcement"]
    )
    return web.Answer(_forwarded_view(found))


def _secrets(
    backend: backends.Backend, req: web.Request
) -> contract.SecretsRequest:
    """Return how the caller gets to see secrets.

    :raises orch.errors.Forbidden: the caller asks for clear text, and
        may not
    """
    request = schema.secrets_of(req)
    try:
        backend.rules.check(req.caller, _PLAIN)
    except errors.Forbidden:
        if request.get("form") == "plain":
            raise
        return {**request, "allows_plain": False}
    return {**request, "allows_plain": True}


def _ask(
    backend: backends.Backend,
    caller: request.RequestContext,
    ask: collections.abc.Callable[[], _Facts],
) -> _Facts:
    """Ask until nothing runs any more that could make something.

    :raises orch.api.errors.StillStopping: it takes too long
    """
    limit = backend.clock.monotonic() + backend.limits.stopping_timeout_s
    pause = _FIRST_PAUSE_S
    while True:
        facts = ask()
        if not facts["is_stopping"]:
            break
        # It was met: what changes the stack from now on we have asked for.
        caller.condition = None
        if backend.clock.monotonic() > limit:
            raise api_errors.StillStopping(
                "The operation in progress of the stack was stopped, and"
                " a call to a service has not answered yet. Nothing was"
                " abandoned: repeat the request."
            )
        time.sleep(pause)
        pause = min(2 * pause, _MAX_PAUSE_S)
    backend.start(caller, facts.get("accepted"))
    return facts


def generate(backend: backends.Backend, req: web.Request) -> web.Answer:
    """Show template and adoption document of things; nothing changes."""
    asked = body.read(req, backend.limits.max_json_body_size)
    facts = backend.adoption.generate(
        req.caller, generation.parse_request(asked)
    )
    return web.Answer(
        {
            "template": facts["document"]["template"],
            "adopt_stack_data": facts["document"],
            "omitted": facts_.views(
                facts["omitted"], contract.OmittedResource
            ),
        }
    )


def list_hand_overs(backend: backends.Backend, req: web.Request) -> web.Answer:
    """List what the project hands over or is offered."""
    found = backend.hand_overs.list(
        req.caller,
        limit=query.page_limit(req, backend.limits.page_limit),
        marker=query.find_parameter(req, "marker"),
    )
    shown = facts_.views(found, contract.HandOverFacts, req.base_url)
    return web.Answer({"hand_overs": shown})


def withdraw_hand_over(
    backend: backends.Backend, req: web.Request, hand_over_id: str
) -> None:
    """Offer a stack to no project any more."""
    backend.hand_overs.withdraw(req.caller, hand_over_id)


def _forwarded_view(facts: contract.ForwardingFacts) -> dict[str, object]:
    """Return what has become of the addresses of a stack."""
    return {
        "addresses": [
            {
                **facts_.view(each, contract.ForwardedAddress),
                "resource": "/".join(each["path"]),
                "problem": each["problem"] or None,
            }
            for each in facts["addresses"]
        ]
    }
