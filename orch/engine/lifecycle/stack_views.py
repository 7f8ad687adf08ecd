"""Stacks as lifecycle plug-ins see them: read-only, redacted, built lazily."""

import collections.abc
import dataclasses
import functools
import typing

from orch import errors
from orch import ids
from orch.context import request
from orch.db import errors as db_errors
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import tree_paths
from orch.engine.plan_tree import nested
from orch.engine.queries import outputs
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.model import resource
from orch.model import stack
from orch.planner import plan
from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values
from orch.template import template
from orch.template import world

Value = typing.TypeVar("Value")
Values = collections.abc.Mapping[str, object]
StackView = lifecycle_operation.StackView


class LazyMapping(collections.abc.Mapping[str, Value]):
    """A read-only mapping whose names and values are built when read."""

    def __init__(
        self,
        list_names: collections.abc.Callable[
            [], collections.abc.Iterable[str]
        ],
        make: collections.abc.Callable[[str], Value],
    ) -> None:
        """Build no value yet."""
        self._names = functools.cache(lambda: dict.fromkeys(list_names()))
        self._make = functools.cache(make)

    def __getitem__(self, name: str) -> Value:
        """Return one value."""
        if name not in self._names():
            raise KeyError(name)
        return self._make(name)

    def __iter__(self) -> collections.abc.Iterator[str]:
        """Go through the names."""
        return iter(self._names())

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._names())


def _read_once(
    read: collections.abc.Callable[[], Values],
) -> LazyMapping[object]:
    """Return values that are built together, when the first is read."""
    found = functools.cache(read)
    return LazyMapping(found, lambda name: found()[name])


@dataclasses.dataclass(frozen=True, slots=True)
class ViewSettings:
    """The caller that a view is built for, and what is redacted in it."""

    deps: dependencies.Dependencies
    ctxt: request.RequestContext
    redacts: redaction.Redaction

    def within(
        self, parsed_template: template.Template | None
    ) -> "ViewSettings":
        """Return the settings for a child stack."""
        if parsed_template is None:
            return self
        texts = tree_secrets.of_parameters(parsed_template)
        return dataclasses.replace(self, redacts=self.redacts.extended(texts))

    def frozen(self, values: Values) -> read_only_values.FrozenMapping:
        """Return a part of a stack, redacted when it is read."""

        def read() -> Values:
            found = self.redacts.value(world.visible_value(values))
            if isinstance(found, collections.abc.Mapping):
                return found
            # It is redacted as a whole where the template is gone.
            return dict.fromkeys(values, found)

        return read_only_values.FrozenMapping(_read_once(read))

    def template(
        self, parsed_template: template.Template
    ) -> read_only_values.FrozenMapping:
        """Return the template of a child stack, redacted when it is read.

        The parent computes it, with values in it.
        """
        if self.redacts.is_blind:
            return self.frozen(parsed_template.raw)
        return read_only_values.FrozenMapping(
            _read_once(lambda: self.redacts.template(parsed_template))
        )

    def properties(self, values: Values) -> read_only_values.FrozenMapping:
        """Return the properties of a resource, redacted when read."""
        return read_only_values.FrozenMapping(
            LazyMapping(
                values.keys,
                lambda key: self.redacts.part(
                    values, key, world.visible_value(values[key])
                ),
            )
        )


def find_template(
    deps: dependencies.Dependencies, stack: stack.Stack
) -> template.Template | None:
    """Return the template of a stack; ``None`` where it cannot be read."""
    try:
        return deps.database.query(
            lambda connection: deps.templates.find(connection, stack)
        )
    except db_errors.DatabaseDown:
        raise
    except errors.OrchError:
        return None


def current_view(
    look: ViewSettings,
    stack: stack.Stack,
    rows: collections.abc.Iterable[resource.Resource],
    parsed_template: template.Template | None,
    path: str,
) -> StackView:
    """Return the view of a stack as it is now.

    :param parsed_template: its template; ``None`` where that cannot be read
    :param path: of the stack in its tree
    """
    known = {
        row.name: row for row in rows if row.is_current and not row.is_gone
    }
    child_of = _child_views(look, stack.id)

    def make(name: str) -> lifecycle_operation.ResourceView:
        row, below = known[name], tree_paths.below(path, name)
        return lifecycle_operation.ResourceView(
            name=name,
            path=below,
            type_name=row.type_name,
            properties=look.properties(row.properties),
            metadata=look.frozen(row.metadata),
            requires=tuple(row.requires),
            physical_id=row.physical_id,
            action=row.action.value,
            status=row.status.value,
            child_stack=child_of(row, below),
        )

    def read_outputs() -> Values:
        if parsed_template is None:
            return {}
        found = outputs.resolve_outputs(
            look.deps, look.ctxt, stack, parsed_template
        )
        return outputs.redact_outputs(found, look.redacts)

    return _view(
        look,
        stack,
        parsed_template,
        path,
        LazyMapping(known.keys, make),
        _read_once(read_outputs),
    )


