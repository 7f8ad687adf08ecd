"""Revision 0013: what older rows own is in no known scope, and verified."""

import testscenarios

from orch.db import migrate
from orch.db import revision
from orch.db.repositories import ownership
from tests.functional.db import migrating

load_tests = testscenarios.load_tests_apply_scenarios

_TYPE = "OS::Heat::Value"


class IdScopesTest(migrating.MigratingTestCase):
    revision = "0012"

    def test_an_older_row_owns_its_id_in_any_scope(self) -> None:
        self.put(
            self.database,
            "stacks",
            {"id": "s", "root_id": "s", "project_id": "demo"},
        )
        self.put(
            self.database,
            "resources",
            {
                "stack_id": "s",
                "name": "a",
                "id": "r",
                "type_name": _TYPE,
                "physical_id": "x",
                "action": "CREATE",
                "status": "COMPLETE",
            },
        )
        key = ownership.PhysicalKey(_TYPE, "x", "scope")

        migrate.upgrade(self.database)
        migrate.upgrade(self.database)

        self.assertEqual(revision.head(), revision.current(self.database))
        with self.database.read() as conn:
            ((owner,),) = ownership.find_owners(conn, [key]).values()
        self.assertEqual(
            ("r", None, True),
            (owner.resource_id, owner.id_scope, owner.is_in("other")),
        )
