"""``Test::World::Quoting``: a thing whose errors quote its label.

They are none of ours: a plug-in may raise anything.
"""

import collections.abc

import orch_test_observed as observed

from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import schema
from orch.plugin import signals


class Quoting(observed.Single):
    """A thing that fails in what its property ``failing`` names."""

    type_name = "Test::World::Quoting"
    takes_signals = True
    properties = (
        *observed.Single.properties,
        schema.Property(
            "failing",
            schema.Type.LIST,
            "Calls that fail.",
            default=[],
            on_update=schema.OnUpdate.MODIFY,
        ),
    )

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Fail if so ordered."""
        _fail("validate", properties)

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Write the row."""
        _fail("create", context.properties)
        return super().create(context)

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Write what can be changed in place."""
        _fail("update", context.properties)
        super().update(context, before, changed)

    def needs_replacement(
        self,
        before: collections.abc.Mapping[str, object],
        after: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> bool:
        """Answer as the schema does."""
        _fail("needs_replacement", after)
        return super().needs_replacement(before, after, changed)

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Look whether the row is there."""
        _fail("check", context.properties)
        return super().check(context)

    def snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> collections.abc.Mapping[str, object]:
        """Keep the label of the row."""
        _fail("snapshot", context.properties)
        return super().snapshot(context, snapshot_id)

    def delete_snapshot(
        self,
        context: call_context.Context,
        kept: collections.abc.Mapping[str, object],
    ) -> None:
        """Forget what was kept."""
        _fail("delete_snapshot", context.properties)

    def delete(self, context: call_context.Context) -> None:
        """Remove the row."""
        _fail("delete", context.properties)
        super().delete(context)

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return what the row holds."""
        _fail("read_attributes", context.properties)
        return super().read_attributes(context, names)

    def get_reality(self, context: call_context.Context) -> reality.Reality:
        """Return what the row holds."""
        _fail("get_reality", context.properties)
        return super().get_reality(context)

    def shown_metadata(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Return the metadata."""
        _fail("shown_metadata", context.properties)
        return super().shown_metadata(context)

    def restored_properties(
        self,
        properties: collections.abc.Mapping[str, object],
        kept: collections.abc.Mapping[str, object],
    ) -> collections.abc.Mapping[str, object]:
        """Return the properties with the label of that time."""
        _fail("restored_properties", properties)
        return super().restored_properties(properties, kept)

    def handle_signal(
        self, context: call_context.Context, details: object
    ) -> signals.SignalResult:
        """Fail, or take nothing."""
        _fail("handle_signal", context.properties, details)
        return signals.SignalResult()


def _fail(
    act: str,
    properties: collections.abc.Mapping[str, object],
    details: object = "",
) -> None:
    failing = properties.get("failing")
    if isinstance(failing, list) and act in failing:
        raise RuntimeError(f"{act}: no {properties.get('label')} {details}")
