"""Configs and deployments whose worker dies before it notes what it kept.

The rows of what plug-ins keep are their world: what was kept once is not kept
a second time, and a server finds one config for each action.
"""

import contextlib
import sqlite3

from tests.functional import test_lost_answers as lost
from tests.support import rest


class SoftwareTestCase(lost.LostAnswerTestCase):
    def look(self) -> object:
        """Return the ids of all configs and deployments."""
        path = self.system.directory / "state" / "orch.db"
        with contextlib.closing(sqlite3.connect(path)) as conn:
            return [
                sorted(conn.execute(f"SELECT id FROM {table}"))
                for table in ("software_configs", "software_deployments")
            ]


class ConfigTests(SoftwareTestCase):
    def test_it_is_kept_once_and_removed(self) -> None:
        stack = self.create("Config", config="echo")
        self.assertEqual(self.left, self.look())
        self.assertEqual([1, 0], [len(each) for each in self.left])

        self.delete(stack)

        self.assertEqual([[], []], self.look())


class DeploymentTests(SoftwareTestCase):
    def metadata(self) -> list[dict[str, object]]:
        return self.client.get(
            "/software_deployments/metadata/web", "metadata"
        )

    def hand_over(self, act: str, stack: rest.Stack) -> object:
        """Wait until a worker has died in the act; tell how it went after.

        :returns: the id of the config that the server found
        """
        self.wait_for_death(act)
        self.left = self.look()
        self.system.start()
        (found,) = self.metadata()
        self.client.ask(
            "POST",
            f"{stack.path}/resources/thing/signal",
            {"deploy_status_code": 0},
        )
        self.client.wait(stack, f"{act.upper()}_COMPLETE")
        self.assertEqual(self.left, self.look())
        return found["id"]

    def test_it_is_handed_over_once_for_each_action(self) -> None:
        self.deaths.ask_for("create")
        wanted = self.template("Deployment", {"server": "web"})
        stack = self.client.create("s", wanted)
        first = self.hand_over("create", stack)

        self.deaths.ask_for("update")
        wanted = self.template("Deployment", {"server": "web", "name": "n"})
        self.client.ask("PUT", stack.path, {"template": wanted})
        second = self.hand_over("update", stack)

        self.assertNotEqual(first, second)
        self.delete(stack)
        self.assertEqual([[], []], self.look())
