"""``Test::World::Exclusive``: no two things of the world have its label."""

import collections.abc

import orch_test_world as worlds

from orch import errors
from orch.plugin import call_context

Values = collections.abc.Mapping[str, object]


class Exclusive(worlds.WorldResource):
    """A thing whose label another one can have only once it is released."""

    type_name = "Test::World::Exclusive"

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Write the row.

        :raises orch.errors.Permanent: another thing has the label
        """
        label = context.properties["label"]
        with worlds.opened() as world:
            taken = world.execute(
                "SELECT id FROM things WHERE label = ?", (label,)
            ).fetchone()
        if label and taken:
            raise errors.Permanent(f"the label {label} is in use")
        return super().create(context)

    def properties_to_release(self, before: Values, after: Values) -> Values:
        """Return the label, if the replacement is to have it."""
        if after["label"] and before["label"] in (after["label"], ""):
            return {"label": ""}
        return {}

    def release(self, context: call_context.Context, released: Values) -> None:
        """Take the label from the thing."""
        with worlds.opened() as world:
            world.execute(
                "UPDATE things SET label = ? WHERE id = ?",
                (
                    released["label"],
                    str(context.physical_id).removeprefix("thing-"),
                ),
            )
