"""Notifications of an old Heat, as the proposal of a search shows them."""

import datetime
import json
import time
import typing

import fixtures

from orch.search import document
from orch_search_heat import thin
from tests import base

Json = dict[str, typing.Any]

_ID = "2b9fe9c1-3044-4cc9-83da-28192b42acbe"
_PROJECT = "501e7e3f3f204a088c4c8a2e98ca734a"


def seed(action: str, state: str, reason: str, created: str) -> Json:
    """Return a payload, byte by byte as it was once written down."""
    return typing.cast(
        Json,
        json.loads(
            f'{{"state_reason": "{reason}", "user_id": null,'
            f' "stack_identity": "{_ID}", "stack_name": "test-stack",'
            f' "tenant_id": "{_PROJECT}", "create_at": "{created}",'
            f' "state": "{action}_{state}"}}'
        ),
    )


_FULL = "2016-02-29T22:15:56.378444"
_SHORT = "2016-02-29T22:15:56"
SEEDS: typing.Final = {
    "create.start": seed(
        "CREATE", "IN_PROGRESS", "Stack CREATE started", _FULL
    ),
    "create.end": seed(
        "CREATE", "COMPLETE", "Stack CREATE completed successfully", _FULL
    ),
    "update.start": seed(
        "UPDATE", "IN_PROGRESS", "Stack UPDATE started", _SHORT
    ),
    "update.end": seed(
        "UPDATE", "COMPLETE", "Stack UPDATE completed successfully", _SHORT
    ),
    "delete.start": seed(
        "DELETE", "IN_PROGRESS", "Stack DELETE started", _SHORT
    ),
    "delete.end": seed(
        "DELETE", "COMPLETE", "Stack DELETE completed successfully", _SHORT
    ),
}
_CREATED = datetime.datetime(
    2016, 2, 29, 22, 15, 56, 378444, datetime.UTC
).timestamp()


def heard(name: str, version: int = 1_456_784_157_000_001) -> Json:
    return {
        "event_type": f"orchestration.stack.{name}",
        "version": version,
        "payload": SEEDS[name],
    }


def documents_of(thin_: Json) -> document.StackDocuments:
    found = thin.documents_of(thin_)
    assert found is not None
    return found


class SeedTest(base.TestCase):
    def test_s5_a_creation_is_told(self) -> None:
        found = documents_of(heard("create.end"))

        self.assertEqual(
            document.StackDocuments(
                stack_id=_ID,
                version=1_456_784_157_000_001,
                read_at=found.read_at,
                documents=(
                    document.Document(
                        id=f"stack/{_ID}",
                        kind="stack",
                        stack_id=_ID,
                        root_id=_ID,
                        project_id=_PROJECT,
                        path="test-stack",
                        name="test-stack",
                        type="OS::Heat::Stack",
                        action="CREATE",
                        status="COMPLETE",
                        reason="Stack CREATE completed successfully",
                        created_at=found.documents[0].created_at,
                        updated_at=found.documents[0].created_at,
                    ),
                ),
                redacted=document.UNKNOWN_REDACTION,
            ),
            found,
        )
        self.assertEqual(_CREATED, found.documents[0].created_at)
        self.assertEqual(1_456_784_157.000001, found.read_at)

    def test_each_says_how_the_stack_stands(self) -> None:
        told = {
            name: [
                (each.action, each.status, each.reason)
                for each in documents_of(heard(name)).documents
            ]
            for name in SEEDS
        }

        self.assertEqual(
            {
                "create.start": [
                    ("CREATE", "IN_PROGRESS", "Stack CREATE started")
                ],
                "create.end": [
                    (
                        "CREATE",
                        "COMPLETE",
                        "Stack CREATE completed successfully",
                    )
                ],
                "update.start": [
                    ("UPDATE", "IN_PROGRESS", "Stack UPDATE started")
                ],
                "update.end": [
                    (
                        "UPDATE",
                        "COMPLETE",
                        "Stack UPDATE completed successfully",
                    )
                ],
                "delete.start": [
                    ("DELETE", "IN_PROGRESS", "Stack DELETE started")
                ],
                "delete.end": [],
            },
            told,
        )

    def test_s5_a_later_one_has_the_greater_version(self) -> None:
        first = documents_of(heard("create.end", 1))
        second = documents_of(heard("update.start", 2))

        self.assertLess(
            (first.version, first.read_at), (second.version, second.read_at)
        )

    def test_moments_may_have_a_zone_and_fractions(self) -> None:
        whole = _CREATED - 0.378444
        self.addCleanup(time.tzset)
        self.useFixture(fixtures.EnvironmentVariable("TZ", "Asia/Tokyo"))
        time.tzset()

        self.assertEqual(_CREATED, thin.parse_time(_FULL))
        self.assertEqual(whole, thin.parse_time(_SHORT))
        self.assertEqual(whole, thin.parse_time(f"{_SHORT}Z"))
        self.assertEqual(whole, thin.parse_time("2016-02-29T23:15:56+01:00"))
        for nothing in (None, "", "soon", 7):
            self.assertIsNone(thin.parse_time(nothing))


