"""What a move asks for, checked against what the two stacks are."""

import collections.abc
import dataclasses

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import stored
from orch.engine.operations import act
from orch.engine.operations import lookup
from orch.engine.operations import moving_rows
from orch.engine.operations import moving_templates
from orch.engine.operations import template_masks
from orch.engine.operations import update
from orch.model import resource
from orch.model import stack
from orch.model import states
from orch.rpc import contract
from orch.template import inputs as template_inputs
from orch.template import template


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """One of the two stacks.

    :ivar subject: as it was looked at
    :ivar given: what describes it once all has moved
    :ivar bound: the template of that
    :ivar rows: its resources as they were looked at
    """

    subject: stack.Stack
    given: template_inputs.Inputs
    bound: template.Template
    rows: tuple[resource.Resource, ...]

    @property
    def hashes(self) -> tuple[str, str]:
        """The content hashes of its template and its environment."""
        return stored.documents(self.given, self.bound.raw).hashes


@dataclasses.dataclass(frozen=True, slots=True)
class Move:
    """What moves.

    :ivar names: names in the source, to in the target
    :ivar moving: its rows as they are
    :ivar moved: the same rows, in the same order, as they are then
    """

    source: Side
    target: Side
    names: moving_rows.Names
    moving: tuple[resource.Resource, ...]
    moved: tuple[resource.Resource, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class _Found:
    """A stack with its rows and its template as they are."""

    subject: stack.Stack
    rows: tuple[resource.Resource, ...]
    bound: template.Template
    files: stored.Files


def read(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    wish: contract.MoveWish,
) -> Move:
    """Return what a move asks for.

    :raises moving_rows.CannotMove: something is in the way
    :raises orch.errors.OrchError: what an update of either stack is refused
        with
    """
    source, target = deps.database.query(
        lambda connection: (
            _look(deps, connection, lookup.get(connection, ctxt, stack_id)),
            _look(
                deps,
                connection,
                lookup.get_named(connection, ctxt, wish["target"]),
            ),
        )
    )
    _check_pair(source.subject, target.subject)
    names = wish["resources"]
    moving = moving_rows.choose(
        source.subject, target.subject, source.rows, target.rows, names
    )
    _check_types(deps, moving)
    source_template = wish["source_template"]
    if source_template is None:
        source_template = moving_templates.without(source.bound, names)
    target_template = wish["target_template"]
    if target_template is None:
        target_template = moving_templates.with_moved(
            source.bound,
            target.bound,
            moving,
            names,
            template_masks.of(deps, source.subject, None),
            deps.types,
        )
    files = _files(source, target, moving)
    left = _side(deps, ctxt, source, {"template": source_template})
    come = _side(
        deps, ctxt, target, {"template": target_template, "files": files}
    )
    _check_declared(left, come, moving, names)
    moved = moving_rows.moved(moving, names, target.subject, deps.clock.now())
    return Move(left, come, names, tuple(moving), tuple(moved))


def inner_of(
    connection: db_engine.Connection, wanted: Move
) -> list[stack.Stack]:
    """Return all stacks below what moves, at any depth; none that is gone."""
    below = {str(row.id) for row in wanted.moving}
    found = []
    tree = stacks.list_tree(connection, wanted.source.subject.root_id)
    live = [each for each in tree if each.deleted_at is None]
    for each in sorted(live, key=lambda one: (one.depth, one.id)):
        if each.id in below or each.parent_id in below:
            below.add(each.id)
            found.append(each)
    return found


def _look(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    subject: stack.Stack,
) -> _Found:
    """Return a stack, if resources may leave it or come to it.

    :raises orch.errors.OrchError: they may not
    """
    if subject.parent_id is not None:
        raise errors.NotSupported(
            f"Stack {subject.name} is held by another one, which declares"
            " what is in it: resources move between outermost stacks."
        )
    act.check_idle(connection, subject)
    if subject.status is not states.Status.COMPLETE:
        raise moving_rows.CannotMove(
            f"Stack {subject.name} is {subject.action}_{subject.status}:"
            " retry or update it first."
        )
    return _Found(
        subject,
        tuple(resources.list_(connection, subject.id)),
        deps.templates.load(connection, subject),
        stored.read_files(connection, subject),
    )


def _check_pair(source: stack.Stack, target: stack.Stack) -> None:
    """Return only if something may move from the one to the other.

    :raises orch.errors.Invalid: they are the same
    :raises orch.errors.NotSupported: they are of two projects
    """
    if source.id == target.id:
        raise errors.Invalid(
            f"Stack {source.name} is source and target; name another target."
        )
    if source.project_id != target.project_id:
        raise errors.NotSupported(
            "The two stacks are of different projects: abandon and adopt."
        )


def _check_types(
    deps: dependencies.Dependencies,
    rows: collections.abc.Iterable[resource.Resource],
) -> None:
    """Return only if nothing outside knows a resource by its stack.

    :raises moving_rows.CannotMove: signals come to one
    """
    for row in rows:
        plugin = deps.types.find(row.plugin_type)
        if plugin is not None and plugin.takes_signals:
            raise moving_rows.CannotMove(
                f"Resource {row.name} takes signals, at an address that"
                " names its stack: it cannot move."
            )


def _files(
    source: _Found,
    target: _Found,
    rows: collections.abc.Iterable[resource.Resource],
) -> dict[str, str]:
    """Return the files that inner stacks may need in the target.

    :raises moving_rows.CannotMove: the target has others of the same name
    """
    if not any(source.bound.holds_stack(row.name) for row in rows):
        return {}
    for name, text in source.files.items():
        if target.files.get(name, text) != text:
            raise moving_rows.CannotMove(
                f"The file {name} is another one in the target; update one of"
                " the stacks to name it otherwise."
            )
    return dict(source.files)


def _side(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    found: _Found,
    inputs: contract.StackInputs,
) -> Side:
    """Return what a stack is then.

    :raises orch.errors.OrchError: it cannot be that
    """
    wanted = update.wish_of(
        deps, ctxt, found.subject.id, inputs, {"existing": True}
    )
    return Side(found.subject, wanted.given, wanted.bound, found.rows)


def _check_declared(
    source: Side,
    target: Side,
    rows: collections.abc.Iterable[resource.Resource],
    names: moving_rows.Names,
) -> None:
    """Return only if what moves is declared there, and there alone.

    :raises moving_rows.CannotMove: it is not
    """
    for row in rows:
        name = names[row.name]
        if row.name in source.bound.resources:
            raise moving_rows.CannotMove(
                f"The source_template declares {row.name} still."
            )
        if source.bound.refers_to(row.name):
            raise moving_rows.CannotMove(
                f"An output of the source reads {row.name}, which would go;"
                " give a source_template in which it does not."
            )
        declared = target.bound.resources.get(name)
        if declared is None:
            raise moving_rows.CannotMove(
                f"The target_template does not declare {name}."
            )
        if declared.type_name != row.plugin_type:
            raise moving_rows.CannotMove(
                f"Resource {name} is of type {declared.type_name} in the"
                f" target, and {row.name} is of type {row.plugin_type}."
            )
        if declared.external_id != row.external_id:
            raise moving_rows.CannotMove(
                f"Resource {name} has another external_id in the target."
            )
