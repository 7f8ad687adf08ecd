"""Claims to physical resources: each is one resource of the installation.

They are checked when a request is accepted, in the transaction that stores
the rows. What the resources of other projects own is left to the run, which
tells it to those only who can see the physical resource
(:mod:`orch.flow.state.claims`).
"""

import collections.abc
import dataclasses
import functools

from orch import errors
from orch import ids
from orch import redacted
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import ownership
from orch.db.repositories import stacks
from orch.engine import tree_paths
from orch.flow.state import claims as run_claims
from orch.flow.state import id_scopes
from orch.flow.state import takeover
from orch.model import adoption
from orch.model import operation as operation_model
from orch.model import resource
from orch.model import stack as stack_model
from orch.plugin import id_scopes as plugin_scopes
from orch.plugin import registry
from orch.template import template
from orch.template import world

Rows = collections.abc.Sequence[resource.Resource]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Claimant:
    """The stack that is to own physical resources.

    :ivar root_id: the root of its tree
    :ivar allows_owned: it may take what other stacks of its project own
    :ivar sources: the roots from whose trees it may; ``None`` for all
    """

    operation: operation_model.Operation
    project_id: str
    root_id: ids.StackId
    parsed_template: template.Template
    types: registry.Types
    allows_owned: bool
    sources: frozenset[str] | None

    def may_take(self, owner: ownership.Owner) -> bool:
        """Whether it may take what a stack of its project owns."""
        is_source = self.sources is None or owner.root_id in self.sources
        return self.allows_owned and is_source


def claimant_of(
    connection: db_engine.Connection,
    operation: operation_model.Operation,
    parsed_template: template.Template,
    types: registry.Types,
    *,
    parent: stack_model.Stack | None = None,
) -> Claimant:
    """Return the claimant whose operation adopts physical resources.

    :param parent: of a child stack that is stored after them
    """
    sources = operation.options.get(adoption.SOURCES)
    stack = parent or stacks.find(connection, operation.stack_id)
    root = None if stack is None else stacks.get(connection, stack.root_id)
    return Claimant(
        operation=operation,
        # A caller may have the right to change what another project has.
        project_id=operation.project_id if root is None else root.project_id,
        root_id=operation.stack_id if root is None else root.id,
        parsed_template=parsed_template,
        types=types,
        allows_owned=bool(operation.options.get(adoption.OWNED)),
        sources=frozenset(sources) if isinstance(sources, dict) else None,
    )


def claim(
    connection: db_engine.Connection, claimant: Claimant, rows: Rows
) -> list[resource.Resource]:
    """Return the rows with the scopes of their ids, once they may be stored.

    What the claimant takes from other stacks is theirs until its adoption
    starts.

    :raises orch.flow.state.claims.SamePhysicalResource: two resources of a
        tree would be the same physical resource
    :raises orch.flow.state.claims.AlreadyOwned: another stack of the project
        owns one, and does not lose it
    """
    ownership.decide_alone(connection)
    _check_tokens(connection, rows)
    scoped = [_with_scope(claimant, row) for row in rows]
    claimed = _by_key(scoped)
    found = run_claims.find_owners(connection, claimant.types, claimed)
    mine = {row.id for row in scoped}
    problems: list[errors.Problem] = []
    sources: dict[ids.ResourceId, ids.StackId] = {}
    is_busy = functools.cache(
        lambda stack_id: takeover.is_busy(
            connection, stacks.get(connection, stack_id)
        )
    )
    for key, owners in found.items():
        row = claimed[key]
        for owner in owners:
            if owner.root_id == claimant.root_id:
                if owner.resource_id not in mine:
                    _check_tree(connection, row, key, owner)
            elif (
                owner.project_id == claimant.project_id
                # Else the run knows the scope, and checks it.
                and key.id_scope is not None
            ):
                has_work = claimant.may_take(owner) and is_busy(owner.stack_id)
                if claimant.may_take(owner) and not has_work:
                    sources[row.id] = owner.stack_id
                else:
                    problems.append(
                        _problem_of(connection, row, owner, has_work=has_work)
                    )
    if problems:
        raise run_claims.already_owned(problems)
    return [
        dataclasses.replace(row, taken_from=sources.get(row.id))
        for row in scoped
    ]


