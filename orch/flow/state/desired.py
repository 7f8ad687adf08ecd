"""What the template of a running operation says of each resource."""

import collections.abc

from orch import errors
from orch.flow.state import row_table
from orch.flow.state import snapshot_data
from orch.flow.state import transitions
from orch.planner import compare as planner_compare
from orch.planner import plan
from orch.planner import survey as surveys
from orch.plugin import call_context
from orch.plugin import registry
from orch.template import world
from orch.template.resources import declaration


class DesiredState:
    """Computes values from the template, as far as the world is known."""

    def __init__(
        self,
        parsed_template: snapshot_data.DeclaredStack | None,
        rows: row_table.RowTable,
        world_view: world.World,
        types: registry.Types,
        survey: surveys.Survey | None = None,
    ) -> None:
        """Look at one operation.

        :param parsed_template: an operation that only removes needs none
        :param world_view: what template functions see of the resources
        :param survey: what the things are now; ``None`` to go by the rows
        """
        self._parsed_template = parsed_template
        self._rows = rows
        self._world = world_view
        self._types = types
        self._survey = survey

    @property
    def declared_count(self) -> int:
        """How many resources the operation is to leave."""
        return (
            len(self._parsed_template.resources)
            if self._parsed_template
            else 0
        )

    def declaration(self, name: str) -> declaration.Declaration:
        """Return what the template declares under a name."""
        return self._template.resources[name]

    def terms(self, name: str) -> transitions.Terms | None:
        """Return what the engine alone goes by; ``None`` if undeclared."""
        declared = (
            self._parsed_template.resources.get(name)
            if self._parsed_template
            else None
        )
        return transitions.resource_terms(declared, self._rows.current_ids)

    def attributes_read(self, name: str) -> collections.abc.Collection[str]:
        """Return the names of the attributes that anybody reads."""
        return self._template.attributes_read(name)

    def inputs(self, name: str) -> call_context.ChildInputs | None:
        """Return what a resource hands on to a stack that belongs to it.

        :returns: ``None`` where the resource is not wanted
        """
        if (
            self._parsed_template is None
            or name not in self._parsed_template.resources
        ):
            return None
        found = self._parsed_template.nested_inputs(name, {}, {}, template="")
        environment = found.environment
        assert isinstance(environment, dict)
        return call_context.ChildInputs(
            files=found.files, environment=environment
        )

    def resolve(self, change: plan.Change) -> None:
        """Compute the properties of a resource about to be made.

        Metadata that came with a thing which is taken over stay.

        :raises orch.errors.OrchError: a value cannot be computed
        """
        metadata = self._template.resolve_metadata(change.name, self._world)
        row = self._rows[change.resource_id]
        self._rows.remember(
            change.resource_id,
            properties=self._template.resolve_properties(
                change.name, self._world
            ),
            metadata=(change.takes_over and row.metadata) or metadata,
        )

    def compare(self, change: plan.Change) -> planner_compare.Comparison:
        """Compute what an update wants, and how that differs from what is.

        What is wanted stands in the row as soon as the change begins.

        :raises orch.errors.OrchError: a value cannot be computed
        """
        row = self._rows[change.resource_id]
        plugin = self._types.get(row.plugin_type)
        wanted = self._template.resolve_properties(change.name, self._world)
        metadata = self._template.resolve_metadata(change.name, self._world)
        found = planner_compare.compare_resource(
            plugin, row, wanted, metadata, self._survey
        )
        if found.verdict in (
            planner_compare.Verdict.MODIFY,
            planner_compare.Verdict.SAME,
        ):
            self._rows.save_before(row.id)
            self._rows.remember(
                row.id,
                properties=planner_compare.possible_properties(
                    plugin, row, wanted
                ),
                desired_properties=wanted,
                metadata=metadata,
            )
        return found

    @property
    def _template(self) -> snapshot_data.DeclaredStack:
        if self._parsed_template is None:
            raise errors.OrchError("this operation has no template")
        return self._parsed_template