def _child_views(
    look: ViewSettings, stack_id: ids.StackId
) -> collections.abc.Callable[[resource.Resource, str], StackView | None]:
    """Return what shows the child stack of a resource as it is now.

    All child stacks of the stack are read together.
    """

    @functools.cache
    def read() -> dict[str, stack.Stack]:
        found = look.deps.database.query(
            lambda connection: stacks.list_children(connection, stack_id)
        )
        return {each.id: each for each in found if each.deleted_at is None}

    def show(row: resource.Resource, path: str) -> StackView | None:
        stack = read().get(row.id)
        if stack is None:
            return None
        rows = look.deps.database.query(
            functools.partial(resources.list_, stack_id=stack.id)
        )
        parsed_template = find_template(look.deps, stack)
        within = look.within(parsed_template)
        return current_view(within, stack, rows, parsed_template, path)

    return show


def desired_view(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    found: nested.PlannedStack | None,
    path: str,
) -> StackView | None:
    """Return a stack as its plan will leave it.

    A resource is shown as its row, if it is not replaced, with the desired
    properties.

    :param path: of the stack in its tree
    :returns: ``None`` where it is deleted, or not known
    """
    if found is None or found.loaded.parsed_template is None:
        return None
    parsed_template, planned = found.loaded.parsed_template, found.planned
    look = ViewSettings(deps, ctxt, found.redacts)
    rows = {row.name: row for row in found.loaded.rows if row.is_current}
    changes = {
        each.name: each
        for each in planned.changes
        if found.children.is_bringing(each)
    }

    def make(name: str) -> lifecycle_operation.ResourceView:
        declared = parsed_template.resources[name]
        change, row = changes.get(name), rows.get(name)
        below = tree_paths.below(path, name)
        child = _desired_child(look, found, change, row, below)
        difference = planned.differences.get(name)
        if difference is not None:
            properties = difference.after or {}
        else:
            properties = {} if row is None else row.properties
        is_replaced = change is not None and change.replaces is not None
        if is_replaced or (row is not None and row.is_gone):
            row = None
        return lifecycle_operation.ResourceView(
            name=name,
            path=below,
            type_name=declared.declared_type,
            properties=look.properties(properties),
            metadata=look.frozen(_desired_metadata(parsed_template, name)),
            requires=tuple(declared.requires),
            physical_id=row.physical_id if row else None,
            action=row.action.value if row else "",
            status=row.status.value if row else "",
            child_stack=child,
        )

    return _view(
        look,
        found.loaded.stack,
        parsed_template,
        path,
        LazyMapping(parsed_template.resources.keys, make),
        {},
    )


def _desired_metadata(parsed_template: template.Template, name: str) -> Values:
    try:
        return parsed_template.resolve_metadata(name, world.EmptyWorld())
    except world.NotYetKnown:
        return {}


def _desired_child(
    look: ViewSettings,
    found: nested.PlannedStack,
    change: plan.Change | None,
    row: resource.Resource | None,
    path: str,
) -> StackView | None:
    """Return the planned child stack of a resource, if it is known."""
    if change is None and row is not None:
        return _child_views(look, row.stack_id)(row, path)
    try:
        child = found.children.find(change) if change else None
    except errors.OrchError:
        return None
    return desired_view(look.deps, look.ctxt, child, path)


def graft(
    around: StackView | None,
    path: collections.abc.Sequence[str],
    child: StackView | None,
) -> StackView | None:
    """Return a stack with another view of the child stack at a path."""
    if not path:
        return child
    if around is None:
        return None
    resources = around.resources

    def make(name: str) -> lifecycle_operation.ResourceView:
        found = resources[name]
        if name != path[0]:
            return found
        below = graft(found.child_stack, path[1:], child)
        return dataclasses.replace(found, child_stack=below)

    return dataclasses.replace(
        around, resources=LazyMapping(resources.keys, make)
    )


def _view(
    look: ViewSettings,
    stack: stack.Stack,
    parsed_template: template.Template | None,
    path: str,
    found: collections.abc.Mapping[str, lifecycle_operation.ResourceView],
    shown_outputs: Values,
) -> StackView:
    """Return the view of a stack with these resources and outputs."""
    parameters = parsed_template.shown_parameters() if parsed_template else {}
    return StackView(
        id=stack.id,
        root_id=stack.root_id,
        name=stack.name,
        project_id=stack.project_id,
        path=path,
        description=str(parsed_template.description)
        if parsed_template
        else stack.description,
        action=stack.action.value,
        status=stack.status.value,
        status_reason=stack.status_reason,
        tags=stack.tags,
        parameters=look.frozen(parameters),
        template=look.template(parsed_template)
        if path and parsed_template
        else read_only_values.FrozenMapping(
            parsed_template.raw if parsed_template else {}
        ),
        outputs=read_only_values.FrozenMapping(shown_outputs),
        resources=found,
        timeout_mins=stack.timeout_s // 60 or None,
        has_rollback=not stack.disable_rollback,
    )