def check_free(
    connection: db_engine.Connection,
    types: registry.Types,
    stack: stack_model.Stack,
    row: resource.Resource,
    *,
    is_seen: bool,
) -> resource.Resource:
    """Return a row with the scope of its id, once no other resource owns it.

    No stack adopts it until the transaction ends.

    :param is_seen: the physical resource was read for the caller, who may know
        then that another project owns it
    :raises orch.flow.state.claims.AlreadyOwned: another resource owns it
    """
    ownership.decide_alone(connection)
    account = plugin_scopes.Account(stack.project_id, stack.user_id)
    scoped = id_scopes.with_scope(types, account, row)
    key = run_claims.key_of(scoped)
    for owner in run_claims.find_owners(connection, types, [key]).get(key, ()):
        if owner.resource_id == row.id:
            continue
        if owner.project_id == stack.project_id:
            former = stacks.get(connection, owner.stack_id)
            raise run_claims.AlreadyOwned(
                f"{row.physical_id} ({row.plugin_type}) belongs to resource"
                f" {owner.name} of stack {former.name}."
            )
        if is_seen and run_claims.is_foreign(stack, owner):
            raise run_claims.foreign(key.physical_id)
    return scoped


def _check_tokens(
    connection: db_engine.Connection,
    rows: collections.abc.Iterable[resource.Resource],
) -> None:
    """Raise AlreadyOwned if the outcome of a creation is another stack's.

    Both would make what is found theirs.

    :raises orch.flow.state.claims.AlreadyOwned: it is, or the stack is still
        being abandoned
    """
    wanted = {row.id: row for row in rows if row.is_outcome_unknown}
    problems = [
        errors.Problem(
            f"the unknown outcome of the creation of {wanted[each].name}"
            " belongs to another stack",
            f"resources.{wanted[each].name}",
        )
        for each in sorted(ownership.find_tokens(connection, wanted))
    ]
    if problems:
        listed = redacted.cut(
            "; ".join(each.message for each in problems), 500
        )
        raise run_claims.AlreadyOwned(
            f"Two stacks would wait for the same creation: {listed}."
            " Abandon the other stack, or wait until it is abandoned.",
            problems,
        )


def scope_of(
    claimant: Claimant,
    type_name: str,
    properties: collections.abc.Mapping[str, object],
) -> str | None:
    """Return the scope of an id that a claimant's resource would have."""
    account = id_scopes.account_of(
        claimant.project_id,
        request.RequestContext.from_stored(claimant.operation.context),
    )
    plugin = claimant.types.find(type_name)
    return id_scopes.find_scope(plugin, account, properties)


def check_document(
    types: registry.Types,
    entries: collections.abc.Mapping[str, adoption.Entry],
) -> None:
    """Refuse a document that gives two resources of its tree one id.

    As far as the document alone shows it: of types whose ids are unique as
    they are, and that it names.

    :raises orch.flow.state.claims.SamePhysicalResource: it does
    """
    places: dict[ownership.PhysicalKey, str] = {}
    for place, entry in _entries_below("", entries):
        plugin = types.find(entry.type_name) if entry.type_name else None
        if plugin is None or not id_scopes.names_everywhere(plugin):
            continue
        key = ownership.PhysicalKey(
            entry.type_name, entry.physical_id or "", plugin_scopes.EVERYWHERE
        )
        other = places.setdefault(key, place)
        if other != place:
            raise run_claims.same_physical_resource(key, place, other)


