"""Decisions of a tree that are read while others are added."""

from unittest import mock

from orch import ids
from orch.engine.lifecycle import decisions
from orch.model import lifecycle as model
from tests import base


def _decision(path: str, value: str, **more: object) -> model.Decision:
    return model.Decision(
        root_id=ids.StackId("s"),
        path=path,
        plugin="racks",
        stack_id=ids.StackId("s"),
        value=value,
        **{  # type: ignore[arg-type]
            "operation_id": ids.OperationId("former"),
            "attempt": 1,
            **more,
        },
    )


class TreeDecisionsTest(base.TestCase):
    def test_one_that_is_added_during_a_read_does_not_disturb_it(
        self,
    ) -> None:
        known = decisions.TreeDecisions((), "")

        class Interrupted(dict[str, object]):
            """Another plug-in decides while it is read."""

            def __contains__(self, path: object) -> bool:
                known.put("later", {"web": 2})
                return super().__contains__(path)

        known.values["first"] = Interrupted(web=1)

        self.assertEqual({"first": 1}, known.for_resource("web"))
        self.assertEqual({"first": 1, "later": 2}, known.for_resource("web"))

    def test_what_a_lost_call_wrote_is_withdrawn_for_resources_too(
        self,
    ) -> None:
        asked = mock.Mock(id="asked", attempt=1)
        of_attempt = {"operation_id": ids.OperationId("asked")}
        former = {
            "value": "rack-1",
            "operation_id": "former",
            "attempt": 1,
            "stack_id": "s",
            "is_proven": True,
            "earlier": {},
        }
        known = decisions.TreeDecisions(
            [
                _decision("new", "rack-7", **of_attempt),
                _decision("moved", "rack-8", earlier=former, **of_attempt),
                _decision("old", "rack-2"),
            ],
            "",
        )

        known.withdraw("racks", asked)

        self.assertEqual([("racks", None)], known.take())
        self.assertEqual(
            {"racks": {"moved": "rack-1", "old": "rack-2"}}, known.values
        )
