"""``Test::World::Spelt``: its service writes things in its own way.

It tells the label between angle brackets, and gives a nickname to whatever
has none.
"""

import collections.abc

import orch_test_observed as observed
import orch_test_world as worlds

from orch.plugin import call_context
from orch.plugin import schema

OWN = "the service's own"
"""The nickname of things that were given none."""


class Spelt(observed.Single):
    """A thing whose properties are not told as they were given."""

    type_name = "Test::World::Spelt"
    properties = (
        *observed.Single.properties,
        schema.Property(
            "nick",
            schema.Type.STRING,
            "Its nickname; the service chooses one where none is given.",
            on_update=schema.OnUpdate.MODIFY,
        ),
    )

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Write the row, with a nickname."""
        made = super().create(context)
        _call(made, context)
        return made

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Write what can be changed in place."""
        super().update(context, before, changed)
        if "nick" in changed:
            _call(context.physical_id or "", context)

    def get_reality(self, context: call_context.Context) -> dict[str, object]:
        """Return label and nickname as the service has them."""
        found = super().get_reality(context)
        return {"label": f"<{found['label']}>", "nick": found["value"]}


def _call(physical_id: str, context: call_context.Context) -> None:
    with worlds.opened() as world:
        world.execute(
            "UPDATE things SET value = ? WHERE id = ?",
            (
                context.properties.get("nick") or OWN,
                physical_id.removeprefix("thing-"),
            ),
        )
