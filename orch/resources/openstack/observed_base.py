"""Base of the types on OpenStack that are read as their table says.

One is read by itself, many by a list of their project. What acts on them is in
:mod:`orch.resources.openstack.base`.
"""

import collections.abc
import itertools
import typing

from orch import errors
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.openstack import errors as errors_
from orch.resources.openstack import table_base
from orch.resources.openstack import tokens
from orch.resources.openstack import type_table as table_
from orch.resources.openstack import wire

_MAX_LISTED: typing.Final = 1000
"""Entries of a list that are read for each resource that is looked for."""
_PROJECT_KEYS: typing.Final = ("project_id", "tenant_id")


class ObservedResource(table_base.TableResource):
    """A resource type on OpenStack whose physical resources are read.

    :cvar has_full_lists: a list of the service shows what reading one does;
        else each physical resource is read by itself
    """

    has_reality = True
    has_full_lists: typing.ClassVar[bool] = True

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Look whether it is there, and in a state that is fine.

        :raises orch.clients.rest.CloudNotFound: it is not there
        :raises InError: its service says that it failed
        """
        return self.check_body(self.body(context))

    def inspect(
        self, context: call_context.Context
    ) -> call_context.Inspection:
        """Return what one request shows, and whether that is fine.

        :raises orch.errors.Transient: the service gives no answer now
        """
        if not self._is_inspected_at_once():
            return super().inspect(context)
        return self._inspect(context, self.body)

    def _is_inspected_at_once(self) -> bool:
        """Whether one answer of the service shows state and properties."""
        kind, own = type(self), ObservedResource
        return kind.check is own.check and kind.get_reality is own.get_reality

    def _inspect(
        self,
        context: call_context.Context,
        read: collections.abc.Callable[[call_context.Context], wire.Body],
    ) -> call_context.Inspection:
        """Return what an answer shows, and whether that is fine.

        :raises orch.errors.Transient: the service gives no answer now
        """
        fault, live = None, None
        try:
            body = read(context)
            live = self.reality_of(context, body)
            pending = self.check_body(body)
        except errors.Transient:
            raise
        except errors.OrchError as error:
            fault, pending = error, call_context.DONE
        return call_context.Inspection(
            pending=pending, fault=fault, reality=live
        )

    def inspect_all(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> collections.abc.Sequence[call_context.Inspection | None] | None:
        """Return what a list shows; nothing of what it shows in part only."""
        if not self._is_inspected_at_once():
            return None
        bodies = self.list_bodies(contexts)
        if bodies is None:
            return None
        return [
            self._inspect_listed(context, body)
            for context, body in zip(contexts, bodies, strict=True)
        ]

    def _inspect_listed(
        self, context: call_context.Context, body: wire.Body | None
    ) -> call_context.Inspection | None:
        """Return what an entry of a list shows, if it surely is all of it."""
        project = context.stack_project
        if body is None or any(
            body.get(key, project) != project for key in _PROJECT_KEYS
        ):
            return None
        found = self._inspect(context, lambda _: body)
        given = context.properties
        readable = {
            each.name
            for each in self._fields_read(context)
            if each.is_read and given.get(each.name) is not None
        }
        return found if readable <= (found.reality or {}).keys() else None

    def show(self, context: call_context.Context) -> object:
        """Return it as its service shows it, without the token."""
        return tokens.without_token(self.body(context), self.table.token_key)

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return values of what the service shows, by one request."""
        body = tokens.without_token(self.body(context), self.table.token_key)
        return {
            name: wire.find_value(body, self.table.attributes.get(name, name))
            for name in names
        }

    def get_reality(
        self, context: call_context.Context
    ) -> reality.Reality | None:
        """Return the properties that the service reports."""
        try:
            body = self.body(context)
        except rest.CloudNotFound as error:
            raise reality.Vanished(error.message) from error
        return self.reality_of(context, body)

    def observe(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> collections.abc.Sequence[reality.ListAnswer] | None:
        """List what their project has, a request a page.

        What the list does not show is left to a read of its own: it may be of
        another project.
        """
        if len(contexts) < 2:
            return None
        bodies = self.list_bodies(contexts)
        if bodies is None:
            return None
        return [
            self._observe_listed(context, body)
            for context, body in zip(contexts, bodies, strict=True)
        ]

    def _observe_listed(
        self, context: call_context.Context, body: wire.Body | None
    ) -> reality.ListAnswer:
        if body is None:
            return reality.UNLISTED
        try:
            return self.reality_of(context, body)
        except errors.OrchError as error:
            return error

    @property
    def write_only(self) -> frozenset[str]:
        """The properties that no answer of the service shows."""
        return frozenset(n for n, f in self.fields.items() if not f.is_read)

    def normalise(self, name: str, value: object) -> object:
        """Return a property's value in the form that like is compared in."""
        field = self.fields.get(name)
        if field is None:
            return value
        return wire.normalise_value(field, value)

    # For types.

    def list_bodies(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> list[wire.Body | None] | None:
        """Return what a list of their project shows of many resources.

        :returns: a body for each, ``None`` for what the list does not show;
            ``None`` where lists tell too little, or are refused
        """
        if not self.has_full_lists or "{" in self.table.path:
            return None
        desired = {each.physical_id for each in contexts}
        bodies: dict[str | None, wire.Body] = {}
        listed = self.all_of_project(contexts[0])
        try:
            for body in itertools.islice(listed, _MAX_LISTED * len(contexts)):
                identifier = self.id_in(body)
                if identifier in desired:
                    bodies[identifier] = body
                if len(bodies) == len(desired):
                    break
        except rest.CloudRefused:
            if self.table.is_outside_projects:
                return None
            raise
        return [bodies.get(each.physical_id) for each in contexts]

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties that an answer shows."""
        fields = self._fields_read(context)
        body = tokens.without_token(body, self.table.token_key)
        found = wire.read_reality(fields, body)
        given = context.properties.get(table_base.VALUE_SPECS)
        if isinstance(given, collections.abc.Mapping):
            message = {name: body[name] for name in given if name in body}
            if message or not given:
                found[table_base.VALUE_SPECS] = message
        return found

    def _fields_read(
        self, context: call_context.Context
    ) -> list[table_.Field]:
        """Return the fields that are looked at."""
        return [
            each
            for each in self.fields.values()
            if not each.is_shared or context.properties.get(each.name)
        ]

    def check_status(self, body: wire.Body) -> call_context.Pending | None:
        """Answer ``None`` where it is ready.

        :raises InError: its service says that it failed
        """
        status = self.table.status
        if status is None:
            return call_context.DONE
        found = str(wire.find_value(body, status.key) or "")
        if found.upper() in map(str.upper, status.failed):
            reason = (
                wire.find_value(body, status.reason_key)
                if status.reason_key
                else ""
            )
            raise errors_.InError.of(found, reason)
        if found.upper() in map(str.upper, status.pending):
            return call_context.Pending(note=found)
        return call_context.DONE

    def check_body(self, body: wire.Body) -> call_context.Pending | None:
        """Answer ``None`` where a check finds it fine.

        :raises InError: its service says that it failed
        """
        return self.check_status(body)
