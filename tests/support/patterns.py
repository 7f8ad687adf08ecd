"""Patterns for tests of lifecycle plug-ins, made of few words."""

import collections.abc
import dataclasses

from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values

NOTHING: collections.abc.Mapping[str, object] = {}


def resource(
    name: str,
    type_name: str = "OS::Nova::Server",
    properties: collections.abc.Mapping[str, object] = NOTHING,
    *,
    requires: tuple[str, ...] = (),
    physical_id: str | None = None,
    child_stack: lifecycle_operation.StackView | None = None,
) -> lifecycle_operation.ResourceView:
    """Return a resource of a root; :func:`stack` mends paths of inner ones."""
    return lifecycle_operation.ResourceView(
        name=name,
        path=name,
        type_name=type_name,
        properties=read_only_values.FrozenMapping(properties),
        metadata=read_only_values.FrozenMapping({}),
        requires=requires,
        physical_id=physical_id,
        child_stack=child_stack and _below(child_stack, name),
    )


def stack(
    *resources: lifecycle_operation.ResourceView,
    name: str = "app",
    stack_id: str = "stack-1",
    tags: tuple[str, ...] = (),
    template: collections.abc.Mapping[str, object] | None = None,
    parameters: collections.abc.Mapping[str, object] = NOTHING,
    outputs: collections.abc.Mapping[str, object] = NOTHING,
) -> lifecycle_operation.StackView:
    """Return a stack of these resources."""
    written: collections.abc.Mapping[str, object] = {
        "heat_template_version": "2021-04-16",
        "resources": {
            each.name: {
                "type": each.type_name,
                "properties": dict(each.properties),
            }
            for each in resources
        },
    }
    return lifecycle_operation.StackView(
        id=stack_id,
        root_id=stack_id,
        name=name,
        project_id="project-1",
        tags=tags,
        parameters=read_only_values.FrozenMapping(parameters),
        template=read_only_values.FrozenMapping(template or written),
        outputs=read_only_values.FrozenMapping(outputs),
        resources={each.name: each for each in resources},
    )


def _below(
    view: lifecycle_operation.StackView, path: str
) -> lifecycle_operation.StackView:
    """Return a stack as it is within the resource of that path."""
    return dataclasses.replace(
        view,
        path=path,
        resources={
            name: dataclasses.replace(
                each,
                path=f"{path}/{name}",
                child_stack=each.child_stack
                and _below(each.child_stack, f"{path}/{name}"),
            )
            for name, each in view.resources.items()
        },
    )


@dataclasses.dataclass(kw_only=True)
class Source:
    """What a pattern shows, said beforehand."""

    is_before: lifecycle_operation.StackView | None = None
    is_after: lifecycle_operation.StackView | None = None
    is_planned: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    decided: dict[str, dict[str, object]] = dataclasses.field(
        default_factory=dict
    )
    elsewhere: tuple[lifecycle_operation.StoredDecision, ...] = ()
    reads: list[str] = dataclasses.field(default_factory=list)

    def before(self) -> lifecycle_operation.StackView | None:
        """Return the stack as it stands."""
        self.reads.append("before")
        return self.is_before

    def after(self) -> lifecycle_operation.StackView | None:
        """Return the stack as it is to stand."""
        self.reads.append("after")
        return self.is_after

    def plan(self) -> collections.abc.Mapping[str, object]:
        """Return what will change."""
        self.reads.append("plan")
        return self.is_planned

    def decisions(
        self,
    ) -> collections.abc.Mapping[str, collections.abc.Mapping[str, object]]:
        """Return what is kept beside the tree."""
        self.reads.append("decisions")
        return self.decided

    def decisions_elsewhere(
        self, plugin: str
    ) -> tuple[lifecycle_operation.StoredDecision, ...]:
        """Return what is kept beside other trees."""
        self.reads.append(f"elsewhere {plugin}")
        return self.elsewhere


def make_operation(
    after: lifecycle_operation.StackView | None = None,
    verb: str = "create",
    *,
    before: lifecycle_operation.StackView | None = None,
    request: lifecycle_operation.OperationRequest | None = None,
    decided: dict[str, dict[str, object]] | None = None,
    elsewhere: tuple[lifecycle_operation.StoredDecision, ...] = (),
    plan: collections.abc.Mapping[str, object] = NOTHING,
) -> lifecycle_operation.LifecycleOperation:
    """Return the pattern of an operation."""
    return lifecycle_operation.LifecycleOperation(
        request or asking(verb),
        Source(
            is_before=before,
            is_after=after,
            is_planned=plan,
            decided=decided or {},
            elsewhere=elsewhere,
        ),
    )


def asking(
    verb: str = "create", **more: object
) -> lifecycle_operation.OperationRequest:
    """Return what was asked for, by a member of a project."""
    values: dict[str, object] = {
        "operation_id": "operation-1",
        "action": verb.upper(),
        "verb": verb,
        "project_id": "project-1",
        "user_id": "user-1",
        "user_name": "ann",
        "roles": ("member",),
        "request_id": "req-1",
        **more,
    }
    return lifecycle_operation.OperationRequest(**values)  # type: ignore[arg-type]
