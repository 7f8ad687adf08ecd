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
from orch.engine.queries import outputs
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.model import resource
from orch.model import stack
from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values
from orch.template import template
from orch.template import world

Value = typing.TypeVar("Value")
Values = collections.abc.Mapping[str, object]


class LazyMapping(collections.abc.Mapping[str, Value]):
    """A read-only mapping whose values are built when they are read."""

    def __init__(
        self,
        names: collections.abc.Iterable[str],
        make: collections.abc.Callable[[str], Value],
    ) -> None:
        """Build no value yet."""
        self._names = dict.fromkeys(names)
        self._make = functools.cache(make)

    def __getitem__(self, name: str) -> Value:
        """Return one value."""
        if name not in self._names:
            raise KeyError(name)
        return self._make(name)

    def __iter__(self) -> collections.abc.Iterator[str]:
        """Go through the names."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._names)


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

    def redacted(self, value: object) -> object:
        """Return a value, redacted where it contains a sensitive value."""
        return self.redacts.value(world.visible_value(value))

    def frozen(self, values: Values) -> read_only_values.FrozenMapping:
        """Return a part of a stack, redacted when it is read."""
        return read_only_values.FrozenMapping(
            _LazyValues(lambda: typing.cast(Values, self.redacted(values)))
        )

    def properties(self, values: Values) -> read_only_values.FrozenMapping:
        """Return the properties of a resource, redacted when read."""

        def make(key: str) -> object:
            return self.redacts.part(
                values, key, world.visible_value(values[key])
            )

        return read_only_values.FrozenMapping(LazyMapping(values, make))


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
) -> lifecycle_operation.StackView:
    """Return the view of a stack as it is now.

    :param parsed_template: its template; ``None`` where that cannot be read
    :param path: of the stack in its tree
    """
    known = {
        row.name: row for row in rows if row.is_current and not row.is_gone
    }
    inner = _ChildViews(look, stack.id)

    def make(name: str) -> lifecycle_operation.ResourceView:
        row = known[name]
        return lifecycle_operation.ResourceView(
            name=name,
            path=tree_paths.below(path, name),
            type_name=row.type_name,
            properties=look.properties(row.properties),
            metadata=look.frozen(row.metadata),
            requires=tuple(row.requires),
            physical_id=row.physical_id,
            action=row.action.value,
            status=row.status.value,
            child_stack=inner.view(row, tree_paths.below(path, name)),
        )

    def read_outputs() -> Values:
        if parsed_template is None:
            return {}
        found = outputs.resolve_outputs(
            look.deps, look.ctxt, stack, parsed_template
        )
        return outputs.redact_outputs(found, look.redacts)

    return build_view(
        look,
        stack,
        parsed_template,
        path,
        LazyMapping(known, make),
        _LazyValues(read_outputs),
    )


def current_child_view(
    look: ViewSettings, row: resource.Resource, path: str
) -> lifecycle_operation.StackView | None:
    """Return the view of a resource's child stack as it is now."""
    return _ChildViews(look, row.stack_id).view(row, path)


class _ChildViews:
    """The child stacks of one stack, read together."""

    def __init__(self, look: ViewSettings, stack_id: ids.StackId) -> None:
        self._look = look
        self._stack_id = stack_id

    @functools.cached_property
    def _stacks(self) -> dict[str, stack.Stack]:
        """The child stacks by id."""
        found = self._look.deps.database.query(
            lambda connection: stacks.list_children(connection, self._stack_id)
        )
        return {each.id: each for each in found if each.deleted_at is None}

    def view(
        self, row: resource.Resource, path: str
    ) -> lifecycle_operation.StackView | None:
        """Return the child stack of a resource; ``None`` for none."""
        stack = self._stacks.get(row.id)
        if stack is None:
            return None
        stack_id = stack.id
        rows = self._look.deps.database.query(
            lambda connection: resources.list_(connection, stack_id)
        )
        parsed_template = find_template(self._look.deps, stack)
        return current_view(
            self._look.within(parsed_template),
            stack,
            rows,
            parsed_template,
            path,
        )


class _LazyValues(collections.abc.Mapping[str, object]):
    """Values that are made together, when the first is read."""

    def __init__(self, read: collections.abc.Callable[[], Values]) -> None:
        self._read = functools.cache(read)

    def __getitem__(self, name: str) -> object:
        return self._read()[name]

    def __iter__(self) -> collections.abc.Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())


def build_view(
    look: ViewSettings,
    stack: stack.Stack,
    parsed_template: template.Template | None,
    path: str,
    found: collections.abc.Mapping[str, lifecycle_operation.ResourceView],
    shown_outputs: Values,
) -> lifecycle_operation.StackView:
    """Return the view of a stack with these resources and outputs."""
    parameters = parsed_template.shown_parameters() if parsed_template else {}
    written: Values = parsed_template.raw if parsed_template else {}
    return lifecycle_operation.StackView(
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
        # The parent computes that of a child stack, with values in it.
        template=look.frozen(written)
        if path
        else read_only_values.FrozenMapping(written),
        outputs=read_only_values.FrozenMapping(shown_outputs),
        resources=found,
        timeout_mins=stack.timeout_s // 60 or None,
        has_rollback=not stack.disable_rollback,
    )
