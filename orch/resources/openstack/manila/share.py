"""``OS::Manila::Share``: a shared file system, and who has access to it."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import elements
from orch.resources.openstack import type_table
from orch.resources.openstack import wire

_RULES: typing.Final = "/share-access-rules"
_PARTS: typing.Final = ("access_type", "access_to", "access_level")
_DEFAULT_LEVEL: typing.Final = "rw"


class Share(base.OpenStackResource):
    """A shared file system with rules of access."""

    def resolve_element(
        self,
        context: call_context.Context,
        field: type_table.Field,
        item: object,
    ) -> elements.Values:
        """Return a rule, with the level that it has where none is given."""
        rule = super().resolve_element(context, field, item)["item"]
        assert isinstance(rule, collections.abc.Mapping)
        return {"item": {"access_level": _DEFAULT_LEVEL, **rule}}

    def read_elements(
        self,
        context: call_context.Context,
        field: type_table.Field,
        body: wire.Body,
    ) -> elements.Found:
        """Return the rules that there are, without their ids and states."""
        found: elements.Found = {}
        for rule in self._list_rules(context):
            value = {"item": {part: rule.get(part) for part in _PARTS}}
            found[wire.to_key(value)] = value
        return found

    def dissociate(
        self,
        context: call_context.Context,
        field: type_table.Field,
        surplus: collections.abc.Collection[elements.Values],
    ) -> None:
        """Remove rules; the service removes them by their ids."""
        gone = [_key(each["item"]) for each in surplus]
        if not gone:
            return
        calls = self.api_collection(context)
        path = f"{calls.place(self.id_of(context))}/action"
        for rule in self._list_rules(context):
            if _key(rule) in gone:
                calls.ask(
                    "POST", path, {"deny_access": {"access_id": rule["id"]}}
                )

    def _list_rules(
        self, context: call_context.Context
    ) -> list[collections.abc.Mapping[str, object]]:
        found = self.api_collection(context).ask(
            "GET", _RULES, None, {"share_id": self.id_of(context)}
        )
        return list(found.get("access_list") or ())

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return what the service shows; export locations are read apart."""
        found = dict(super().read_attributes(context, names))
        if "export_locations" in names:
            calls = self.api_collection(context)
            place = calls.place(self.id_of(context))
            answer = calls.ask("GET", f"{place}/export_locations")
            found["export_locations"] = answer.get("export_locations")
        return found


def _key(rule: object) -> tuple[object, ...]:
    """Return what identifies a rule."""
    assert isinstance(rule, collections.abc.Mapping)
    return tuple(rule.get(part) for part in _PARTS)
