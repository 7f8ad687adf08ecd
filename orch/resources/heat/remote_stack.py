"""``OS::Heat::Stack`` at another installation, Orch or Heat.

Such a stack is independent: its installation runs it, shows it and limits
it. Here it is one resource, whose physical id is the id of the stack there.
"""

import collections.abc
import re
import typing

from orch import errors
from orch.clients import key_manager
from orch.clients import orchestration
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import clouds
from orch.plugin import reality
from orch.plugin import resource
from orch.plugin import type_files
from orch.resources.heat import remote_reality
from orch.resources.heat import stack

Values = collections.abc.Mapping[str, object]

_RESTORED: typing.Final = "restored_snapshot"
_SNAPSHOT: typing.Final = "snapshot_id"
_NAME: typing.Final = "stack_name"
_MAX_NAME_LENGTH: typing.Final = 255
_NOT_IN_NAMES: typing.Final = re.compile(r"[^a-zA-Z0-9_.-]")
_TRUST_S: typing.Final = 30.0
"""Seconds after which a status counts although nothing says that it is that
of what was asked for."""


class RemoteFailed(errors.Permanent):
    """An operation of a stack at another installation failed."""

    code = "orch.resource.remote_failed"


class RemoteGone(reality.Vanished):
    """A stack at another installation does not exist any more."""

    code = "orch.resource.remote_gone"


