"""Decisions of a tree that are read while others are added."""

from orch.engine.lifecycle import decisions
from tests import base


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
