"""What of a resource's properties sinks are told."""

from orch import clock
from orch.engine.event_sinks import payload
from orch.model import event
from orch.model import states
from tests import base
from tests.functional.db import base as db_base


class BodyTest(base.TestCase):
    def test_of_a_long_property_the_beginning_is_told(self) -> None:
        around = db_base.make_stack()
        told = event.Event(
            stack_id=around.id,
            sequence=1,
            operation_id=None,
            resource_name="web",
            resource_type="T",
            resource_id=None,
            physical_id=None,
            action=states.Action.CREATE,
            status=states.Status.COMPLETE,
            reason="",
            created_at=clock.Timestamp(0),
        )

        whole = payload.event_body(told, around, "p", "", {"short": [1, 2]})
        cut = payload.event_body(
            told, around, "p", "", {"long": ["x" * 5000], "short": [1, 2]}
        )

        self.assertEqual(
            {"short": [1, 2]}, whole["payload"]["resource_properties"]
        )
        self.assertNotIn("cut", whole["payload"])
        self.assertEqual(
            {"long": '["' + "x" * 1022, "short": [1, 2]},
            cut["payload"]["resource_properties"],
        )
        self.assertEqual(["long"], cut["payload"]["cut"])
