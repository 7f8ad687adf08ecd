"""Handlers of export and abandonment of stacks."""

import collections.abc
import time
import typing

from orch import clock
from orch import errors
from orch.api import body
from orch.api import errors as api_errors
from orch.api import settings
from orch.api import web
from orch.api.handlers import dispatch
from orch.api.schemas import adoption as schema
from orch.api.views import forwarding as views
from orch.api.views import timestamps
from orch.context import request
from orch.policies import enforcer
from orch.rpc import contract

_FIRST_PAUSE_S = 0.05
_MAX_PAUSE_S = 1.0
_PREPARED: typing.Final = ("token", "document", "form", "size", "max_size")
"""What is shown; workers of an older version do not tell all of it."""

_ABANDON = "stacks:abandon"
_HAND_OVER = "stacks:hand_over"
_PLAIN = "stacks:plain_secrets"

_Facts = typing.TypeVar("_Facts", contract.AbandonFacts, contract.OfferFacts)


class Adoption:
    """Addresses ``export`` and ``abandon`` below a stack."""

    def __init__(
        self,
        client: contract.Adoption,
        hand_over_client: contract.HandOvers,
        starter: dispatch.Starter,
        rules: enforcer.Enforcer,
        limits: settings.Settings,
        clock_: clock.Clock,
    ) -> None:
        self._adoption = client
        self._hand_overs = hand_over_client
        self._starter = starter
        self._rules = rules
        self._limits = limits
        self._clock = clock_

    def export(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """Show the document of a stack; nothing changes."""
        secrets = self._secrets(req)
        return web.Answer(self._adoption.export(req.caller, stack_id, secrets))

    def abandon(
        self, req: web.Request, name: str, stack_id: str
    ) -> web.Answer:
        """Abandon a stack, and show its document; a second time again."""
        secrets = self._secrets(req)
        facts = self._ask(
            req.caller,
            lambda: self._adoption.commit(req.caller, stack_id, None, secrets),
        )
        return web.Answer(facts.get("document"))

    def step(self, req: web.Request, name: str, stack_id: str) -> web.Answer:
        """Do one of the two steps that letting go is made of, or hand over."""
        asked = body.read(
            req,
            self._limits.max_json_body_size,
            lambda asked: (
                _HAND_OVER if schema.HAND_OVER in asked else _ABANDON
            ),
        )
        if schema.HAND_OVER in asked:
            receiver_id = asked[schema.HAND_OVER]["project"]
            return self._hand_over(req, stack_id, receiver_id)
        token = asked.get("commit")
        secrets = self._secrets(req)
        facts = self._ask(
            req.caller,
            lambda: (
                self._adoption.commit(req.caller, stack_id, token, secrets)
                if token
                else self._adoption.prepare(req.caller, stack_id, secrets)
            ),
        )
        view = {key: facts[key] for key in _PREPARED if key in facts}
        return web.Answer({"abandonment": view})

    def _hand_over(
        self, req: web.Request, stack_id: str, receiver_id: str
    ) -> web.Answer:
        """Abandon a stack, and offer it to another project."""
        if schema.secrets_of(req):
            raise errors.Invalid(
                "The document of a stack that is handed over stays in the"
                " installation: leave out secrets, receiver and form."
            )
        facts = self._ask(
            req.caller,
            lambda: self._hand_overs.offer(req.caller, stack_id, receiver_id),
        )
        shown = {
            "token": facts["token"],
            "project": facts["receiver_id"],
            "expires_at": timestamps.format_time(facts["expires_at"]),
        }
        return web.Answer({"abandonment": shown})

    def document(
        self, req: web.Request, name: str, stack_id: str
    ) -> web.Answer:
        """Show the document of a stack that was let go of."""
        secrets = self._secrets(req)
        return web.Answer(self._adoption.show(req.caller, stack_id, secrets))

    def addresses(
        self, req: web.Request, name: str, stack_id: str
    ) -> web.Answer:
        """Show where the addresses of an adopted stack are now."""
        told = self._adoption.show_addresses(req.caller, stack_id)
        return web.Answer({"announcement": told})

    def forwarded(
        self, req: web.Request, name: str, stack_id: str
    ) -> web.Answer:
        """Show what has become of the addresses of an abandoned stack."""
        found = self._adoption.list_forwarded(req.caller, stack_id)
        return web.Answer(views.forwarded_addresses(found))

    def announce(
        self, req: web.Request, name: str, stack_id: str
    ) -> web.Answer:
        """Pass on what comes to an abandoned stack, from now on."""
        asked = body.read(req, self._limits.max_json_body_size)
        found = self._adoption.announce(
            req.caller, stack_id, asked["announcement"]
        )
        return web.Answer(views.forwarded_addresses(found))

    def _secrets(self, req: web.Request) -> contract.SecretsRequest:
        """Return how the caller gets to see secrets.

        :raises orch.errors.Forbidden: the caller asks for clear text, and
            may not
        """
        request = schema.secrets_of(req)
        try:
            self._rules.check(req.caller, _PLAIN)
        except errors.Forbidden:
            if request.get("form") == "plain":
                raise
            return {**request, "allows_plain": False}
        return {**request, "allows_plain": True}

    def _ask(
        self,
        caller: request.RequestContext,
        ask: collections.abc.Callable[[], _Facts],
    ) -> _Facts:
        """Ask until nothing runs any more that could make something.

        :raises orch.api.errors.StillStopping: it takes too long
        """
        limit = self._clock.monotonic() + self._limits.stopping_timeout_s
        pause = _FIRST_PAUSE_S
        while True:
            facts = ask()
            if not facts["is_stopping"]:
                break
            # It was met: what changes the stack from now on we have asked for.
            caller.condition = None
            if self._clock.monotonic() > limit:
                raise api_errors.StillStopping(
                    "The operation in progress of the stack was stopped, and"
                    " a call to a service has not answered yet. Nothing was"
                    " abandoned: repeat the request."
                )
            time.sleep(pause)
            pause = min(2 * pause, _MAX_PAUSE_S)
        if "accepted" in facts:
            self._starter.start(caller, facts["accepted"])
        return facts
