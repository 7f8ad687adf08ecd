"""Revision 0014: what was abandoned before is offered to no project."""

import sqlalchemy as sa
import testscenarios

from orch import ids
from orch.db import migrate
from orch.db import revision
from orch.db.repositories import abandonments
from orch.db.repositories import forwarding
from tests.functional.db import migrating

load_tests = testscenarios.load_tests_apply_scenarios


class HandOversTest(migrating.MigratingTestCase):
    revision = "0013"

    def test_an_older_abandonment_is_kept_and_not_offered(self) -> None:
        document = {"name": "web", "resources": {}}
        self.put(
            self.database,
            "abandonments",
            {
                "id": "a",
                "stack_id": "s",
                "project_id": "demo",
                "operation_id": "o",
                "document": document,
            },
        )
        self.put(
            self.database,
            "forwarded_addresses",
            {
                "stack_id": "s",
                "resource_id": "r",
                "origin_id": "s",
                "path": {},
                "kind": "signal",
            },
        )

        migrate.upgrade(self.database)
        migrate.upgrade(self.database)

        self.assertEqual(revision.head(), revision.current(self.database))
        stack_id = ids.StackId("s")
        with self.database.write() as conn:
            kept = abandonments.find_committed(conn, stack_id)
            found = abandonments.find_hand_over(conn, stack_id)
            self.assertEqual([], abandonments.list_hand_overs(conn, "demo"))
            (address,) = forwarding.list_(conn, stack_id)
            abandonments.update(conn, "a", receiver_id="b", offered_at=1.0)
            (offered,) = abandonments.list_hand_overs(conn, "b")
            names = {
                each["name"]
                for each in sa.inspect(conn).get_indexes("abandonments")
            }
        assert kept is not None
        assert found is not None
        self.assertEqual(document, kept.document)
        self.assertEqual(
            (None, None), (found.receiver_id, address.successor_id)
        )
        self.assertEqual("s", offered.stack_id)
        self.assertLessEqual(
            {
                "ix_abandonments_receiver_id_offered_at",
                "ix_abandonments_project_id_offered_at",
            },
            names,
        )
