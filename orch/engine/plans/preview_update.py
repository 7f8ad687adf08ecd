"""Preview the changes of an update; nothing is stored."""

import collections.abc
import dataclasses
import itertools
import typing

from orch.context import request
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine import external_ids
from orch.engine.acceptance import dry_run
from orch.engine.acceptance import operation_factory
from orch.engine.acceptance import permissions
from orch.engine.execution import planning
from orch.engine.plan_tree import nested
from orch.engine.plans import placeholders
from orch.engine.plans import verdicts
from orch.engine.queries import lookup
from orch.engine.resources import facts
from orch.engine.secrets import redaction
from orch.engine.secrets import tree_secrets
from orch.engine.stacks import update
from orch.flow.state import restoration
from orch.model import marked
from orch.model import operation
from orch.model import resource
from orch.model import states
from orch.planner import plan
from orch.plugin import sensitivity
from orch.rpc import contract
from orch.template import template

_UNCHANGED = "unchanged"
_UPDATED = "updated"
_REPLACED = "replaced"
_ADDED = "added"
_DELETED = "deleted"
_EXISTING = frozenset({_UPDATED, _DELETED})
"""Kinds whose resources are shown as they are now, as Heat does."""

_ORDER = (_UNCHANGED, _UPDATED, _REPLACED, _ADDED, _DELETED)


