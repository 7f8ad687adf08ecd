"""The surplus of a complete resource whose service gives no good answer."""

import collections.abc

from orch import errors
from orch.flow.tasks import surplus
from orch.model import resource as model_resource
from orch.plugin import call_context
from orch.plugin import resource
from tests import base
from tests.unit.flow.tasks import test_snapshot
from tests.unit.resources import contexts

ROW = model_resource.Resource(
    id=test_snapshot.ROW.id,
    stack_id=test_snapshot.ROW.stack_id,
    name="a",
    type_name="A::B",
    physical_id="thing",
    attempt=2,
    created_at=test_snapshot.NOW,
    updated_at=test_snapshot.NOW,
)


class Listing(resource.Resource):
    """A type whose list gives what a test says, call by call."""

    type_name = "A::B"

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.removed: list[str | None] = []

    def find_all(self, context: call_context.Context) -> list[str]:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def delete(self, context: call_context.Context) -> None:
        self.removed.append(context.physical_id)


class NoClaims:
    """No resource owns anything."""

    def find_owned(
        self, row: object, physical_ids: collections.abc.Collection[str]
    ) -> frozenset[str]:
        return frozenset()


class Resources:
    """Owns nothing."""

    claims = NoClaims()


class TryTests(base.TestCase):
    def steps(self, plugin: Listing) -> list[tuple[float | None, str]]:
        """Return pause and reason of each step, until there is none."""
        task = surplus.Surplus(Resources())
        context = contexts.make(Listing, physical_id="thing")
        found = []
        while True:
            step = task.try_to_remove(ROW, plugin, context, "look later")
            if step is None:
                return found
            found.append((step.pending.after_s, step.reason))

    def test_what_passes_by_itself_is_tried_again(self) -> None:
        plugin = Listing(
            errors.Transient("away"),
            errors.Busy("now"),
            ["thing", "late"],
            ["thing"],
        )

        found = self.steps(plugin)

        self.assertEqual(["late"], plugin.removed)
        self.assertEqual([1.0, 2.0, None], [pause for pause, _ in found])

    def test_what_does_not_pass_is_given_up_and_reported(self) -> None:
        for kind in (errors.Transient, errors.Outage):
            plugin = Listing(*[kind("away")] * 9)

            found = self.steps(plugin)

            self.assertEqual(surplus.MAX_TRIES, len(found))
            self.assertIn("look later: ", found[-1][1])
            self.assertEqual(9 - surplus.MAX_TRIES, len(plugin.answers))