@type_files.described("OS::Heat::Stack::Remote")
class RemoteStack(clouds.CloudResource, resource.Resource):
    """A stack that another installation creates and stores."""

    has_reality = True
    takes_inputs = True
    resumes_creation = True
    examines = True
    names_by_properties = True  # one that was deleted is made anew

    def examine(self, context: call_context.Context) -> None:
        """Ask the other installation what it finds wrong with the template.

        Source of the sentences: Heat's, which clients compare.

        :raises orch.errors.Invalid: there is none in the region, or it
            refuses the template
        """
        desired = _stack_request(context)
        del desired["parameters"]
        try:
            self._stacks(context).validate(desired)
        except rest.NoService as error:
            raise errors.Invalid(
                "Cannot establish connection to Heat endpoint at region"
                f' "{_where(context.properties).get("region_name")}" due to'
                f' "{error.__cause__ or error.message}"'
            ) from error
        except rest.CloudRefused as error:
            raise errors.Invalid(
                "Failed validating stack template using Heat endpoint at"
                f' region "{_where(context.properties).get("region_name")}"'
                f' due to "ERROR: {error.service_message}"'
            ) from error

    def needs_replacement(
        self,
        before: Values,
        after: Values,
        changed: collections.abc.Collection[str],
    ) -> bool:
        """Whether the stack is to be in another region."""
        return _where(before).get("region_name") != _where(after).get(
            "region_name"
        )

    def create(
        self, context: call_context.Context
    ) -> call_context.CreateResult:
        """Ask for the stack, or take the one of its name: it bears the token.

        :raises orch.errors.OrchError: see
            :func:`orch.clients.rest.send_request`
        """
        name = _name_of(context)
        desired = {**_stack_request(context), "disable_rollback": True}
        try:
            created = self._stacks(context).create(name, desired)
        except errors.Busy:
            found = self._stacks(context).find(name)
            if found is None:
                raise
            created = found.id
        return call_context.CreateResult(created, {_NAME: name})

    def find(
        self, context: call_context.Context
    ) -> call_context.CreateResult | None:
        """Find what an earlier attempt has left, by its name."""
        found = self._stacks(context).find(_name_of(context))
        if found is None:
            return None
        return call_context.CreateResult(found.id, {_NAME: found.name})

    def continue_creation(self, context: call_context.Context) -> None:
        """Ask a stack that was begun before to become what it shall be.

        What this action has begun is so already, unless it failed.

        :raises RemoteGone: it was deleted
        """
        found = self._there(context)
        is_ours = self._has_begun(context, found, found.action)
        if found.status == "FAILED" or not is_ours:
            self._stacks(context).update(found, _stack_request(context))

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the stack is complete.

        :raises RemoteFailed: it is not, and says why
        :raises RemoteGone: it was deleted
        """
        found = self._there(context)
        if found.status == "FAILED":
            return self._failed(context, found, found.action)
        return (
            call_context.DONE
            if found.status == "COMPLETE"
            else _pending(found)
        )

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Return what is given: the stack stays where it is, as it is."""
        snapshot_data = {
            key: given.data[key] for key in (_NAME,) if key in given.data
        }
        return call_context.AdoptedResource(
            physical_id=given.physical_id,
            data=snapshot_data,
            metadata=given.metadata,
        )

    def get_reality(self, context: call_context.Context) -> Values | None:
        """Return template, parameters and time limit of the stack there.

        :returns: ``None`` where its installation tells none of them
        :raises RemoteGone: it is not there
        """
        found = self._there(context)
        try:
            template = self._stacks(context).template(found)
        except rest.CloudRefused:
            template = None
        return (
            remote_reality.read_reality(
                context.properties, found.shown, template
            )
            or None
        )

    def normalise(self, name: str, value: object) -> object:
        """Return a template as what it says, however it is written."""
        if name == stack.TEMPLATE and isinstance(value, str):
            return remote_reality.parse_template(value)
        return value

    def update(
        self,
        context: call_context.Context,
        before: Values,
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult | None:
        """Ask for the stack to become another, or what it was.

        :returns: a new one where it was deleted
        """
        found = self._find(context)
        if found is None:
            return self.create(context)
        snapshot_id = context.properties.get(_RESTORED)
        if _RESTORED in changed and snapshot_id:
            self._stacks(context).restore(found, str(snapshot_id))
        else:
            self._stacks(context).update(found, _stack_request(context))
        return None

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the stack is what it was to become."""
        return self._watch(context, "UPDATE", "RESTORE", "CREATE")

    def suspend(self, context: call_context.Context) -> None:
        """Ask for the stack to be put to rest."""
        self._act(context, "suspend")

    def is_suspended(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the stack rests."""
        return self._watch(context, "SUSPEND")

    def resume(self, context: call_context.Context) -> None:
        """Ask for the stack to be woken."""
        self._act(context, "resume")

    def is_resumed(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the stack is awake."""
        return self._watch(context, "RESUME")

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Ask for a check of the stack, once, and look at what it found.

        :raises RemoteFailed: something is wrong with it
        :raises RemoteGone: it does not exist any more
        """
        found = self._there(context)
        if found.status == "IN_PROGRESS":
            return _pending(found)
        if self._has_begun(context, found, "CHECK"):
            return self._watch(context, "CHECK")
        self._stacks(context).act(found, "check")
        return call_context.Pending(note="the stack is being checked")

    def snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> Values:
        """Ask for a snapshot of the stack, once."""
        found, stacks = self._there(context), self._stacks(context)
        known = stacks.find_snapshot(found, snapshot_id)
        return {_SNAPSHOT: known or stacks.snapshot(found, snapshot_id)}

    def find_snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> Values | None:
        """Find what a lost request has left there, by its name."""
        found = self._find(context)
        if found is None:
            return None
        known = self._stacks(context).find_snapshot(found, snapshot_id)
        return None if known is None else {_SNAPSHOT: known}

    def is_snapshotted(
        self, context: call_context.Context, snapshot_data: Values
    ) -> call_context.Pending | None:
        """Answer ``None`` once the snapshot is taken.

        :raises RemoteFailed: it cannot be
        """
        status, reason = self._stacks(context).snapshot_status(
            self._there(context), str(snapshot_data[_SNAPSHOT])
        )
        if status == "COMPLETE":
            return call_context.DONE
        if status == "FAILED":
            raise RemoteFailed(f"the snapshot of the stack failed: {reason}")
        return call_context.Pending(
            note="the snapshot of the stack is being taken"
        )

    def delete_snapshot(
        self, context: call_context.Context, snapshot_data: Values
    ) -> None:
        """Remove the snapshot there; already gone is success."""
        found = self._find(context)
        if found is not None and _SNAPSHOT in snapshot_data:
            self._stacks(context).delete_snapshot(
                found, str(snapshot_data[_SNAPSHOT])
            )

    def restored_properties(
        self, properties: Values, snapshot_data: Values
    ) -> Values:
        """Return the properties with the snapshot to go back to."""
        return {**properties, _RESTORED: snapshot_data.get(_SNAPSHOT)}

    def delete(self, context: call_context.Context) -> None:
        """Ask for the removal of the stack; already gone is success."""
        found = self._find(context)
        going = ("DELETE", "IN_PROGRESS")
        if found is not None and (found.action, found.status) != going:
            self._stacks(context).delete(found)

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the stack is gone.

        :raises RemoteFailed: it could not be removed, and says why
        """
        found = self._find(context)
        if found is None:
            return call_context.DONE
        if found.action == "DELETE" and found.status == "FAILED":
            return self._failed(context, found, "DELETE")
        return _pending(found)

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> Values:
        """Return its name and its outputs as they are now."""
        found = self._there(context, with_outputs=True)
        return {_NAME: found.name, "outputs": dict(found.outputs)}

    def show(self, context: call_context.Context) -> object:
        """Return all that its installation tells of the stack."""
        return dict(self._there(context, with_outputs=True).shown)

    def _stacks(self, context: call_context.Context) -> orchestration.Stacks:
        """Return the stacks of the installation that the properties name.

        :raises orch.errors.OrchError: the login there fails
        """
        where = _where(context.properties)
        region_name = where.get("region_name")
        region = str(region_name) if region_name else None
        ca_cert = str(where["ca_cert"]) if where.get("ca_cert") else None
        insecure = bool(where.get("insecure"))
        secret_id = where.get("credential_secret_id")
        if secret_id:
            login = key_manager.read_login(self.cloud(context), str(secret_id))
            cloud = self.log_in(
                login,
                region_name=region,
                ca_cert=ca_cert,
                insecure=insecure,
            )
        else:
            cloud = self.cloud(
                context,
                region_name=region,
                ca_cert=ca_cert,
                insecure=insecure,
            )
        return orchestration.Stacks(cloud, region)

    def _find(
        self, context: call_context.Context, *, with_outputs: bool = False
    ) -> orchestration.Stack | None:
        if context.physical_id is None:
            return None
        return self._stacks(context).find(
            context.physical_id, with_outputs=with_outputs
        )

    def _there(
        self, context: call_context.Context, *, with_outputs: bool = False
    ) -> orchestration.Stack:
        """Return the stack.

        :raises RemoteGone: it does not exist any more
        """
        found = self._find(context, with_outputs=with_outputs)
        if found is None:
            raise RemoteGone(
                f"the stack {context.physical_id} is not there any more at"
                " the other installation; check this stack and update it, to"
                " make the other one again"
            )
        return found

    def _act(self, context: call_context.Context, action: str) -> None:
        found = self._there(context)
        if (found.action, found.status) != (action.upper(), "COMPLETE"):
            self._stacks(context).act(found, action)

    def _watch(
        self, context: call_context.Context, *actions: str
    ) -> call_context.Pending | None:
        """Answer ``None`` once one of the actions is complete.

        :raises RemoteFailed: it failed
        """
        found = self._there(context)
        if found.status == "IN_PROGRESS":
            return _pending(found)
        if found.status == "FAILED":
            return self._failed(context, found, *actions)
        is_ours = found.action in actions
        if is_ours and found.action in ("SUSPEND", "RESUME"):
            return call_context.DONE
        if is_ours and self._has_begun(context, found, found.action):
            return call_context.DONE
        if self._is_late(context):
            return call_context.DONE
        return _pending(found)

    def _failed(
        self,
        context: call_context.Context,
        found: orchestration.Stack,
        *actions: str,
    ) -> call_context.Pending | None:
        """Answer that the failure is an old one, if it is.

        :raises RemoteFailed: it is of what was asked for
        """
        is_ours = found.action in actions
        if not self._is_late(context) and not (
            is_ours and self._has_begun(context, found, found.action)
        ):
            return _pending(found)
        raise RemoteFailed(
            f"the stack {found.name} is {found.action}_FAILED at the other"
            f" installation: {found.reason}"
        )

    def _has_begun(
        self,
        context: call_context.Context,
        found: orchestration.Stack,
        action: str,
    ) -> bool:
        return found.action == action and self._stacks(context).has_begun(
            found, action, context.started_at
        )

    def _is_late(self, context: call_context.Context) -> bool:
        return self.clock.now() - context.started_at > _TRUST_S


def _stack_request(context: call_context.Context) -> dict[str, object]:
    """Return what a request to make or change the stack says."""
    given = context.properties
    desired: dict[str, object] = {
        "template": given["template"],
        "parameters": given["parameters"],
    }
    minutes = given.get("timeout")
    if isinstance(minutes, int) and minutes > 0:
        desired["timeout_mins"] = minutes
    if context.inputs is not None:
        desired["files"] = dict(context.inputs.files)
        desired["environment"] = dict(context.inputs.environment)
    return desired


def _name_of(context: call_context.Context) -> str:
    """Return the name of the stack, which ends with what makes it ours."""
    name = _NOT_IN_NAMES.sub("-", context.bounded_name(_MAX_NAME_LENGTH))
    return name if name[0].isalpha() else f"s{name[1:]}"


def _where(properties: Values) -> Values:
    found = properties.get(stack.CONTEXT)
    return found if isinstance(found, collections.abc.Mapping) else {}


def _pending(found: orchestration.Stack) -> call_context.Pending:
    return call_context.Pending(
        note=f"the other installation says {found.action}_{found.status}"
    )