def preview_update(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    inputs: contract.StackInputs,
    options: contract.StackOptions,
) -> contract.UpdatePreview:
    """Return the changes that the same update would make now.

    :raises orch.errors.OrchError: what the update would be refused with
    """
    permissions.check_adopt_owned(deps, ctxt, options.get("adoption", {}))
    request = update.read_request(deps, ctxt, stack_id, inputs, options)
    wanted = operation_factory.new_operation(
        deps,
        ctxt,
        request.stack.id,
        states.Action.UPDATE,
        options,
        has_credential=False,
    )

    def load(
        connection: db_engine.Connection,
    ) -> tuple[operation.Operation, planning.Loaded]:
        operation = external_ids.store(
            connection,
            restoration.mark_uncreated(connection, request.stack, wanted),
            request.parsed_template,
            options,
            deps.types,
            permissions.type_check(deps, ctxt),
        )
        return operation, planning.load_operation(
            connection, operation, deps.templates.load
        )

    # Only an adoption by external ids writes, and that is rolled back.
    if external_ids.entries_of(request.parsed_template, options):
        wanted, loaded = dry_run.roll_back(deps.database, load)
    else:
        wanted, loaded = deps.database.query(load)
    loaded = dataclasses.replace(
        loaded, parsed_template=request.parsed_template
    )
    loaded = nested.with_survey(deps, ctxt, loaded, wanted)
    redacts = tree_secrets.find_redaction(
        deps, loaded.stack, request.parsed_template
    )
    found = nested.plan_tree(deps, ctxt, loaded, wanted, redacts)
    levels = _Levels(deps, bool(options.get("show_nested")))
    return contract.UpdatePreview(
        changes=levels.changes(found),
        plan=verdicts.with_verdicts(deps, ctxt, found),
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Levels:
    """Renders the resources of a stack, and on request those below it."""

    deps: dependencies.Dependencies
    shows_children: bool

    def changes(
        self, found: nested.PlannedStack, parent_resource: str = ""
    ) -> dict[str, list[contract.ResourceFacts]]:
        """Return resources by the kind of their change, parents first.

        :param parent_resource: the resource of this stack in its parent; empty
            for the root
        """
        loaded = found.loaded
        shape = _Shape(
            loaded.parsed_template,
            {row.name: row for row in loaded.rows if row.is_current},
            lookup.identity_of(loaded.stack),
            placeholders.requiring_in_template(loaded.parsed_template)
            if loaded.parsed_template
            else {},
            self.deps,
            found.redacts,
        )
        sorter = _Sorter(found.planned, loaded.rows, loaded.parsed_template)
        shown = {
            kind: [
                shape.existing(name)
                if kind in _EXISTING
                else shape.fresh(name)
                for name in names
            ]
            for kind, names in sorter.sorted().items()
        }
        if parent_resource:
            for each in itertools.chain.from_iterable(shown.values()):
                each["parent_resource"] = parent_resource
        if self.shows_children:
            for kind, below in self._below(found):
                shown[kind] += below
        return shown

    def _below(
        self, found: nested.PlannedStack
    ) -> collections.abc.Iterator[tuple[str, list[contract.ResourceFacts]]]:
        for change in found.planned.changes:
            below = found.children.find(change)
            if below is not None:
                yield from self.changes(below, change.name).items()


@dataclasses.dataclass(frozen=True, slots=True)
class _Sorter:
    """Sorts the resources into Heat's five kinds of changes."""

    planned: plan.Plan
    rows: collections.abc.Sequence[resource.Resource]
    parsed_template: template.Template | None

    def sorted(self) -> dict[str, list[str]]:
        """Return names of resources by the kind of their change."""
        declared = (
            self.parsed_template.resources if self.parsed_template else {}
        )
        kinds = dict.fromkeys(declared, _UNCHANGED)
        kinds.update((each.name, _REPLACED) for each in self.planned.returns)
        there = {row.name for row in self.rows if self._is_there(row)}
        for change in self.planned.changes:
            if change.kind in plan.INSERTING:
                is_new = change.name not in there
                kinds[change.name] = _ADDED if is_new else _REPLACED
            elif change.kind is plan.Kind.UPDATE:
                if kinds[change.name] is _UNCHANGED:
                    kinds[change.name] = _UPDATED
            elif change.kind in plan.REMOVING:
                kinds.setdefault(change.name, _DELETED)
        found: dict[str, list[str]] = {kind: [] for kind in _ORDER}
        for name, kind in kinds.items():
            found[kind].append(name)
        return found

    @staticmethod
    def _is_there(row: resource.Resource) -> bool:
        return row.is_current and row.is_there


@dataclasses.dataclass(frozen=True, slots=True)
class _Shape:
    """Renders single resources of a preview.

    :ivar parsed_template: the new template; ``None`` where no resource is to
        remain
    """

    parsed_template: template.Template | None
    rows: collections.abc.Mapping[str, resource.Resource]
    stack: contract.StackIdentity
    required_by: facts.Requiring
    deps: dependencies.Dependencies
    redacts: redaction.Redaction

    def existing(self, name: str) -> contract.ResourceFacts:
        """Return a resource as it is now; values come from its row."""
        row = self.rows[name]
        found = facts.resource_facts(row, self.stack, self.required_by)
        found["physical_id"] = self.redacts.physical_id(row.physical_id)
        found["description"] = self._description(name)
        found["metadata"] = typing.cast(
            dict[str, object],
            self.redacts.value(row.metadata),
        )
        found["attributes"] = {
            attribute: self._attribute(row, attribute)
            for attribute in self._attributes(row.plugin_type)
        }
        return found

    def fresh(self, name: str) -> contract.ResourceFacts:
        """Return the facts of a resource that does not exist yet."""
        assert self.parsed_template is not None
        found = placeholders.placeholder_facts(
            self.parsed_template,
            name,
            self.stack,
            self.required_by,
            self.redacts,
        )
        type_name = self.parsed_template.resources[name].type_name
        found["attributes"] = dict.fromkeys(self._attributes(type_name))
        return found

    def _attribute(self, row: resource.Resource, name: str) -> object:
        value = row.attributes.get(name)
        plugin = self.deps.types.find(row.plugin_type)
        is_sensitive = sensitivity.is_row_sensitive(plugin, row, name, value)
        return self.redacts.value(value, marked.WHOLE if is_sensitive else ())

    def _attributes(self, type_name: str) -> list[str]:
        return placeholders.attribute_names(self.deps.types, type_name)

    def _description(self, name: str) -> str:
        declared = (
            self.parsed_template.resources.get(name)
            if self.parsed_template
            else None
        )
        return declared.description if declared else ""
