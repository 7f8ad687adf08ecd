"""``kill -9`` amid updates that go by what things are."""

from tests.chaos import base
from tests.chaos import records
from tests.functional import converging
from tests.support import rest
from tests.support import world


class RealityTests(base.ChaosTestCase):
    """Somebody has changed the middle one of three things."""

    def setUp(self) -> None:
        super().setUp()
        self.distribute(workers=2)
        self.desired = converging.three("old")
        self.stack = self.create("s", self.desired).stack
        self.system.client.wait(self.stack, "CREATE_COMPLETE")
        self.world.relabel("s", "b", "somebody's")

    def update(self) -> None:
        self.system.client.ask(
            "PUT",
            self.stack.path,
            {"template": self.desired, "converge": True},
        )

    def kill_amid(self, act: str, name: str, moment: str) -> None:
        """Kill the worker that makes a call, once it makes it."""
        self.world.order("s", act, name, moment=moment)
        self.update()
        held = f"held-{act}-{moment}"

        def find() -> list[world.Call]:
            return [
                each
                for each in self.world.calls()
                if (each.act, each.name) == (held, name)
            ]

        records.wait_until(lambda: bool(find()), what=f"no {held}")
        victims = [
            each for each in self.system.engines if each.pid == find()[0].pid
        ]
        self.assertEqual(1, len(victims))
        victims[0].kill()
        self.world.release("s")

    def end(self) -> rest.Json:
        return self.system.client.wait(self.stack, "UPDATE_COMPLETE")

    def acts(self, act: str) -> list[str]:
        return [each.name for each in self.world.calls() if each.act == act]

    def check_as_desired(self) -> None:
        labels = {
            each.name: each.label
            for each in self.world.physical_resources("s")
        }
        self.assertEqual({"a": "old", "b": "old", "c": "old"}, labels)
        self.check_no_doubles()

    def test_d1_whoever_takes_over_amid_the_reading_reads_again(self) -> None:
        self.kill_amid("read", "b", "before")

        self.end()

        self.assertEqual(["b"], self.acts("update"))
        self.check_as_desired()

    def test_d1_what_was_put_back_already_is_not_put_back_twice(self) -> None:
        self.kill_amid("update", "b", "after")

        self.end()

        self.assertEqual(["b"], self.acts("update"))
        self.check_as_desired()

    def test_d4_what_was_made_anew_is_not_made_twice(self) -> None:
        self.world.remove("s", "b")

        self.kill_amid("create", "b", "after")
        self.end()

        self.assertEqual(["a", "b", "c", "b"], self.acts("made"))
        # Once, of what was left of the one that vanished.
        self.assertEqual(["b"], self.acts("delete"))
        self.check_as_desired()
