"""Alarms of Aodh, whatever their rule is about.

API reference: https://docs.openstack.org/aodh/latest/webapi/v2.html
"""

import collections.abc
import re
import typing
import urllib.parse

from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import wire

_KINDS: typing.Final = ("alarm", "ok", "insufficient_data")
_QUEUE: typing.Final = "trust+zaqar://?queue_name="
_TRUST: typing.Final = re.compile(r"^(trust\+\w+://)[^/?@]+:delete@")
"""Begins an action to which Aodh has added the trust that it made for it."""
_COMPOSITE: typing.Final = "composite_rule"
_METADATA: typing.Final = "matching_metadata"
_QUERY: typing.Final = "query"
_PREFIXES: typing.Final = ("metadata.", "resource_metadata.")


class Alarm(base.OpenStackResource):
    """An alarm, which calls URLs and writes to queues as its state changes.

    A queue is an action as well. While the stack is suspended the alarm is
    disabled.
    """

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request that creates it, with the name it has to have."""
        body = super().body_of_properties(context)
        return {"name": context.physical_name, **body}

    def sent(
        self,
        context: call_context.Context,
        names: collections.abc.Iterable[str],
        *,
        is_change: bool = False,
    ) -> dict[str, object]:
        """Return properties as requests have them, queues among actions."""
        chosen = set(names)
        body = super().sent(context, chosen, is_change=is_change)
        given = context.properties
        for kind in _KINDS:
            actions, queues = f"{kind}_actions", f"{kind}_queues"
            if chosen & {actions, queues}:
                body[actions] = [
                    *wire.to_list(given.get(actions)),
                    *(
                        _QUEUE + urllib.parse.quote(str(each), safe="")
                        for each in wire.to_list(given.get(queues))
                    ),
                ]
        rule = given.get(_COMPOSITE)
        if _COMPOSITE in body and isinstance(rule, collections.abc.Mapping):
            body[_COMPOSITE] = {rule["operator"]: rule["rules"]}
        if _METADATA in self.fields and chosen & {_METADATA, _QUERY}:
            query = [
                *wire.to_list(given.get(_QUERY)),
                *_metadata_query(given.get(_METADATA)),
            ]
            wire.put_value(body, self.fields[_QUERY].key, query)
        return body

    def send_change(
        self, context: call_context.Context, body: dict[str, object]
    ) -> None:
        """Send the alarm as it is shown, with what changes."""
        desired = dict(self.body(context))
        for name, value in body.items():
            held = desired.get(name)
            if (
                name != _COMPOSITE
                and isinstance(held, dict)
                and isinstance(value, dict)
            ):
                value = {**held, **value}
                value = {
                    key: one for key, one in value.items() if one is not None
                }
            desired[name] = value
        self.api_collection(context).change(self.id_of(context), desired)

    def suspend(self, context: call_context.Context) -> None:
        """Disable it."""
        self.send_change(context, {"enabled": False})

    def resume(self, context: call_context.Context) -> None:
        """Enable it, unless the template disables it."""
        is_enabled = context.properties.get("enabled") is not False
        self.send_change(context, {"enabled": is_enabled})

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties that answers tell, queues by their names."""
        found = super().reality_of(context, body)
        for kind in _KINDS:
            actions = [
                _TRUST.sub(r"\1", str(each))
                for each in body.get(f"{kind}_actions") or ()
            ]
            queues = [each for each in actions if each.startswith(_QUEUE)]
            found[f"{kind}_actions"] = [x for x in actions if x not in queues]
            found[f"{kind}_queues"] = [
                urllib.parse.unquote(each.removeprefix(_QUEUE))
                for each in queues
            ]
        rule = body.get(_COMPOSITE)
        if _COMPOSITE in found and isinstance(rule, collections.abc.Mapping):
            for operator, rules in rule.items():
                found[_COMPOSITE] = {"operator": operator, "rules": rules}
        if _METADATA in self.fields and _QUERY in found:
            added = _metadata_query(context.properties.get(_METADATA))
            found[_QUERY] = [
                each
                for each in wire.to_list(found[_QUERY])
                if each not in added
            ]
        return found


def _metadata_query(value: object) -> list[object]:
    """Return the query that matches metadata of samples."""
    return [
        {
            "field": name
            if name.startswith(_PREFIXES)
            else f"metadata.{name}",
            "op": "eq",
            "value": text,
        }
        for name, text in wire.to_texts(value).items()
    ]
