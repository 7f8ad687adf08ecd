"""Plays a template on the real plug-ins, one resource after the other."""

import collections.abc
import dataclasses
import pathlib
import time
import uuid

from orch import clock
from orch.context import request
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import resource
from orch.template import inputs
from orch.template import template
from orch.template.resources import declaration
from tests.unit.resources import contexts

_STACK_ID = "5d4b3a1e-0000-4000-8000-000000000001"


class Player:
    """One stack without an engine: no rows, no threads, no bus."""

    def __init__(
        self,
        path: pathlib.Path,
        root: pathlib.Path,
        parameters: collections.abc.Mapping[str, object],
    ) -> None:
        """Load the template; local types act below the root."""
        conf = contexts.options(root)
        self.types = registry.ResourceTypes(conf)
        self.template = template.Template.load(
            inputs.Inputs(
                path.read_text(encoding="utf-8"), parameters=parameters
            ),
            self.types,
            inputs.Identity(_STACK_ID, "shop", "demo"),
            inputs.Limits(),
        )
        self.template.validate(declaration.check_with_rows)
        self.made: dict[str, call_context.Context] = {}
        self.attributes: dict[str, dict[str, object]] = {}

    def reference_id(self, name: str) -> object:
        return self._plugin(name).reference_id(self.made[name])

    def attribute(self, name: str, attribute: str) -> object:
        return self.attributes[name][attribute]

    def is_sensitive(
        self, name: str, attribute: str | None, value: object
    ) -> bool:
        return False

    def outputs(self) -> dict[str, object]:
        """Return the values of all outputs; none may have an error."""
        found = self.template.resolve_outputs(self)
        assert not [one.error for one in found if one.error]
        return {one.key: one.value for one in found}

    def create(self) -> None:
        """Make what is not made yet; what fails is raised as it is."""
        for name in self._order():
            if name not in self.made:
                self._create(name)

    def delete(self) -> None:
        """Remove all, in the order in which the engine would."""
        for name in reversed(self._order()):
            if name not in self.made:
                continue
            plugin = self._plugin(name)
            context = self._now(self.made.pop(name))
            plugin.delete(context)
            while (pending := plugin.is_deleted(context)) is not None:
                time.sleep(min(pending.after_s or 0.1, 0.05))

    def _create(self, name: str) -> None:
        plugin = self._plugin(name)
        context = call_context.Context(
            request=request.RequestContext(project_id="demo"),
            stack_id=_STACK_ID,
            stack_name="shop",
            name=name,
            token=str(uuid.uuid4()),
            attempt=1,
            physical_name=f"shop-{name}-abcdefghijkl",
            physical_id=None,
            properties=self.template.resolve_properties(name, self),
            metadata={},
            data={},
            started_at=clock.Timestamp(time.time()),
        )
        made = plugin.create(context)
        if isinstance(made, str):
            made = call_context.CreateResult(made)
        context = dataclasses.replace(
            context, physical_id=made.physical_id, data=made.data
        )
        while (pending := plugin.is_created(context)) is not None:
            time.sleep(pending.after_s or 0.1)
        names = self.template.attributes_read(name)
        self.attributes[name] = dict(plugin.read_attributes(context, names))
        self.made[name] = context

    def _plugin(self, name: str) -> resource.Resource:
        return self.types.get(self.template.resources[name].type_name)

    def _now(self, context: call_context.Context) -> call_context.Context:
        return dataclasses.replace(
            context, started_at=clock.Timestamp(time.time())
        )

    def _order(self) -> list[str]:
        declared = self.template.resources
        order: list[str] = []

        def visit(name: str) -> None:
            if name not in order:
                for each in declared[name].requires:
                    visit(each)
                order.append(name)

        for name in declared:
            visit(name)
        return order
