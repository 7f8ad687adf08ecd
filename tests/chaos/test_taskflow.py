"""Progress after a crash, as TaskFlow's own interface shows it."""

import contextlib

from taskflow import states
from taskflow.persistence import backends

from tests.chaos import base
from tests.chaos import records
from tests.chaos import templates


class ProgressTests(base.ChaosTestCase):
    def test_atoms_are_what_the_killed_worker_left(self) -> None:
        system = self.distribute(workers=1)
        needs = {"done": (), "stuck": ("done",), "later": ("stuck",)}
        template = templates.make_template(needs)
        stuck = template["resources"]["stuck"]
        stuck["properties"] = {"ready_after_s": 600}
        asked = self.create("s", template)
        records.wait_until(
            lambda: self.world.names() == ["done", "stuck"],
            what="the chain does not get on",
        )
        records.wait_until(
            lambda: any(
                each["name"] == "stuck" and each["physical_id"]
                for each in self.records.resources()
            ),
            what="no id was stored",
        )

        system.engines[0].kill()

        (operation,) = self.records.operations()
        backend = backends.fetch(
            {"connection": "orch://", "database": self.records.database}
        )
        with contextlib.closing(backend.get_connection()) as connection:
            book = connection.get_logbook(asked.stack.id)
            flow = connection.get_flow_details(operation["id"])
            by_flow = connection.get_atoms_for_flow(operation["id"])
            atoms = {self.name_of(atom): atom.state for atom in by_flow}
        self.assertEqual("s", book.name)
        self.assertEqual([operation["id"]], [each.uuid for each in book])
        self.assertEqual(states.RUNNING, flow.state)
        self.assertEqual({"total": 3, "done": 1}, flow.meta)
        self.assertEqual(
            {
                "done": states.SUCCESS,
                "stuck": states.RUNNING,
                "later": states.PENDING,
            },
            atoms,
        )

    def name_of(self, atom) -> str:
        rows = {
            row["id"]: str(row["name"]) for row in self.records.resources()
        }
        return rows[atom.uuid]
