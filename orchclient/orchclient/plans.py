"""Plans of operations: previews, and saved plans to run."""

import collections
import collections.abc
import dataclasses
import typing

from orchclient import models
from orchclient import packaging
from orchclient import request_bodies
from orchclient import response_parser
from orchclient import stack_lookup
from orchclient import transport
from orchclient import verdicts as plugin_verdicts

Json = response_parser.Json


class Absent:
    """Marks a value that is absent."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: typing.Final = Absent()
"""What :class:`PropertyChange` has where nothing stands, or will."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PropertyChange:
    """The planned change of a property.

    :ivar old: :data:`ABSENT` where there is no value yet
    :ivar new: :data:`ABSENT` where there will be none; what only the run makes
        known is ``{"known_later": True}``, at any depth
    :ivar needs_replacement: it cannot be changed in place
    """

    old: object = ABSENT
    new: object = ABSENT
    needs_replacement: bool = False

    @classmethod
    def of(cls, body: Json) -> "PropertyChange":
        """Return the change that a body describes."""
        return cls(
            old=body.get("old", ABSENT),
            new=body.get("new", ABSENT),
            needs_replacement=response_parser.get_boolean(
                body, "needs_replacement"
            ),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of a plan.

    :ivar kind: ``create``, ``adopt``, ``update``, ``delete``, ``retain``, …
    :ivar physical_id: of what it changes; empty where nothing exists yet
    :ivar replaces: physical id of the resource that it replaces
    :ivar after: keys of the changes that must be complete before
    :ivar is_certain: false when only the run can tell whether to do it
    :ivar child_plan: the plan of the child stack that the resource is
    """

    key: str
    kind: str
    name: str
    type: str
    physical_id: str = ""
    replaces: str | None = None
    reason: str = ""
    after: tuple[str, ...] = ()
    is_certain: bool = True
    properties: collections.abc.Mapping[str, PropertyChange] = (
        dataclasses.field(default_factory=dict)
    )
    child_plan: "Plan | None" = None

    @classmethod
    def of(cls, body: Json) -> "Change":
        """Return the change that a body describes."""
        properties = response_parser.find_map(body, "properties")
        child_plan = body.get("child_plan")
        return cls(
            key=response_parser.required_text(body, "key"),
            kind=response_parser.required_text(body, "kind"),
            name=response_parser.get_text(body, "resource_name"),
            type=response_parser.get_text(body, "resource_type"),
            physical_id=response_parser.get_text(body, "physical_resource_id"),
            replaces=response_parser.find_text(body, "replaces"),
            reason=response_parser.get_text(body, "reason"),
            after=response_parser.get_texts(body, "after"),
            is_certain=body.get("is_certain") is not False,
            properties={
                name: PropertyChange.of(response_parser.read_map(each))
                for name, each in properties.items()
            },
            child_plan=None
            if child_plan is None
            else Plan.of(response_parser.read_map(child_plan)),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The ordered changes of an operation.

    :ivar text: the same for users, a line a change
    :ivar unchanged: names of resources that do not change
    :ivar returns: names of those that get an earlier physical resource back
    :ivar warnings: which physical resources could not be read, so that their
        stored properties counted
    :ivar saved: facts of a saved plan; ``None`` for a preview
    :ivar verdicts: of the lifecycle plug-ins that support previews
    """

    action: str
    changes: tuple[Change, ...] = ()
    text: str = ""
    unchanged: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    orphans: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    saved: "SavedPlan | None" = None
    verdicts: tuple[plugin_verdicts.Verdict, ...] = ()

    @classmethod
    def of(cls, body: Json, saved: "SavedPlan | None" = None) -> "Plan":
        """Return the plan that a body describes."""
        return cls(
            action=response_parser.required_text(body, "action"),
            changes=tuple(
                map(Change.of, response_parser.get_maps(body, "changes"))
            ),
            text=response_parser.get_text(body, "text"),
            unchanged=response_parser.get_texts(body, "unchanged"),
            returns=response_parser.get_texts(body, "returns"),
            skipped=response_parser.get_texts(body, "skipped"),
            orphans=response_parser.get_texts(body, "orphans"),
            warnings=response_parser.get_texts(body, "warnings"),
            saved=saved,
            verdicts=plugin_verdicts.read_verdicts(body),
        )

    @property
    def is_empty(self) -> bool:
        """Whether the plan changes no resource."""
        return not any(each.name for each in self.changes)

    def all_warnings(self) -> tuple[str, ...]:
        """Return the warnings of the plan and of its child plans."""
        children = (
            each.child_plan for each in self.changes if each.child_plan
        )
        return (
            *self.warnings,
            *(warning for plan in children for warning in plan.all_warnings()),
        )

    def counts(self) -> dict[str, int]:
        """Count the changes of each kind, those of child plans included.

        What replaces another physical resource counts as ``replace``; what is
        of no resource does not count.
        """
        found: collections.Counter[str] = collections.Counter()
        for each in self.changes:
            if each.name:
                found["replace" if each.replaces else each.kind] += 1
            if each.child_plan is not None:
                found.update(each.child_plan.counts())
        return dict(found)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SavedPlan:
    """The facts of a plan that the service stores.

    :ivar request: the requested action, such as ``update``
    :ivar basis: the state of the stack that the plan was made for
    :ivar is_current: the stack is still in that state
    :ivar operation_id: the operation that has run it
    """

    id: str
    stack: models.StackIdentity
    request: str
    basis: str
    is_current: bool
    created_at: models.Moment
    requested_by: str | None = None
    operation_id: str | None = None

    @classmethod
    def of(cls, body: Json, stack: models.StackIdentity) -> "SavedPlan":
        """Return the facts that a body describes."""
        return cls(
            id=response_parser.required_text(body, "id"),
            stack=stack,
            request=response_parser.get_text(body, "request"),
            basis=response_parser.get_text(body, "basis"),
            is_current=response_parser.get_boolean(body, "is_current"),
            created_at=response_parser.required_time(body, "created_at"),
            requested_by=response_parser.find_text(body, "requested_by"),
            operation_id=response_parser.find_text(body, "operation_id"),
        )


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
        body.update(request_bodies.without_empty(skip=skip, orphan=orphan))
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
