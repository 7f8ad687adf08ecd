"""Base of the types whose physical resources OpenStack stores.

A type says in :attr:`OpenStackResource.table` where its resources are and what
their properties are called there. That is enough to make them once, change,
remove, check, adopt, observe and list them. What a table cannot say a type
overrides; the methods behind the comment *for types* are made for that.
"""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.clients import rest
from orch.context import request
from orch.plugin import call_context
from orch.plugin import listing
from orch.plugin import reality
from orch.resources.openstack import errors as errors_
from orch.resources.openstack import table_base
from orch.resources.openstack import tokens
from orch.resources.openstack import wire

Answer = reality.Answer

_TIMEOUT_S: typing.Final = 300.0
"""For how long others may hold a resource that is to be removed."""
_PAUSE_S: typing.Final = 1.0
_MAX_PAUSE_S: typing.Final = 10.0
_MAX_UNLISTED: typing.Final = 10
"""Things that a list lacks and that are read within the call that lists."""


class OpenStackResource(table_base.TableResource):
    """A resource type on OpenStack that a table describes."""

    has_reality = True
    adopts_as_given = True

    # Making it.

    def create(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Ask for the resource, with the token in it."""
        body = self.body_to_create(context)
        return self.create_result(self.api_collection(context).make(body))

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Look for the token where :meth:`create` leaves it.

        Where several lost calls have made one each, any will do.
        """
        key = self.table.token_key
        if not key:
            return super().find(context)
        desired = str(self.body_to_create(context)[key])
        if not tokens.has_token_text(desired, key, context):
            return super().find(context)
        found = self._list_by_token(context, desired)
        return self.create_result(found[0]) if found else None

    def find_all(
        self, context: call_context.Context
    ) -> collections.abc.Sequence[call_context.PhysicalId]:
        """Return the ids of all that bear the token where it was left.

        A name that a user gave is no token.
        """
        key = self.table.token_key
        if not key:
            return ()
        desired = str(self.body_to_create(context)[key])
        if not tokens.has_token_text(desired, key, context):
            return ()
        return [
            str(each[self.table.id_key])
            for each in self._list_by_token(context, desired)
        ]

    def _list_by_token(
        self, context: call_context.Context, desired: str
    ) -> list[wire.Body]:
        """Return what has the text with the token where it was left."""
        key = self.table.token_key
        return [
            each
            for each in self.api_collection(context).listed({key: desired})
            if each.get(key) == desired
        ]

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it is ready, and the rest of it is settled."""
        body = self.body(context)
        pending = self.check_status(body)
        if pending is None:
            self.settle(context, body, self.properties_given(context))
        return pending

    # Changing it.

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult | None:
        """Send what differs, in one request; then settle the rest."""
        body = self.body_to_update(context, before, changed)
        if body:
            self.api_collection(context).change(
                self.id_of(context), body, self.table.updates_by
            )
        if self.settles(changed):
            self.settle(context, self.body(context), changed)
        return None

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it is ready again."""
        if self.table.status is None:
            return call_context.DONE
        return self.check_status(self.body(context))

    # Removing it.

    def delete(self, context: call_context.Context) -> None:
        """Ask to remove the resource.

        One that others still need is asked for again by :meth:`is_deleted`,
        for a while: they may be on their way out.
        """
        self._remove(context)

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it is gone.

        :raises orch.errors.Busy: others hold it for too long
        """
        try:
            body = self.body(context)
        except rest.CloudNotFound:
            return call_context.DONE
        waited = self.clock.now() - context.started_at
        if self.table.status is not None and self.is_being_deleted(body):
            return call_context.Pending(note="it is being removed")
        self.check_deletion(body)
        held = self._remove(context)
        if held is not None and waited > _TIMEOUT_S:
            raise held
        pause = min(max(_PAUSE_S, waited / 4), _MAX_PAUSE_S)
        return call_context.Pending(pause, note=held.message if held else "")

    def _remove(self, context: call_context.Context) -> errors.Busy | None:
        """Ask to remove it; return why that has to wait, if it has to."""
        if context.physical_id is None:
            return None
        try:
            self.remove(context)
        except rest.CloudNotFound:
            return None
        except errors.Busy as error:
            return error
        return None

    # Looking at it.

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Look whether it is there, and in a state that is fine.

        :raises orch.clients.rest.CloudNotFound: it is not there
        :raises InError: its service says that it failed
        """
        return self.check_status(self.body(context))

    def inspect(
        self, context: call_context.Context
    ) -> call_context.Inspection:
        """Return what one request shows, and whether that is fine.

        :raises orch.errors.Transient: the service gives no answer now
        """
        own = OpenStackResource
        if type(self).check is not own.check or (
            type(self).get_reality is not own.get_reality
        ):
            return super().inspect(context)
        fault, live = None, None
        try:
            body = self.body(context)
            live = self.reality_of(context, body)
            pending = self.check_status(body)
        except errors.Transient:
            raise
        except errors.OrchError as error:
            fault, pending = error, call_context.DONE
        return call_context.Inspection(
            pending=pending, fault=fault, reality=live
        )

    def show(self, context: call_context.Context) -> object:
        """Return it as its service shows it."""
        return self.body(context)

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return values of what the service shows, by one request."""
        body = self.body(context)
        return {
            name: _value_at(body, self.table.attributes.get(name, name))
            for name in names
        }

    def get_reality(
        self, context: call_context.Context
    ) -> reality.Reality | None:
        """Return what the service tells of it."""
        try:
            body = self.body(context)
        except rest.CloudNotFound as error:
            raise reality.Vanished(error.message) from error
        return self.reality_of(context, body)

    def observe(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> collections.abc.Sequence[Answer] | None:
        """List what their project has, a request a page.

        :returns: see :meth:`observed_all`
        """
        if len(contexts) < 2:
            return None
        desired = {each.physical_id for each in contexts}
        bodies = {
            str(body["id"]): body
            for body in self.all_of_project(contexts[0])
            if body["id"] in desired
        }
        return self.observed_all(
            contexts,
            [bodies.get(each.physical_id or "") for each in contexts],
        )

    def observed_all(
        self,
        contexts: collections.abc.Sequence[call_context.Context],
        bodies: collections.abc.Sequence[wire.Body | None],
    ) -> collections.abc.Sequence[Answer] | None:
        """Return what is found out of resources that were listed.

        What the list does not tell of is read by itself before it is said
        to be gone: it may be of another project.

        :param bodies: one for each context, see :meth:`observed`
        :returns: ``None`` where so many are not in the list that whoever
            asks has to read each, at its own pace
        """
        if sum(body is None for body in bodies) > _MAX_UNLISTED:
            return None
        return [
            self.observed(context, body)
            for context, body in zip(contexts, bodies, strict=True)
        ]

    def observed(
        self, context: call_context.Context, body: wire.Body | None
    ) -> Answer:
        """Return what is found out of one resource.

        :param body: as a list has it; ``None`` where no list tells of it
        """
        try:
            if body is None:
                return self.get_reality(context)
            return self.reality_of(context, body)
        except errors.OrchError as error:
            return error

    def normalise(self, name: str, value: object) -> object:
        """Return a property's value in the form that like is compared in."""
        field = self.fields.get(name)
        if field is None:
            return value
        return wire.normalise_value(field, value)

    def list_physical_resources(
        self,
        requested_by: request.RequestContext,
        desired: listing.PhysicalResourceFilter,
    ) -> collections.abc.Iterable[listing.PhysicalResource] | None:
        """Return the resources of the caller's project, a request a page.

        Those that belong to no project are the ones that the service lists
        for the caller.
        """
        table = self.table
        if not table.is_listed or (
            desired.is_of_project and table.is_outside_projects
        ):
            return None
        context = dataclasses.replace(
            self._without_stack(requested_by), stack_id=desired.acts_for
        )
        found = map(self.listed, self.all_listed(context))
        return [each for each in found if desired.fits(each)]

    def _without_stack(
        self, requested_by: request.RequestContext
    ) -> call_context.Context:
        """Return a context of whoever asks, for no resource."""
        return call_context.Context(
            request=requested_by,
            stack_id="",
            stack_name="",
            name="",
            token="",
            attempt=1,
            physical_name="",
            physical_id=None,
            properties={},
            metadata={},
            data={},
            started_at=self.clock.now(),
            stack_project=requested_by.project_id or "",
        )

    # Adopting it.

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Look whether the resource is there; change nothing of it.

        :raises orch.clients.rest.CloudNotFound: it is not
        """
        if given.physical_id:
            self.api_collection(context).get(given.physical_id)
        return given

    # For types.

    def all_listed(
        self, context: call_context.Context
    ) -> collections.abc.Iterable[wire.Body]:
        """Return what a list tells of the resources that the caller has."""
        return self.all_of_project(context)

    def listed(self, body: wire.Body) -> listing.PhysicalResource:
        """Return one of :meth:`all_listed` as somebody finds it."""
        return listing.PhysicalResource(
            physical_id=str(body[self.table.id_key]),
            name=str(body.get("name") or ""),
            tags=tuple(map(str, body.get("tags") or ())),
            is_named=self.table.id_key == "name",
        )

    def create_result(
        self, body: wire.Body
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Return the id of a resource that was made, and data to keep."""
        return str(body["id"])

    def body_to_create(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request that makes it, with the token."""
        body = self.body_of_properties(context)
        if self.table.token_key:
            body = tokens.with_token(body, self.table.token_key, context)
        return body

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return all properties that are given, as the request has them."""
        return self.sent(context, self.fields)

    def body_to_update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> dict[str, object]:
        """Return the request that changes it; empty for none."""
        body = self.sent(context, changed, is_change=True)
        key = self.table.token_key
        if key in body and key != "name":
            body = tokens.with_token(body, key, context)
        return body

    def settles(self, changed: collections.abc.Collection[str]) -> bool:
        """Whether :meth:`settle` is needed for these properties."""
        return False

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: collections.abc.Collection[str],
    ) -> None:
        """Bring about what takes requests of its own; may come again.

        Called once a new resource is ready, with all properties that are
        given, and after a change.

        :param body: the resource as it is now
        """

    def remove(self, context: call_context.Context) -> None:
        """Send the request that removes it."""
        self.api_collection(context).remove(self.id_of(context))

    def check_deletion(self, body: wire.Body) -> None:
        """Raise what is wrong with a resource that does not go away."""

    def is_being_deleted(self, body: wire.Body) -> bool:
        """Whether its service is about to remove it already."""
        status = self.table.status
        found = str(body.get(status.key)) if status else ""
        return "delet" in found.lower()

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties that an answer tells."""
        fields = [
            each
            for each in self.fields.values()
            if not each.is_shared or context.properties.get(each.name)
        ]
        key = self.table.token_key
        if key in body:
            body = {**body, key: tokens.without_token(body[key])}
        found = wire.read_reality(fields, body)
        given = context.properties.get(table_base.VALUE_SPECS)
        if isinstance(given, collections.abc.Mapping):
            message = {name: body[name] for name in given if name in body}
            if message or not given:
                found[table_base.VALUE_SPECS] = message
        return found

    def check_status(self, body: wire.Body) -> call_context.Pending | None:
        """Answer ``None`` where it is ready.

        :raises InError: its service says that it failed
        """
        status = self.table.status
        if status is None:
            return call_context.DONE
        found = str(body.get(status.key) or "")
        if found.upper() in map(str.upper, status.failed):
            reason = (
                _value_at(body, status.reason_key) if status.reason_key else ""
            )
            raise errors_.InError.of(found, reason)
        if found.upper() in map(str.upper, status.pending):
            return call_context.Pending(note=found)
        return call_context.DONE


def _value_at(body: wire.Body, path: str) -> object:
    """Return what stands at a path of keys, ``None`` for nothing."""
    if path in body:
        return body[path]
    found: object = body
    for key in path.split("."):
        if not isinstance(found, collections.abc.Mapping):
            return None
        found = found.get(key)
    return found
