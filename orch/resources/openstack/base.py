"""Base of the types whose physical resources OpenStack stores.

A type says in :attr:`OpenStackResource.table` where its resources are and what
their properties are called there. That is enough to make them once, change,
remove, check, adopt, observe and list them (what reads is in
:mod:`orch.resources.openstack.observed_base`). What a table cannot say a type
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
from orch.resources.openstack import elements
from orch.resources.openstack import tokens
from orch.resources.openstack import wire

_TIMEOUT_S: typing.Final = 300.0
"""For how long others may hold a resource that is to be removed."""
_NOT_YET_TIMEOUT_S: typing.Final = 180.0
"""For how long what other resources have to allow is tried."""
_STALE_S: typing.Final = 15.0
"""For how long a service may show that an earlier removal has failed."""
_PAUSE_S: typing.Final = 1.0
_MAX_PAUSE_S: typing.Final = 10.0


class OpenStackResource(elements.ElementResource):
    """A resource type on OpenStack that a table describes."""

    adopts_as_given = True

    # Making it.

    def create(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Ask for the resource, with the token in it.

        :raises orch.errors.Permanent: the name that is given is taken
        """
        body = self.body_to_create(context)
        try:
            created = self.api_collection(context).make(
                body, self.table.create_query or None
            )
        except rest.CloudRefused as error:
            if self._is_passing(error):
                raise errors.Busy(error.message) from error
            raise
        except errors.Busy as error:
            if not self.table.is_name_unique or tokens.has_token(
                body, self.table.token_key, context
            ):
                raise
            raise errors.Permanent(error.message) from error
        return self.create_result(created)

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Look for the token where :meth:`create` leaves it.

        Where several lost calls have made one each, any will do.
        """
        if self.table.is_only:
            if not context.is_outcome_unknown:
                return None
            try:
                return self.create_result(self.body(context))
            except rest.CloudNotFound:
                return None
        found = self.list_bearers(context)
        if found is None:
            return super().find(context)
        return self.create_result(found[0]) if found else None

    def find_all(
        self, context: call_context.Context
    ) -> collections.abc.Sequence[call_context.PhysicalId]:
        """Return the ids of all that bear the token where it was left."""
        if self.table.is_name_unique:
            return ()
        found = self.list_bearers(context)
        return [self.id_in(each) for each in found] if found else ()

    def list_bearers(
        self, context: call_context.Context
    ) -> list[wire.Body] | None:
        """Return what bears the token; ``None`` if none can bear it.

        A name that a user gave is no token. Where it is unique it identifies
        what a lost call made, but only such a call: after a refusal it is
        the name of what others have made.
        """
        table, key = self.table, self.table.token_key
        if not key:
            return None
        body = self.body_to_create(context)
        desired = wire.find_value(body, key)
        filters = dict(table.filters)
        has_token = tokens.has_token(body, key, context)
        if table.is_name_unique:
            if not has_token and not context.is_outcome_unknown:
                return []
        else:
            if not has_token:
                return None
            name = key if table.found_by == "" else table.found_by
            if name and body.get(name):
                filters[name] = str(body[name])
        return [
            each
            for each in self.api_collection(context).listed(filters)
            if wire.find_value(each, key) == desired
        ]

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it is ready, and the rest of it is settled."""
        given = [
            name
            for name, value in context.properties.items()
            if value is not None
        ]
        if not self.has_states and not self.settles(given):
            return call_context.DONE
        body = self.body(context)
        pending = self.check_status(body)
        if pending is None:
            self.settle(context, body, given, {})
        return pending

    def wait_for(
        self,
        context: call_context.Context,
        do: collections.abc.Callable[[], object],
    ) -> call_context.Pending | None:
        """Do something that other resources have to allow; ``None`` once done.

        :raises orch.clients.rest.CloudRefused: for another reason than those
            in the table, or it takes too long
        """
        try:
            do()
        except rest.CloudRefused as error:
            waited = self.clock.now() - context.started_at
            if not self._is_passing(error) or waited > _NOT_YET_TIMEOUT_S:
                raise
            return call_context.Pending(_pause_s(waited), note=error.message)
        return call_context.DONE

    def _is_passing(self, error: rest.CloudRefused) -> bool:
        return any(each in error.message for each in self.table.not_yet)

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
            self.send_change(context, body)
        if self.settles(changed):
            self.settle(context, self.body(context), changed, before)
        return None

    def send_change(
        self, context: call_context.Context, body: dict[str, object]
    ) -> None:
        """Send the request that changes it."""
        table, calls = self.table, self.api_collection(context)
        if not table.patch_type:
            calls.change(self.id_of(context), body, table.updates_by)
            return
        patch = wire.build_patch(body, self.body(context))
        if patch:
            calls.patch(self.id_of(context), patch, table.patch_type)

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it is ready again."""
        if not self.has_states:
            return call_context.DONE
        return self.check_status(self.body(context))

    def properties_to_release(
        self,
        before: collections.abc.Mapping[str, object],
        after: collections.abc.Mapping[str, object],
    ) -> collections.abc.Mapping[str, object]:
        """Return the lists that share with a replacement what only one has."""
        released: dict[str, object] = {}
        for name, part in self.table.releases.items():
            desired = _parts(after.get(name), part)
            # An attempt that was interrupted may have emptied it.
            is_empty = before.get(name) == []
            if desired and (
                is_empty or desired & _parts(before.get(name), part)
            ):
                released[name] = []
        return released

    def release(
        self,
        context: call_context.Context,
        released: collections.abc.Mapping[str, object],
    ) -> None:
        """Empty these lists."""
        body: dict[str, object] = {
            self.fields[name].key: [] for name in released
        }
        try:
            self.send_change(context, body)
        except rest.CloudNotFound:
            return

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
        :raises orch.resources.openstack.errors.InError: its service says that
            it could not remove it
        """
        try:
            body = self.body(context)
        except rest.CloudNotFound:
            return call_context.DONE
        if self.table.status is not None and self.is_being_deleted(body):
            return call_context.Pending(note="it is being removed")
        waited = self.clock.now() - context.started_at
        if waited > _STALE_S:
            self.check_deletion(body)
        return self.ask_to_remove(context) or call_context.Pending(
            _pause_s(waited)
        )

    def ask_to_remove(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Ask to remove it; ``None`` once the service accepts that.

        :raises orch.errors.Busy: others hold it for too long
        """
        held = self._remove(context)
        if held is None:
            return call_context.DONE
        waited = self.clock.now() - context.started_at
        if waited > _TIMEOUT_S:
            raise held
        return call_context.Pending(_pause_s(waited), note=held.message)

    def _remove(self, context: call_context.Context) -> errors.Busy | None:
        """Ask to remove it; return why that has to wait, if it has to."""
        if context.physical_id is None:
            return None
        try:
            self.remove(context)
        except rest.CloudNotFound:
            return None
        except rest.CloudRefused as error:
            if not self._is_passing(error):
                raise
            return errors.Busy(error.message)
        except errors.Busy as error:
            return error
        return None

    # Looking at it.

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
            desired.is_of_project
            and (table.is_outside_projects or table.listed_as)
        ):
            return None
        context = call_context.Context(
            request=requested_by,
            stack_id=desired.acts_for,
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
        found = map(self.listed, self.all_listed(context))
        return [each for each in found if desired.fits(each)]

    # Adopting it.

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Look whether the resource is there; change nothing of it.

        Where addresses are ids, the last part of one will do.

        :raises orch.clients.rest.CloudNotFound: it is not
        """
        if given.physical_id is None or given.is_listed:
            return given
        body = self.body(
            dataclasses.replace(context, physical_id=given.physical_id)
        )
        found = str(body.get(self.table.id_key))
        if self.table.is_only and found != given.physical_id:
            raise rest.CloudNotFound(f"it has {found}, not this")
        return (
            dataclasses.replace(given, physical_id=found)
            if "://" in found
            else given
        )

    # For types.

    def all_listed(
        self, context: call_context.Context
    ) -> collections.abc.Iterable[wire.Body]:
        """Yield what a list shows of the resources that the caller has."""
        try:
            yield from self.all_of_project(context)
        except rest.CloudRefused:
            if not self.table.own_list_path:
                raise
            found = self.api_collection(context).ask(
                "GET", self.table.own_list_path
            )
            yield from found.get(self.table.plural) or ()

    def listed(self, body: wire.Body) -> listing.PhysicalResource:
        """Return one of :meth:`all_listed` as a list shows it."""
        return listing.PhysicalResource(
            physical_id=self.id_in(body),
            name=str(body.get("name") or ""),
            tags=tuple(map(str, body.get("tags") or ())),
            is_named=self.table.id_key == "name",
        )

    def create_result(
        self, body: wire.Body
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Return the id of a resource that was made, and data to keep."""
        return self.id_in(body)

    def body_to_create(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request that makes it, with the token."""
        body = self.body_of_properties(context)
        if self.table.token_key:
            body = self._with_token(body, context)
        return body

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return all properties that are given, as the request has them."""
        defaults = dict(self.table.defaults)
        return defaults | self.sent(context, self.fields)

    @property
    def has_states(self) -> bool:
        """Whether it may be under way to being ready."""
        return self.table.status is not None

    def body_to_update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> dict[str, object]:
        """Return the request that changes it; empty for none."""
        body = self.sent(context, changed, is_change=True)
        key = self.table.token_key
        if key.partition(".")[0] in body and key != "name":
            body = self._with_token(body, context)
        return body

    def _with_token(
        self, body: dict[str, object], context: call_context.Context
    ) -> dict[str, object]:
        table = self.table
        return tokens.with_token(
            body, table.token_key, context, table.max_text
        )

    def remove(self, context: call_context.Context) -> None:
        """Send the request that removes it, and what comes before."""
        if self.table.before_removal is not None:
            self.send_change(context, dict(self.table.before_removal))
        self.api_collection(context).remove(
            self.id_of(context), self.table.remove_query or None
        )

    def check_deletion(self, body: wire.Body) -> None:
        """Raise what is wrong with a resource that does not go away.

        :raises orch.resources.openstack.errors.InError: its service says that
            it could not remove it
        """
        if _has_failed(self._find_deletion(body)):
            self.check_status(body)

    def is_being_deleted(self, body: wire.Body) -> bool:
        """Whether its service is about to remove it already."""
        found = self._find_deletion(body)
        return bool(found) and not _has_failed(found)

    def _find_deletion(self, body: wire.Body) -> str:
        """Return the state, in lower case, if it is one of a deletion."""
        status = self.table.status
        if status is None:
            return ""
        found = str(wire.find_value(body, status.key)).lower()
        return found if "delet" in found else ""


def _pause_s(waited_s: float) -> float:
    return min(max(_PAUSE_S, waited_s / 4), _MAX_PAUSE_S)


def _has_failed(state: str) -> bool:
    return any(each in state for each in ("error", "fail"))


def _parts(value: object, part: str) -> set[object]:
    """Return a part of each element of a list."""
    found = wire.to_list(value)
    return {each[part] for each in found if each.get(part)}
