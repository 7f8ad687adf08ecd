"""Lifecycle plug-ins see what an update will do that goes by what is."""

from tests.functional import converging
from tests.functional import lifecycle


class ObservedStateTests(lifecycle.LifecycleTestCase):
    def test_d1_a_pre_op_sees_what_is_going_to_be_put_back(self) -> None:
        wanted = converging.three("old")
        stack = self.client.create(self.name, wanted)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.world.relabel(self.name, "b", "somebody's")
        self.plugins.order(1, "pre", "allow", verb="update", looks=True)

        self.update(stack, wanted, converge=True)
        self.client.wait(stack, "UPDATE_COMPLETE")

        (line,) = [
            each
            for each in self.plugins.lines(stack)
            if each["verb"] == "update"
            and (each["plugin"], each["phase"]) == ("orch-test-1", "pre")
        ]
        changes = [
            each for each in line["plan"]["changes"] if each["resource_name"]
        ]
        self.assertEqual(
            [("update", "b")],
            [(each["kind"], each["resource_name"]) for each in changes],
        )
        label = changes[0]["properties"]["label"]
        self.assertEqual("somebody's", label["old"])
        self.assertEqual("old", label["new"])
