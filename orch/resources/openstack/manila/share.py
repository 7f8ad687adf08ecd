"""``OS::Manila::Share``: a shared file system, and who has access to it."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import elements
from orch.resources.openstack import errors
from orch.resources.openstack import type_table
from orch.resources.openstack import wire

_RULES: typing.Final = "/share-access-rules"
_PARTS: typing.Final = ("access_type", "access_to", "access_level")
_LEAVING: typing.Final = ("queued_to_deny", "denying")
_COMING: typing.Final = ("new", "queued_to_apply", "applying")
_FAILED: typing.Final = "error"
_ACCESS_RULES: typing.Final = "access_rules"
_DEFAULT_LEVEL: typing.Final = "rw"


Rules = collections.abc.Sequence[collections.abc.Mapping[str, object]]


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
        """Return the rules that there are, without their ids.

        One that the service could not add has its state beside its parts, so
        that it is none of the desired rules.
        """
        found: elements.Found = {}
        for rule in self._list_rules(context):
            item = {part: rule.get(part) for part in _PARTS}
            if rule.get("state") == _FAILED:
                item["state"] = _FAILED
            value = {"item": item}
            found[wire.to_key(value)] = value
        return found

    def dissociate(
        self,
        context: call_context.Context,
        field: type_table.Field,
        surplus: collections.abc.Collection[elements.Values],
    ) -> None:
        """Remove rules; the service removes them by their ids, and later."""
        gone = [_key(each["item"]) for each in surplus]
        if not gone:
            return
        calls = self.api_collection(context)
        path = f"{calls.place(self.id_of(context))}/action"
        for rule in self._list_rules(context):
            if _key(rule) in gone and not _is_leaving(rule):
                calls.ask(
                    "POST", path, {"deny_access": {"access_id": rule["id"]}}
                )

    def associate(
        self,
        context: call_context.Context,
        field: type_table.Field,
        missing: collections.abc.Collection[elements.Values],
    ) -> None:
        """Add rules, but those for which there is another rule still.

        The service refuses a second level for the same access: see
        :meth:`is_updated`.
        """
        if not missing:
            return
        held = {_access(each) for each in self._list_rules(context)}
        free = [each for each in missing if _access(each["item"]) not in held]
        super().associate(context, field, free)

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it is ready, and has the rules.

        :raises orch.resources.openstack.errors.InError: the service could not
            add a rule
        """
        if not context.properties.get(_ACCESS_RULES):
            return super().is_created(context)
        # Before the rules are settled, which removes one that has failed.
        _check_rules(self._list_rules(context))
        return super().is_created(context) or _check_rules(
            self._list_rules(context)
        )

    def update(
        self,
        context: call_context.Context,
        before: elements.Values,
        changed: elements.Names,
    ) -> call_context.CreateResult:
        """Send what differs, and keep whether rules are among it."""
        super().update(context, before, changed)
        data = {**context.data, _ACCESS_RULES: _ACCESS_RULES in changed}
        return call_context.CreateResult(self.id_of(context), data)

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it is ready, and has the rules.

        A rule of another level is added once the former is removed. One that
        others have added for the same access remains: it is drift.

        :raises orch.resources.openstack.errors.InError: the service could not
            add or remove a rule
        """
        pending = super().is_updated(context)
        if pending is not None or not context.data.get(_ACCESS_RULES):
            return pending
        rules = self._list_rules(context)
        pending = _check_rules(rules)
        if pending is not None:
            return pending
        there = set(map(_access, rules))
        field = self.fields[_ACCESS_RULES]
        desired = self.find_elements(context, field, context.properties)
        missing = [
            each
            for each in desired.values()
            if _access(each["item"]) not in there
        ]
        if not missing:
            return call_context.DONE
        super().associate(context, field, missing)
        return call_context.Pending(note="rules of access are added")

    def _list_rules(self, context: call_context.Context) -> Rules:
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


def _check_rules(rules: Rules) -> call_context.Pending | None:
    """Answer ``None`` where the service has added and removed all rules.

    :raises orch.resources.openstack.errors.InError: it could not
    """
    if any(map(_is_leaving, rules)):
        return call_context.Pending(note="rules of access are removed")
    for rule in rules:
        if rule.get("state") == _FAILED:
            raise errors.InError.of(
                _FAILED, f"the rule {' '.join(map(str, _key(rule)))}"
            )
    if any(rule.get("state") in _COMING for rule in rules):
        return call_context.Pending(note="rules of access are added")
    return call_context.DONE


def _is_leaving(rule: collections.abc.Mapping[str, object]) -> bool:
    """Whether the service is about to remove a rule."""
    return rule.get("state") in _LEAVING


def _access(rule: object) -> tuple[object, ...]:
    """Return what there is one rule of at most."""
    return _key(rule)[:2]


def _key(rule: object) -> tuple[object, ...]:
    """Return what identifies a rule."""
    assert isinstance(rule, collections.abc.Mapping)
    return tuple(rule.get(part) for part in _PARTS)
