"""What fails, of a stack and of each resource, is told by its own type."""

import typing

from tests.functional import holding
from tests.functional.notifications import lives
from tests.functional.notifications import notification_case
from tests.support import listeners
from tests.support import rest
from tests.support import world_templates

_RESOURCE: typing.Final = "orchestration.resource"


class ResourceErrorTests(lives.FailureCase):
    """One resource of a stack fails, and the operator wants resources."""

    notifications: typing.ClassVar[dict[str, object]] = {"resources": "true"}

    def check_failure(self, stack: rest.Stack, action: str, name: str) -> None:
        """Check that a failure is told of its resource, and of no other.

        It stands between the beginning of the resource and the end of the
        stack, as an error.
        """
        heard = self.hear(stack, f"{action}.error")
        (told,) = _of_type(heard, f"{_RESOURCE}.{action}.error")
        begun = [
            each
            for each in _of_type(heard, f"{_RESOURCE}.{action}.start")
            if each.payload["resource_name"] == name
            and notification_case.sequence_of(each)
            < notification_case.sequence_of(told)
        ]
        (ended,) = _of_type(heard, f"orchestration.stack.{action}.error")
        self.assertEqual("error", told.priority)
        self.assertEqual(
            (name, f"{action.upper()}_FAILED", f"{self.name}/{name}"),
            tuple(
                told.payload[key] for key in ("resource_name", "state", "path")
            ),
        )
        self.assertIn("Permanent", str(told.payload["state_reason"]))
        self.assertEqual(
            [f"{action.upper()}_IN_PROGRESS"],
            [each.payload["state"] for each in begun],
        )
        self.assertLess(
            notification_case.sequence_of(told),
            notification_case.sequence_of(ended),
        )
        for other in (*begun, ended):
            self.assertEqual(
                told.payload["operation_id"], other.payload["operation_id"]
            )

    def test_adopt(self) -> None:
        adopted = self.adopt_wrongly()

        heard = self.hear(adopted, "adopt.error")

        (told,) = _of_type(heard, f"{_RESOURCE}.adopt.error")
        (ended,) = _of_type(heard, "orchestration.stack.adopt.error")
        self.assertEqual("error", told.priority)
        self.assertEqual(
            ("a", "ADOPT_FAILED", ended.payload["operation_id"]),
            tuple(
                told.payload[key]
                for key in ("resource_name", "state", "operation_id")
            ),
        )
        self.assertIn("label", str(told.payload["state_reason"]))
        self.assertLess(
            notification_case.sequence_of(told),
            notification_case.sequence_of(ended),
        )


class AbandonErrorTests(lives.LifeCase):
    def test_it_is_told_beside_the_deletion_that_heat_knows(self) -> None:
        stack = self.created(
            world_templates.chain(), environment=holding.hooks(b="pre-delete")
        )
        self.abandon(stack)
        self.hear(stack, "hook.reached")
        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "DELETE_FAILED")

        begun, ended = self.pair(stack, "abandon", "error")
        heats = self.pair(stack, "delete", "error")

        self.assertEqual(
            ["DELETE_IN_PROGRESS", "DELETE_FAILED"],
            [begun["state"], ended["state"]],
        )
        self.assertEqual([begun, ended], heats)
        self.assertEqual(
            ["a", "b", "c"],
            sorted(
                each.name for each in self.world.physical_resources(self.name)
            ),
        )


def _of_type(
    heard: list[listeners.Heard], event_type: str
) -> list[listeners.Heard]:
    return [each for each in heard if each.event_type == event_type]
