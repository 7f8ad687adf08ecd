"""``OS::Neutron::SecurityGroup``: rules for incoming and outgoing traffic."""

import collections.abc
import typing

from orch import errors
from orch.clients import lookup
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import wire
from orch.resources.openstack.neutron import rules

_RULES: typing.Final = "rules"
RULES_THERE: typing.Final = "security_group_rules"
"""The key of the rules in an answer."""
_PATH: typing.Final = "/security-group-rules"
_ONE: typing.Final = "security_group_rule"


class SecurityGroup(base.OpenStackResource):
    """A security group with its rules.

    The rules that are given are all that there are, but for what may leave:
    where none of them is about that, everything may, as Neutron has it.
    Without any the rules of the group are left to others.

    :cvar rule_names: the properties that have rules
    """

    rule_names: typing.ClassVar[tuple[str, ...]] = (_RULES,)

    def settles(self, changed: collections.abc.Collection[str]) -> bool:
        """Whether rules are to be brought about."""
        return not set(self.rule_names).isdisjoint(changed)

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Bring about the rules; without any there is nothing to do."""
        if self.rules_of(context.properties):
            self.settle(context, self.body(context), self.rule_names, {})
        return call_context.DONE

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: collections.abc.Collection[str],
        before: collections.abc.Mapping[str, object],
    ) -> None:
        """Remove the rules that are too much, and make those that lack."""
        group = self.id_of(context)
        desired = {
            rules.rule_text(each): each
            for each in self._desired(context, group)
        }
        there = {
            rules.rule_text(each): str(each["id"])
            for each in body.get(RULES_THERE) or []
        }
        rest_api = self.api_collection(context)
        for text in sorted(there.keys() - desired.keys()):
            rest_api.discard(f"{_PATH}/{rest.path_segment(there[text])}")
        for text in sorted(desired.keys() - there.keys()):
            self._make_rule(context, desired[text])

    def _desired(
        self, context: call_context.Context, group: str
    ) -> list[dict[str, object]]:
        """Return the rules that there are to be, as requests have them."""
        cloud = self.cloud(context)
        given = rules.with_egress(self.rules_of(context.properties))
        found = [rules.to_wire(each, group) for each in given]
        for each in found:
            other = each.get("remote_group_id")
            if other is not None:
                each["remote_group_id"] = lookup.find_id(
                    cloud, lookup.KINDS["neutron.security_group"], str(other)
                )
        return found

    def _make_rule(
        self, context: call_context.Context, rule: dict[str, object]
    ) -> None:
        try:
            self.api_collection(context).ask("POST", _PATH, {_ONE: rule})
        except errors.Busy:
            # There is one already: an answer was lost.
            return

    def normalise(self, name: str, value: object) -> object:
        """Return a property's value in the form that like is compared in."""
        if name == _RULES:
            return rules.normalise_rules(value)
        return super().normalise(name, value)

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties; the rules where any are given.

        Of a group that no stack has they are always read.
        """
        found = super().reality_of(context, body)
        is_wanted = self.rules_of(context.properties) or not context.stack_id
        if is_wanted and RULES_THERE in body:
            found |= self.rules_of_answer(context, body)
        return found

    # For types.

    def rules_of(
        self, properties: collections.abc.Mapping[str, object]
    ) -> list[rules.Rule]:
        """Return the rules that properties give, as Neutron has them."""
        given = properties.get(_RULES)
        return list(given) if isinstance(given, list) else []

    def rules_of_answer(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the rules that an answer shows, by property."""
        group = str(body["id"])
        return {_RULES: rules.all_from_wire(body[RULES_THERE], group)}
