"""What a snapshot stores of resources, and how it is read back."""

import json

from orch import clock
from orch import ids
from orch.model import marked
from orch.model import resource
from orch.model import snapshot
from orch.model import states
from tests import base

OPERATION = ids.OperationId("o")
PROPERTIES = marked.Marked(
    {"text": "s3cret", "many": [{"a": 1}]}, [("text",), ("many", 0, "a")]
)


def _row(**given: object) -> resource.Resource:
    return resource.Resource(
        **{
            "id": ids.ResourceId("r"),
            "stack_id": ids.StackId("s"),
            "name": "web",
            "type_name": "T::Thing",
            "created_at": clock.Timestamp(0),
            "updated_at": clock.Timestamp(0),
            **given,
        }
    )


def _snapshot(data: dict[str, object]) -> snapshot.Snapshot:
    """Return one whose data was stored as JSON."""
    return snapshot.Snapshot(
        id="o",
        stack_id=ids.StackId("s"),
        name=None,
        operation_id=OPERATION,
        status=states.Status.COMPLETE,
        status_reason="",
        template_hash="t",
        environment_hash="e",
        data=json.loads(json.dumps(data)),
        created_at=clock.Timestamp(0),
    )


class SnapshotTest(base.TestCase):
    def test_properties_keep_their_marks(self) -> None:
        data = snapshot.data_of(
            (), [_row(properties=PROPERTIES)], OPERATION, None
        )

        (found,) = _snapshot(data).resources()

        self.assertEqual(PROPERTIES, found.properties)
        self.assertEqual(
            PROPERTIES.sensitive, marked.paths_of(found.properties)
        )
        self.assertIs(True, found.has_secrets)

    def test_what_was_taken_and_is_orphaned_keeps_them_too(self) -> None:
        row = _row(
            properties=PROPERTIES,
            action=states.Action.SNAPSHOT,
            operation_id=OPERATION,
            snapshot_data={"image": "i"},
        )
        earlier = _snapshot(snapshot.data_of((), [row], OPERATION, None))
        data = snapshot.data_of((), [], OPERATION, earlier)

        (found,) = _snapshot(data).taken()

        self.assertEqual(
            PROPERTIES.sensitive, marked.paths_of(found.properties)
        )

    def test_without_marks_nothing_is_sensitive(self) -> None:
        data = snapshot.data_of(
            (), [_row(properties={"text": "x"})], OPERATION, None
        )

        (found,) = _snapshot(data).resources()

        self.assertEqual({"text": "x"}, found.properties)
        self.assertEqual((), marked.paths_of(found.properties))

    def test_a_snapshot_from_before_there_were_marks_is_read(self) -> None:
        data = snapshot.data_of(
            (), [_row(properties={"a": 1})], OPERATION, None
        )
        del data["resources"]["web"]["sensitive"]  # type: ignore[index]

        (found,) = _snapshot(data).resources()

        self.assertEqual({"a": 1}, found.properties)
