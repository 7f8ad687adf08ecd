"""Deletions that a service reports as failed."""

import typing

from orch.plugin import call_context
from orch.resources.openstack import errors as cloud_errors
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

_CASES: typing.Final = (
    ("OS::Magnum::Cluster", "DELETE_FAILED", "DELETE_IN_PROGRESS"),
    ("OS::Manila::Share", "error_deleting", "deleting"),
    ("OS::Cinder::Volume", "error_deleting", "deleting"),
)


_CINDER: typing.Final = (
    "Invalid volume: Volume status must be available or error or"
    " error_restoring or error_extending or error_managing and must not be"
    " migrating, attached, belong to a group, have snapshots or be"
    " disassociated from snapshots after volume transfer."
)


class FakeService(clouds.Cloud):
    """One resource, which a request to remove it does not remove.

    Cinder refuses that request for a volume in any state of a deletion.
    """

    def __init__(self, place: str, key: str) -> None:
        super().__init__()
        self.place = place
        self.key = key
        self.shown: clouds.Body = {}

    def find_answer(
        self, method: str, path: str, body: object
    ) -> clouds.Answer:
        if path.partition("?")[0] != self.place:
            return 200, {}
        if method == "DELETE" and self.key == "volume":
            return 400, {"badRequest": {"code": 400, "message": _CINDER}}
        if method == "DELETE":
            return 202, None
        return 200, {self.key: self.shown} if self.key else self.shown


class DeletionTest(clouds.CloudTestCase):
    def deleted(
        self, name: str, status: str, waited_s: float
    ) -> call_context.Pending | None:
        self.kind = type_data.load_type(name)  # type: ignore[misc]
        table = self.kind.table
        self.use(FakeService(f"{table.path}/1", table.key))
        context = self.context(physical_id="1")
        self.cloud.shown = {"id": "1", "uuid": "1", "status": status}
        assert table.status is not None
        if table.status.reason_key:
            self.cloud.shown[table.status.reason_key] = "no quorum"
        self.plugin.delete(context)
        self.cloud.requests.clear()
        self.clock.time += waited_s
        return self.plugin.is_deleted(context)

    def test_one_that_has_failed_is_told_with_its_reason(self) -> None:
        for name, failed, _ in _CASES:
            error = self.assertRaises(
                cloud_errors.InError, self.deleted, name, failed, 30
            )

            self.assertIn(failed, error.message)
            if name == "OS::Magnum::Cluster":
                self.assertIn("no quorum", error.message)

    def test_the_failure_of_an_earlier_one_is_asked_again(self) -> None:
        for name, failed, _ in _CASES:
            self.assertIsInstance(
                self.deleted(name, failed, 1), call_context.Pending
            )
            self.assertEqual(1, len(self.cloud.find_requests("DELETE")))

    def test_one_under_way_is_waited_for(self) -> None:
        for name, _, pending in _CASES:
            self.assertIsInstance(
                self.deleted(name, pending, 30), call_context.Pending
            )
            self.assertEqual([], self.cloud.find_requests("DELETE"))