class LaterTest(base.TestCase):
    def test_what_heat_says_today_is_taken_too(self) -> None:
        payload = {
            **SEEDS["update.end"],
            "user_id": "ann",
            "username": "ann",
            "user_identity": "u1",
            "updated_at": f"{_SHORT}Z",
            "description": "web",
            "tags": ["blue", "green"],
        }

        (found,) = documents_of(
            {**heard("update.end"), "payload": payload}
        ).documents

        self.assertEqual("ann", found.owner)
        self.assertEqual(("blue", "green"), found.tags)
        self.assertEqual("web", found.description)
        self.assertEqual(_CREATED - 0.378444, found.updated_at)
        self.assertEqual({"stack.user_id": ("u1",)}, found.admin)

    def test_what_was_never_updated_has_changed_when_made(self) -> None:
        payload = {
            **SEEDS["create.end"],
            "create_at": f"{_SHORT}Z",
            "updated_at": None,
        }

        (found,) = documents_of(
            {**heard("create.end"), "payload": payload}
        ).documents

        self.assertEqual(_CREATED - 0.378444, found.created_at)
        self.assertEqual(found.created_at, found.updated_at)

    def test_s3_one_with_a_hidden_tag_says_so(self) -> None:
        payload = {**SEEDS["create.end"], "tags": ["blue", "veil"]}
        told = {**heard("create.end"), "payload": payload}

        for tags, is_hidden in ((("veil",), True), (("other",), False)):
            found = thin.documents_of(told, frozenset(tags))
            assert found is not None
            (stack,) = found.documents
            self.assertEqual(is_hidden, stack.is_hidden)
            self.assertEqual(is_hidden, "stack" in found.redacted)
            self.assertLessEqual(document.UNKNOWN_REDACTION, found.redacted)

    def test_an_address_may_stand_for_the_id(self) -> None:
        arn = f"arn:openstack:heat::{_PROJECT}:stacks/test-stack/{_ID}"
        payload = {**SEEDS["create.end"], "stack_identity": arn}

        found = documents_of({**heard("create.end"), "payload": payload})

        self.assertEqual(_ID, found.stack_id)

    def test_s3_a_reason_that_may_quote_what_is_hidden_is_left_out(
        self,
    ) -> None:
        for state, reason in (
            ("CREATE_FAILED", "no room for canary-1"),
            ("ROLLBACK_COMPLETE", "Resource CREATE failed: canary-1"),
        ):
            payload = {**SEEDS["update.end"], "state": state}
            payload["state_reason"] = reason
            found = documents_of({**heard("update.end"), "payload": payload})

            self.assertNotIn("canary", repr(found))

    def test_one_that_names_no_stack_makes_nothing(self) -> None:
        for wrong in (
            {},
            {"version": 1, "payload": "x"},
            {"version": 1, "payload": {"stack_name": "x"}},
            {"payload": SEEDS["create.end"]},
        ):
            self.assertIsNone(thin.documents_of(wrong), wrong)
