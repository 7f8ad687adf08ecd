"""What notifications tell of drift."""

import json
import typing

from orch import clock
from orch import ids
from orch.events import drifts
from orch.events import recorder
from orch.model import observation
from orch.model import operation
from orch.model import resource
from orch.model import states
from tests import base
from tests.support import nouns

_NOW = clock.Timestamp(0.0)
_STACK = ids.StackId("s")


def notified_stack() -> drifts.NotifiedStack:
    return drifts.NotifiedStack(
        stack=nouns.make_stack(id=_STACK),
        operation=operation.Operation(
            id=ids.OperationId("o"),
            stack_id=_STACK,
            project_id="p",
            action=states.Action.CREATE,
            state=states.OperationState.COMPLETE,
            created_at=_NOW,
        ),
        newest=1,
        drift=observation.StackDrift(
            state=observation.State.DRIFTED, coverage=1, drifted=1
        ),
        statuses={},
        now=_NOW,
    )


class FactsTests(base.TestCase):
    def facts(self, **change: typing.Any) -> recorder.Facts:
        """Return what is told of one change."""
        row = resource.Resource(
            id=ids.ResourceId("r"),
            stack_id=_STACK,
            name="web",
            type_name="T::Thing",
            created_at=_NOW,
            updated_at=_NOW,
        )
        change = {"path": "web", **change}
        return drifts.build_facts(
            notified_stack(), [drifts.Change(row=row, **change)]
        )

    def notified_difference(
        self, expected: object, live: object
    ) -> dict[str, typing.Any]:
        """Return what the notification has of one difference."""
        facts = self.facts(
            kind=drifts.Kind.DETECTED,
            differences=(
                observation.Difference(
                    property="p", expected=expected, live=live
                ),
            ),
        )
        (told,) = facts.notifications
        payload = typing.cast(dict[str, typing.Any], told.payload)
        ((difference,),) = [
            each["differences"] for each in payload["drift"]["resources"]
        ]
        return typing.cast(dict[str, typing.Any], difference)

    def test_giving_up_is_told_with_its_reason(self) -> None:
        facts = self.facts(
            kind=drifts.Kind.GIVEN_UP, reason="Repaired 5 times"
        )

        (event,), (told,) = facts.events, facts.notifications
        self.assertEqual(
            ("web", "Repaired 5 times"), (event.resource_name, event.reason)
        )
        self.assertEqual("orchestration.stack.drift.given_up", told.event_type)
        payload = typing.cast(dict[str, typing.Any], told.payload)
        (listed,) = payload["drift"]["resources"]
        self.assertEqual(("web", []), (listed["path"], listed["differences"]))

    def test_a_long_value_is_cut_and_it_says_so(self) -> None:
        most = drifts.MAX_VALUE_LENGTH
        long = {"k": ["v" * most]}

        found = self.notified_difference("x" * 1_000_000, long)

        self.assertEqual(["expected", "live"], found["cut"])
        self.assertEqual(json.dumps(long)[:most], found["live"])
        self.assertEqual('"' + "x" * (most - 1), found["expected"])

    def test_the_other_side_stays_whole(self) -> None:
        found = self.notified_difference([1], "x" * drifts.MAX_VALUE_LENGTH)

        self.assertEqual(["live"], found["cut"])
        self.assertEqual([1], found["expected"])

    def test_values_that_fit_are_told_whole(self) -> None:
        text = "x" * (drifts.MAX_VALUE_LENGTH - 2)

        self.assertEqual(
            {
                "property": "p",
                "expected": text,
                "live": None,
                "policy": "report",
            },
            self.notified_difference(text, None),
        )

    def test_notifications_of_a_kind_become_one(self) -> None:
        held = [
            told
            for kind, path in (
                ("detected", "a"),
                ("observed", "b"),
                ("detected", "c"),
                ("detected", "a"),
            )
            for told in self.facts(
                kind=drifts.Kind(kind), path=path
            ).notifications
        ]

        (merged,) = drifts.merge_notifications(notified_stack(), held)
        (observed,) = drifts.merge_notifications(notified_stack(), held[1:2])

        drift = typing.cast(dict[str, typing.Any], merged.payload["drift"])
        self.assertEqual(
            "orchestration.stack.drift.detected", merged.event_type
        )
        self.assertEqual(
            (2, ["a", "c"]),
            (drift["count"], [each["path"] for each in drift["resources"]]),
        )
        self.assertEqual(
            "orchestration.stack.drift.observed", observed.event_type
        )
