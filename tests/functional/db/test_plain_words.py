"""Revision 0009: columns and keys of documents get plain names."""

import sqlalchemy as sa
import testscenarios

from orch.db import migrate
from orch.db import revision
from orch.db import types
from tests.functional.db import migrating

load_tests = testscenarios.load_tests_apply_scenarios

_REPORT = {
    "status": "FAILED",
    "status_reason": "it rang",
    "output_values": {"asked_by": "told"},
    "signals_seen": 2,
}


def _plan(key: str) -> dict[str, object]:
    """Return a stored plan, with child plans two levels deep."""
    deep = {"changes": [{"key": "c", "reason": "inner"}]}
    child = {"changes": [{"key": "b", key: deep}]}
    return {"signature": [["inner"]], "shown": {"changes": [{key: child}]}}


_BARE = {key: value for key, value in _REPORT.items() if key != "signals_seen"}


class PlainWordsTest(migrating.MigratingTestCase):
    revision = "0008"

    def test_columns_keep_what_they_hold(self) -> None:
        given = {
            "stacks": {"id": "s", "is_astray": True},
            "resources": {"id": "r", "wanted": {"kept": 1}},
            "watches": {"root_id": "s", "asked_at": 1.5},
            "lifecycle_runs": {"operation_id": "o", "hold_asked_at": 2.5},
            "observations": {"resource_id": "r", "covered": 3},
            "forwarded_addresses": {"resource_id": "r", "told_at": 4.5},
            "software_deployments": {"id": "d", "signals_seen": 5},
        }
        for name, row in given.items():
            self.put(self.database, name, row)

        migrate.upgrade(self.database)

        self.assertEqual(revision.head(), revision.current(self.database))
        found = {
            name: self.read(name, column)[0][0]
            for name, column in (
                ("stacks", "has_diverged"),
                ("resources", "desired_properties"),
                ("watches", "requested_at"),
                ("lifecycle_runs", "hold_requested_at"),
                ("observations", "compared"),
                ("forwarded_addresses", "notified_at"),
                ("software_deployments", "signal_count"),
            )
        }
        self.assertEqual(
            {
                "stacks": True,
                "resources": {"kept": 1},
                "watches": 1.5,
                "lifecycle_runs": 2.5,
                "observations": 3,
                "forwarded_addresses": 4.5,
                "software_deployments": 5,
            },
            found,
        )

    def test_documents_have_the_new_keys_sealed_or_not(self) -> None:
        entry = {"kept": {"inner_snapshot_id": "x"}, "data": {"kept": 1}}
        deployment = {"resource_data": {"told": _REPORT, "key": 1}}
        for number, each in enumerate(self.databases):
            snapshot = {"tags": [], "resources": {"kept": entry, "b": {}}}
            document = {
                "resources": {
                    "told": deployment,
                    "child": {"resources": {"deep": deployment}},
                    "other": {"resource_data": {"told": "yes"}},
                },
                "leftovers": [deployment],
            }
            self.put(each, "snapshots", {"id": f"s{number}", "data": snapshot})
            self.put(
                each,
                "abandonments",
                {"id": f"a{number}", "document": document},
            )
            self.put(
                each,
                "plans",
                {"id": f"p{number}", "changes": _plan("inner")},
            )
            self.put(
                each,
                "kept_answers",
                {"key": str(number), "answer": {"asked_at": 1.5}},
            )
            self.put(
                each,
                "resources",
                {
                    "id": f"r{number}",
                    "kept": {"inner_snapshot_id": "x"},
                    "data": {"told": _REPORT},
                },
            )

        self.upgrade_once()

        renamed = {"outcome": {**_BARE, "signal_count": 2}}
        done = {"resource_data": {**renamed, "key": 1}}
        self.assertEqual(
            [
                [
                    {
                        "tags": [],
                        "resources": {
                            "kept": {
                                "snapshot_data": {"child_snapshot_id": "x"},
                                "data": {"kept": 1},
                            },
                            "b": {},
                        },
                    }
                ]
            ]
            * 2,
            self.read("snapshots", "data"),
        )
        self.assertEqual(
            [
                [
                    {
                        "resources": {
                            "told": done,
                            "child": {"resources": {"deep": done}},
                            "other": {"resource_data": {"told": "yes"}},
                        },
                        "leftovers": [done],
                    }
                ]
            ]
            * 2,
            self.read("abandonments", "document"),
        )
        self.assertEqual(
            [[_plan("child_plan")]] * 2, self.read("plans", "changes")
        )
        self.assertEqual(
            [[{"requested_at": 1.5}]] * 2, self.read("kept_answers", "answer")
        )
        self.assertEqual(
            [[{"child_snapshot_id": "x"}, renamed]] * 2,
            self.read("resources", "snapshot_data", "data"),
        )

    def test_all_operations_say_who_requested_their_attempts(self) -> None:
        attempt = {"number": 1, "asked_by": "ann"}
        self.put(
            self.database,
            "operations",
            *(
                {
                    "id": f"o{number:03}",
                    "attempts": types.dump([attempt] if number % 2 else []),
                }
                for number in range(450)
            ),
        )

        self.upgrade_once()

        self.assertEqual(
            [
                [[{"number": 1, "requested_by": "ann"}] if number % 2 else []]
                for number in range(450)
            ],
            self.read("operations", "attempts"),
        )

    def test_a_walk_that_was_cut_off_goes_on(self) -> None:
        with self.database.write() as conn:
            conn.execute(
                sa.text(
                    "ALTER TABLE resources RENAME COLUMN kept TO snapshot_data"
                )
            )

        migrate.upgrade(self.database)

        self.assertEqual(revision.head(), revision.current(self.database))