def keys_of_documents(
    types: registry.Types,
    documents: collections.abc.Iterable[adoption.Values],
) -> set[ownership.PhysicalKey]:
    """Return what child stacks may claim, as far as documents show it.

    A type or a scope that only their templates tell may be any.
    """
    keys = set()
    for document in documents:
        entries = adoption.parse_document(
            document, needs_template=False
        ).entries
        for _, entry in _entries_below("", entries):
            plugin = types.find(entry.type_name) if entry.type_name else None
            is_everywhere = plugin and id_scopes.names_everywhere(plugin)
            keys.add(
                ownership.PhysicalKey(
                    entry.type_name,
                    entry.physical_id or "",
                    plugin_scopes.EVERYWHERE if is_everywhere else None,
                )
            )
    return keys


def _entries_below(
    path: str, entries: collections.abc.Mapping[str, adoption.Entry]
) -> collections.abc.Iterator[tuple[str, adoption.Entry]]:
    """Yield the entries with ids that are no stacks, with their paths."""
    for name, entry in entries.items():
        place = tree_paths.below(path, name)
        if entry.document is not None:
            below = adoption.parse_document(
                entry.document, needs_template=False
            )
            yield from _entries_below(place, below.entries)
        elif entry.physical_id is not None:
            yield place, entry


def _with_scope(
    claimant: Claimant, row: resource.Resource
) -> resource.Resource:
    """Return a row with the scope of its id, as far as that is known."""
    plugin = claimant.types.find(row.plugin_type)
    known: dict[str, object] = {}
    if not id_scopes.names_everywhere(plugin):
        known = _known_properties(claimant.parsed_template, row.name)
    scope = scope_of(claimant, row.plugin_type, known)
    return dataclasses.replace(row, id_scope=scope)


def _known_properties(
    parsed_template: template.Template, name: str
) -> dict[str, object]:
    """Return the properties that need no other resource."""
    try:
        values = parsed_template.resolve_properties(
            name, world.EmptyWorld(), marks_unknown=True
        )
    except errors.OrchError:
        return {}
    return {
        key: value
        for key, value in values.items()
        if not world.has_unknown(value)
    }


def _by_key(rows: Rows) -> dict[ownership.PhysicalKey, resource.Resource]:
    """Return the rows by what they claim.

    :raises orch.flow.state.claims.SamePhysicalResource: two claim the same
    """
    claimed: dict[ownership.PhysicalKey, resource.Resource] = {}
    for row in rows:
        if row.physical_id is None:
            continue
        key = run_claims.key_of(row)
        other = claimed.setdefault(key, row)
        if other is not row and key.id_scope is not None:
            raise run_claims.same_physical_resource(key, row.name, other.name)
    return claimed


def _check_tree(
    connection: db_engine.Connection,
    row: resource.Resource,
    key: ownership.PhysicalKey,
    owner: ownership.Owner,
) -> None:
    """Refuse what another resource of the tree owns.

    Where a scope is not known yet, the run checks it.

    :raises orch.flow.state.claims.SamePhysicalResource: it does
    """
    if None in (key.id_scope, owner.id_scope):
        return
    place = tree_paths.below(
        tree_paths.path_of(connection, stacks.get(connection, owner.stack_id)),
        owner.name,
    )
    raise run_claims.same_physical_resource(key, row.name, place)


def _problem_of(
    connection: db_engine.Connection,
    row: resource.Resource,
    owner: ownership.Owner,
    *,
    has_work: bool,
) -> errors.Problem:
    """Return why a physical resource cannot be taken from its owner.

    :param has_work: an operation of the owner is in progress
    """
    former = stacks.get(connection, owner.stack_id)
    root = stacks.get(connection, owner.root_id)
    place = tree_paths.below(
        tree_paths.path_of(connection, former), owner.name
    )
    message = (
        f"{row.physical_id} ({row.plugin_type}) belongs to resource {place} of"
        f" stack {root.name}"
    )
    if has_work:
        message += ", which has an operation in progress"
    return errors.Problem(message, f"resources.{row.name}")
