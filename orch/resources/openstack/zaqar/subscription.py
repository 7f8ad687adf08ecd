"""``OS::Zaqar::Subscription`` and ``MistralTrigger``: messages sent on."""

import collections.abc
import json
import typing

from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import wire

_MESSAGE: typing.Final = "$zaqar_message$"
"""What the service replaces by the message."""
_OPTIONS: typing.Final = "options"
_TRUST: typing.Final = "trust_id"
_SUBSCRIBER: typing.Final = "subscriber"
_WORKFLOW: typing.Final = "workflow_id"

Values = collections.abc.Mapping[str, object]
Names = collections.abc.Collection[str]


class Subscription(base.OpenStackResource):
    """A subscriber to a queue: an address that gets each message."""

    def create_result(self, body: wire.Body) -> call_context.PhysicalId:
        """Return the id, which has another key in this answer."""
        return str(body["subscription_id"])

    def body_to_update(
        self, context: call_context.Context, before: Values, changed: Names
    ) -> dict[str, object]:
        """Return the request, with the trust that the service has made.

        It replaces all options, and makes a trust only with the subscription.
        """
        body = super().body_to_update(context, before, changed)
        options = body.get(_OPTIONS)
        if isinstance(options, collections.abc.Mapping):
            held = wire.to_mapping(self.body(context).get(_OPTIONS))
            if _TRUST in held:
                body[_OPTIONS] = {_TRUST: held[_TRUST], **options}
        return body

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties, without the trust of the service."""
        found = super().reality_of(context, body)
        options = wire.to_mapping(found.get(_OPTIONS))
        given = wire.to_mapping(context.properties.get(_OPTIONS))
        if _TRUST in options and _TRUST not in given:
            found[_OPTIONS] = {
                key: value for key, value in options.items() if key != _TRUST
            }
        return found


class MistralTrigger(Subscription):
    """A subscription that runs a workflow of Mistral for each message."""

    def sent(
        self,
        context: call_context.Context,
        names: collections.abc.Iterable[str],
        *,
        is_change: bool = False,
    ) -> dict[str, object]:
        """Return the request, with the workflow as its subscriber."""
        chosen = set(names)
        body = super().sent(context, chosen, is_change=is_change)
        if not is_change:
            body[_SUBSCRIBER] = self._subscriber(context)
        if chosen & {_WORKFLOW, "params", "input"}:
            body[_OPTIONS] = {"post_data": _post_data(context.properties)}
        return body

    def _subscriber(self, context: call_context.Context) -> str:
        service = rest.service_of(self.cloud(context), "workflow", version="2")
        return f"trust+{rest.endpoint_of(service)}/executions"

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties, which the options have."""
        found = super().reality_of(context, body)
        options = body.get(_OPTIONS) or {}
        try:
            post_data = json.loads(options.get("post_data") or "{}")
        except ValueError:
            post_data = {}
        found[_WORKFLOW] = post_data.get(_WORKFLOW)
        found["input"] = post_data.get("input") or {}
        params = dict(post_data.get("params") or {})
        env = dict(params.get("env") or {})
        if env.pop("notification", None) == _MESSAGE:
            params["env"] = env
            if not env:
                del params["env"]
        found["params"] = params
        return found


def _post_data(given: Values) -> str:
    """Return the request for an execution, with the message in it."""
    params = given.get("params")
    known = dict(wire.to_mapping(params))
    env = known.get("env")
    known["env"] = {
        **wire.to_mapping(env),
        "notification": _MESSAGE,
    }
    return json.dumps(
        {
            _WORKFLOW: given.get(_WORKFLOW),
            "params": known,
            "input": given.get("input") or {},
        }
    )
