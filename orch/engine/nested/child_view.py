"""A read view of a child stack: its outputs and its resources."""

import collections.abc
import functools

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import resources
from orch.engine import plugin_reads
from orch.engine import resource_values
from orch.model import flat_fields
from orch.model import resource as model_resource
from orch.model import stack
from orch.model import states
from orch.plugin import nested_stack
from orch.plugin import registry
from orch.template import template
from orch.template import world


class StoredView:
    """A child stack read from its rows; plug-ins supply missing attributes.

    :ivar sensitive_reads: how many sensitive values were read
    :ivar sensitive_references: those of its members, as they were read
    """

    def __init__(
        self,
        database: db_engine.Database,
        stack: stack.Stack,
        parsed_template: template.Template,
        types: registry.Types,
        requested_by: request.RequestContext,
        budget: plugin_reads.ReadBudget,
    ) -> None:
        """Prepare to read a stack; nothing is read yet.

        :param parsed_template: its template in force
        :param types: the plug-ins of the types of its resources
        """
        self.sensitive_reads = 0
        self.sensitive_references: set[str] = set()
        self._database = database
        self._stack = stack
        self._parsed_template = parsed_template
        self._world = resource_values.StoredValues(
            stack,
            resource_values.StackRows(database, stack.id),
            types,
            requested_by,
            budget,
        )

    @property
    def stack_id(self) -> str:
        """The id of the stack."""
        return self._stack.id

    @property
    def stack_name(self) -> str:
        """The name of the stack."""
        return self._stack.name

    @property
    def files(self) -> collections.abc.Mapping[str, str]:
        """The files of its template."""
        return self._parsed_template.files

    @functools.cached_property
    def members(self) -> collections.abc.Sequence[nested_stack.Member]:
        """Its resources, sorted by name."""
        rows = self._database.query(
            lambda connection: resources.list_(connection, self._stack.id)
        )
        section = self._parsed_template.raw.get(
            self._parsed_template.version.format.resources
        )
        written = section if isinstance(section, dict) else {}
        return [
            self._member(row, written.get(row.name))
            for row in sorted(rows, key=lambda row: row.name)
            if row.is_current
        ]

    @property
    def outputs(self) -> dict[str, object]:
        """All outputs of its template; ``None`` for one without a value."""
        found = self._parsed_template.resolve_outputs(self._world)
        self.sensitive_reads += sum(bool(one.sensitive) for one in found)
        return {one.key: world.visible_value(one.value) for one in found}

    def output(self, name: str) -> object:
        """Return an output of its template.

        :raises orch.errors.OrchError: it does not exist, or has no value
        """
        for one in self._parsed_template.resolve_outputs(self._world, name):
            if one.error:
                raise errors.Invalid(one.error)
            self.sensitive_reads += bool(one.sensitive)
            return one.value
        raise errors.Invalid(f"the template has no output {name}")

    def attribute(self, member: str, path: nested_stack.Path) -> object:
        """Return an attribute of one of its resources.

        :raises orch.errors.Invalid: there is no such resource, or it shows
            no such attribute
        """
        declared = self._parsed_template.resources.get(member)
        if declared is None:
            raise errors.Invalid(
                f"The Resource ({member}) could not be found in Stack"
                f" {self._stack.name}."
            )
        name, *rest = path
        key = str(name)
        if self._parsed_template.is_nested_stack(member):
            key, rest = nested_stack.path_key(path), []
        try:
            found = nested_stack.find_part(
                self._world.attribute(member, key), rest
            )
        except world.NotYetKnown as error:
            raise errors.Invalid(error.message) from None
        is_named = any(flat_fields.is_secret(str(each)) for each in rest)
        self.sensitive_reads += is_named or self._world.is_sensitive(
            member, key, found
        )
        return found

    def _member(
        self, row: model_resource.Resource, written: object
    ) -> nested_stack.Member:
        try:
            reference = self._world.reference_id(row.name)
        except errors.OrchError:
            reference = None
        if self._world.is_sensitive(row.name, None, reference):
            self.sensitive_references.add(str(reference))
        return nested_stack.Member(
            name=row.name,
            type_name=row.type_name,
            physical_id=row.physical_id,
            reference_id=reference,
            is_failed=row.status is states.Status.FAILED,
            created_at=row.created_at,
            definition=written if isinstance(written, dict) else {},
        )
