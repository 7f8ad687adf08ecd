"""The desired state of each resource in a running operation."""

import collections.abc

from orch import errors
from orch.flow.state import row_table
from orch.flow.state import transitions
from orch.model import resource
from orch.planner import compare as planner_compare
from orch.planner import plan
from orch.planner import survey as surveys
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import resource as plugin_resource
from orch.plugin import sensitivity
from orch.template import template
from orch.template.resources import declaration

ContextOf = collections.abc.Callable[
    [resource.Resource],
    tuple[plugin_resource.Resource, call_context.Context],
]
"""Returns the plug-in of a row, and the context of its calls."""


class DesiredState:
    """Resolves the template's values, as far as the world is known.

    To template functions it is the world itself: references and attributes
    of the resources, from their rows.
    """

    def __init__(
        self,
        parsed_template: template.Template | None,
        rows: row_table.RowTable,
        context_of: ContextOf,
        types: registry.Types,
        survey: surveys.Survey | None = None,
    ) -> None:
        """Store the parts that values are resolved from.

        :param parsed_template: an operation that only removes needs none
        :param survey: the observed state; ``None`` to compare with the rows
        """
        self._parsed_template = parsed_template
        self._rows = rows
        self._context_of = context_of
        self._types = types
        self._survey = survey

    @property
    def declared_count(self) -> int:
        """Number of resources that the template declares."""
        return (
            len(self._parsed_template.resources)
            if self._parsed_template
            else 0
        )

    def declaration(self, name: str) -> declaration.Declaration:
        """Return the declaration of a name."""
        return self._template.resources[name]

    def terms(self, name: str) -> transitions.Terms | None:
        """Return the terms of a resource; ``None`` if it is undeclared."""
        declared = (
            self._parsed_template.resources.get(name)
            if self._parsed_template
            else None
        )
        return transitions.resource_terms(declared, self._rows.current_ids)

    def attributes_read(self, name: str) -> collections.abc.Collection[str]:
        """Return the attributes that the template reads of a resource."""
        return self._template.attributes_read(name)

    def inputs(self, name: str) -> call_context.ChildInputs | None:
        """Return the inputs of a resource's child stack.

        :returns: ``None`` where the template does not declare the resource
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
        """Resolve the properties of a resource that is about to be created.

        Metadata that came with an adopted physical resource stay.

        :raises orch.errors.OrchError: a value cannot be computed
        """
        metadata = self._template.resolve_metadata(change.name, self)
        row = self._rows[change.resource_id]
        self._rows.remember(
            change.resource_id,
            properties=self._template.resolve_properties(change.name, self),
            metadata=(change.takes_over and row.metadata) or metadata,
        )

    def find_properties(
        self, name: str
    ) -> collections.abc.Mapping[str, object] | None:
        """Return the desired properties; ``None`` while some are not known."""
        try:
            return self._template.resolve_properties(name, self)
        except errors.OrchError:
            return None

    def renew_lookup(self, change: plan.Change) -> None:
        """Take on what the template says now of how to look for a resource.

        Its row stays as it is where the template does not declare it any more,
        or a value cannot be computed yet.
        """
        row = self._rows[change.resource_id]
        declared = (
            self._parsed_template.resources.get(row.name)
            if self._parsed_template
            else None
        )
        if declared is None or declared.type_name != row.plugin_type:
            return
        after = self.find_properties(row.name)
        plugin = self._types.find(row.plugin_type)
        if after is not None and plugin is not None:
            found = plugin.lookup_properties(row.properties, after)
            self._rows.remember(row.id, properties=found)

    def compare(self, change: plan.Change) -> planner_compare.Comparison:
        """Resolve the properties of an update, and compare them with the row.

        The desired state is in the row as soon as the change begins.

        :raises orch.errors.OrchError: a value cannot be computed
        """
        row = self._rows[change.resource_id]
        plugin = self._types.get(row.plugin_type)
        wanted = self._template.resolve_properties(change.name, self)
        metadata = self._template.resolve_metadata(change.name, self)
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

    def reference_id(self, name: str) -> object:
        """Return what ``get_resource`` returns.

        :raises orch.errors.Invalid: it was skipped and never created
        """
        row = self._rows.current(name)
        if row.physical_id is None:
            raise errors.Invalid(
                f"the resource {name} was skipped, and there is nothing of it"
            )
        plugin, context = self._context_of(row)
        return plugin.reference_id(context)

    def attribute(self, name: str, attribute: str) -> object:
        """Return an attribute as it was read when the resource was made.

        :raises orch.errors.Invalid: the resource shows no such attribute
        """
        row = self._rows.current(name)
        try:
            return row.attributes[attribute]
        except KeyError:
            raise errors.Invalid(
                f"the resource {name} ({row.type_name}) has no value for"
                f" the attribute {attribute}"
            ) from None

    def is_sensitive(
        self, name: str, attribute: str | None, value: object
    ) -> bool:
        """Whether what was read of a resource is sensitive."""
        row = self._rows.current(name)
        return sensitivity.is_row_sensitive(
            self._types.find(row.plugin_type), row, attribute, value
        )

    @property
    def _template(self) -> template.Template:
        if self._parsed_template is None:
            raise errors.OrchError("this operation has no template")
        return self._parsed_template
