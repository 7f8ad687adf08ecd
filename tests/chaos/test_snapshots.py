"""``kill -9`` amid a snapshot, a restoration and their removal."""

import contextlib
import threading

import requests

from tests.chaos import base
from tests.chaos import records
from tests.chaos import templates
from tests.support import rest
from tests.support import world


class SnapshotsTests(base.ChaosTestCase):
    """A chain of three things, of which one is held."""

    def setUp(self) -> None:
        super().setUp()
        self.embed()
        shape = templates.chain("t", 3, label="old")
        self.stack = self.create("s", shape).stack
        self.system.client.wait(self.stack, "CREATE_COMPLETE")

    def ask(self, method: str, path: str = "", **body: object) -> rest.Json:
        found = self.system.client.ask(
            method, f"{self.stack.path}/snapshots{path}", body
        )
        assert isinstance(found, dict | None)
        return found or {}

    def wait_for(self, act: str, name: str) -> None:
        records.wait_until(
            lambda: name in self.acts(act), what=f"no {act} of {name}"
        )

    def acts(self, act: str) -> list[str]:
        return [each.name for each in self.world.calls() if each.act == act]

    def restart(self) -> None:
        self.system.server.kill()
        self.world.release("s")
        self.system.start()

    def try_delete(self, taken: str) -> None:
        with contextlib.suppress(requests.RequestException, rest.RefusedError):
            self.ask("DELETE", f"/{taken}")

    def take(self) -> str:
        taken = self.ask("POST", name="first")
        self.system.client.wait(self.stack, "SNAPSHOT_COMPLETE")
        return str(taken["id"])

    def relabel(self, label: str) -> None:
        shape = templates.chain("t", 3, label=label)
        self.system.client.ask("PUT", self.stack.path, {"template": shape})
        self.system.client.wait(self.stack, "UPDATE_COMPLETE")

    def labels(self) -> set[str]:
        return {each.label for each in self.world.physical_resources("s")}

    def test_a_snapshot_goes_on_and_keeps_what_it_had(self) -> None:
        self.world.order("s", "snapshot", "t-1", moment="after")
        taken = str(self.ask("POST", name="first")["id"])
        self.wait_for("held-snapshot-after", "t-1")
        records.wait_until(
            lambda: (
                self.system.client.resources(self.stack)["t-2"][
                    "resource_status"
                ]
                == "SNAPSHOT_COMPLETE"
            ),
            what="t-2 is not stored",
        )

        self.restart()
        self.system.client.wait(self.stack, "SNAPSHOT_COMPLETE")

        self.assertEqual(1, self.acts("snapshot").count("t-2"))
        self.assertEqual([taken], self.world.snapshots())
        self.relabel("new")
        self.ask("POST", f"/{taken}/restore")
        self.system.client.wait(self.stack, "RESTORE_COMPLETE")
        self.assertEqual({"old"}, self.labels())

    def test_a_restoration_goes_on(self) -> None:
        taken = self.take()
        self.relabel("new")
        self.world.order("s", "update", "t-1", moment="after")
        self.ask("POST", f"/{taken}/restore")
        self.wait_for("held-update-after", "t-1")

        self.restart()
        self.system.client.wait(self.stack, "RESTORE_COMPLETE")

        self.assertEqual({"old"}, self.labels())
        self.check_no_doubles()

    def test_a_deletion_is_repeated_and_leaves_nothing(self) -> None:
        taken = self.take()
        self.world.order("s", "delete_snapshot", "t-1", moment="before")
        asking = threading.Thread(target=self.try_delete, args=(taken,))
        asking.start()
        self.wait_for("held-delete_snapshot-before", "t-1")

        self.restart()
        asking.join(30)
        listed = self.ask("GET")["snapshots"]
        self.ask("DELETE", f"/{taken}")

        assert isinstance(listed, list)
        self.assertEqual(
            [(taken, "FAILED")],
            [(each["id"], each["status"]) for each in listed],
        )
        self.assertEqual([], self.world.snapshots())
        self.assertEqual([], self.ask("GET")["snapshots"])

    def test_a_stack_takes_its_snapshots_along(self) -> None:
        self.take()
        self.world.order("s", "delete_snapshot", "t-1", moment="before")
        self.system.client.delete(self.stack)
        self.wait_for("held-delete_snapshot-before", "t-1")

        self.restart()
        self.system.client.wait(self.stack, "DELETE_COMPLETE")

        self.assertEqual([], self.world.snapshots())
        self.assertEqual([], self.world.physical_resources("s"))


class PolicyTests(base.ChaosTestCase):
    """``deletion_policy: Snapshot`` of the middle one of a chain."""

    def setUp(self) -> None:
        super().setUp()
        self.embed()
        shape = templates.chain("t", 3, label="old")
        resources = shape["resources"]
        assert isinstance(resources, dict)
        resources["t-1"]["deletion_policy"] = "Snapshot"
        self.stack = self.create("s", shape).stack
        self.system.client.wait(self.stack, "CREATE_COMPLETE")
        (self.resource,) = [
            each
            for each in self.world.physical_resources("s")
            if each.name == "t-1"
        ]

    def die_at(self, act: str, moment: str) -> None:
        """Delete the stack, and kill the worker at a call for the thing."""
        self.world.order("s", act, "t-1", moment=moment)
        self.system.client.delete(self.stack)
        records.wait_until(
            lambda: self.calls(f"held-{act}-{moment}"),
            what=f"no {act} of t-1",
        )
        self.system.server.kill()
        self.world.release("s")
        self.system.start()
        self.system.client.wait(self.stack, "DELETE_COMPLETE")

    def calls(self, *acts: str) -> list[world.Call]:
        return [
            each
            for each in self.world.calls()
            if each.name == "t-1" and each.act in acts
        ]

    def check(self, *acts: str) -> None:
        """Check that the thing was stored once, and then went."""
        told = self.calls("snapshot", "delete", "removed")
        self.assertEqual(acts, tuple(each.act for each in told))
        self.assertEqual([], self.world.physical_resources("s"))
        self.assertEqual([self.resource.token], self.world.snapshots())
        (kept,) = self.world.stored_resources(self.resource.token)
        self.assertEqual(("t-1", "old"), (kept.name, kept.label))

    def test_killed_before_it_is_stored(self) -> None:
        self.die_at("snapshot", "before")

        self.check("snapshot", "snapshot", "delete", "removed")

    def test_killed_before_it_is_known_that_it_is_stored(self) -> None:
        self.die_at("snapshot", "after")

        self.check("snapshot", "snapshot", "delete", "removed")

    def test_killed_while_it_is_being_stored(self) -> None:
        self.die_at("snapshot", "watch")

        self.check("snapshot", "snapshot", "delete", "removed")

    def test_killed_before_it_is_known_that_it_went(self) -> None:
        self.die_at("delete", "after")

        self.check("snapshot", "delete", "removed", "delete", "removed")
