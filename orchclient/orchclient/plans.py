"""Plans of operations: previews, and saved plans to run."""

import collections.abc
import typing

from orchclient import models
from orchclient import packaging
from orchclient import request_bodies
from orchclient import response_parser
from orchclient import stack_lookup
from orchclient import transport
from orchclient.values import plans as values

Json = response_parser.Json


Absent = response_parser.Absent
ABSENT: typing.Final = response_parser.ABSENT
"""What :class:`PropertyChange` has where there is no value."""
PropertyChange = values.PropertyChange
Change = values.Change
Plan = values.Plan
SavedPlan = values.SavedPlan


class Plans:
    """Saved plans of the service, and previews that are not saved."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def preview(
        self,
        stack: models.Which,
        source: packaging.Package | None = None,
        *,
        show_nested: bool = True,
        **request: typing.Unpack[request_bodies.UpdateRequest],
    ) -> Plan:
        """Preview an update; nothing is saved.

        :param source: as :meth:`orchclient.stacks.Stacks.update` takes it
        :param show_nested: include child stacks
        """
        found = stack_lookup.identify_stack(self._sender, stack)
        method, body = request_bodies.update_body(source, request)
        answer = self._sender.ask(
            method,
            f"{found.path}/preview",
            body,
            query={"show_nested": show_nested},
        )
        return Plan.of(response_parser.get_map(answer, "plan"))

    def create(
        self,
        stack: models.Which,
        action: str = "update",
        source: packaging.Package | None = None,
        *,
        snapshot_id: str | None = None,
        skip: collections.abc.Sequence[str] = (),
        orphan: collections.abc.Sequence[str] = (),
        replace: collections.abc.Sequence[str] = (),
        **request: typing.Unpack[request_bodies.UpdateRequest],
    ) -> Plan:
        """Create a saved plan of an action.

        :param action: ``update``, ``delete``, ``rollback``,
            ``cancel_update``, ``retry``, ``suspend``, ``resume``, ``check``,
            ``snapshot`` or ``restore``
        :param source: of an update; without it the stored one remains
        :param snapshot_id: of a restore
        :param skip: of a retry: resources that it leaves as they are
        :param orphan: of a retry: resources whose physical resource it forgets
        :param replace: of a retry: resources that it creates again
        :raises orchclient.errors.ConflictError: there would be no operation
        """
        found = stack_lookup.identify_stack(self._sender, stack)
        body: dict[str, object] = {"action": action}
        if action == "update":
            method, inputs = request_bodies.update_body(source, request)
            body.update(inputs)
            if method == "PATCH":
                body["existing"] = True
        else:
            body.update(request_bodies.request_body(request))
        body.update(request_bodies.without_absent(snapshot_id=snapshot_id))
        body.update(
            request_bodies.without_empty(
                skip=skip, orphan=orphan, replace=replace
            )
        )
        answer = self._sender.ask_once("POST", f"{found.path}/plans", body)
        return _saved_plan(response_parser.get_map(answer, "plan"), found)

    def list(self, stack: models.Which) -> tuple[SavedPlan, ...]:
        """Return the saved plans of a stack, without their changes."""
        found = stack_lookup.identify_stack(self._sender, stack)
        answer = self._sender.get(f"{found.path}/plans")
        return tuple(
            SavedPlan.of(each, found)
            for each in response_parser.get_maps(answer, "plans")
        )

    def show(self, stack: models.Which, plan_id: str) -> Plan:
        """Return a saved plan with its changes."""
        found = stack_lookup.identify_stack(self._sender, stack)
        answer = self._sender.get(_path(found, plan_id))
        return _saved_plan(response_parser.get_map(answer, "plan"), found)

    def delete(self, stack: models.Which, plan_id: str) -> None:
        """Delete a saved plan."""
        found = stack_lookup.identify_stack(self._sender, stack)
        self._sender.ask("DELETE", _path(found, plan_id))

    def apply(self, plan: Plan | SavedPlan) -> str:
        """Run a saved plan exactly as it is; return the operation's id.

        :raises orchclient.errors.ConflictError: anything has happened to the
            stack since, or the plan was run already
        """
        saved = plan.saved if isinstance(plan, Plan) else plan
        if saved is None:
            raise ValueError("a preview is not stored: create() a plan")
        answer = self._sender.ask_once(
            "POST", f"{_path(saved.stack, saved.id)}/apply"
        )
        return response_parser.required_text(
            response_parser.get_map(answer, "operation"), "id"
        )


def _saved_plan(body: Json, stack: models.StackIdentity) -> Plan:
    return Plan.of(body, SavedPlan.of(body, stack))


def _path(stack: models.StackIdentity, plan_id: str) -> str:
    return f"{stack.path}/plans/{transport.quote_part(plan_id)}"
