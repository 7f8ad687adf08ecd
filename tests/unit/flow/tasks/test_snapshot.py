"""What a plug-in answers when it is asked for a snapshot."""

import testtools

from orch import clock
from orch import ids
from orch.flow.tasks import base
from orch.flow.tasks import snapshot
from orch.model import resource as model_resource
from orch.planner import plan
from orch.plugin import call_context
from orch.plugin import resource

NOW = clock.Timestamp(0.0)
ROW = model_resource.Resource(
    id=ids.ResourceId("row"),
    stack_id=ids.StackId("stack"),
    name="a",
    type_name="A::B",
    physical_id="thing",
    created_at=NOW,
    updated_at=NOW,
    operation_id=ids.OperationId("operation"),
)
CHANGE = plan.Change(
    kind=plan.Kind.SNAPSHOT,
    name="a",
    type_name="A::B",
    resource_id=ROW.id,
    requires=(),
    reason="exists",
)


class Plain(resource.Resource):
    """A type that stores nothing."""

    type_name = "A::B"


class Storing(Plain):
    """A type that stores whatever a test says."""

    answer: object = None

    def snapshot(self, context, snapshot_id):
        self.requested_snapshot = snapshot_id
        return self.answer


class Resources:
    """One row, and the plug-in that acts on it."""

    def __init__(self, plugin: resource.Resource) -> None:
        self.plugin_ = plugin
        self.stored: list[object] = []
        self.rows = {ROW.id: ROW}

    def acting(self, change: plan.Change) -> plan.Change:
        return change

    def plugin(self, row: model_resource.Resource) -> resource.Resource:
        return self.plugin_

    def context(self, row: model_resource.Resource):
        return self.plugin_, None

    def record_snapshot_data(self, change: plan.Change, kept: object) -> None:
        self.stored.append(kept)


def storing(answer: object) -> Storing:
    plugin = Storing(None)  # type: ignore[arg-type]
    plugin.answer = answer
    return plugin


class SnapshotTaskTest(testtools.TestCase):
    def task(
        self,
        plugin: resource.Resource,
        kind: type[snapshot.SnapshotTask] = snapshot.SnapshotTask,
    ) -> snapshot.SnapshotTask:
        self.resources = Resources(plugin)
        task = kind(CHANGE, self.resources)  # type: ignore[arg-type]
        task.pre_execute()
        return task

    def test_what_is_kept_is_noted_before_it_is_waited_for(self) -> None:
        task = self.task(storing({"copy": "1"}))

        step = task.begin()
        task.note(step)

        self.assertEqual(call_context.Pending(0), step.pending)
        self.assertEqual([{"copy": "1"}], self.resources.stored)
        self.assertEqual(
            {"snapshot_data": {"copy": "1"}}, task.poll().to_result()
        )

    def test_a_type_that_stores_nothing_is_not_asked(self) -> None:
        task = self.task(Plain(None))  # type: ignore[arg-type]

        self.assertTrue(task.is_effect_free)
        self.assertEqual({"snapshot_data": {}}, task.begin().to_result())

    def test_what_is_no_map_of_json_is_refused(self) -> None:
        for answer in (None, ["copy"], {"copy": object()}):
            task = self.task(storing(answer))

            self.assertRaises(base.BadAnswer, task.begin)

    def test_the_snapshot_is_named_by_its_operation(self) -> None:
        plugin = storing({})

        self.task(plugin).begin()

        self.assertEqual("operation", plugin.requested_snapshot)

    def test_before_a_removal_it_is_named_by_the_thing(self) -> None:
        plugin = storing({"copy": "1"})
        task = self.task(plugin, snapshot.FinalSnapshotTask)

        task.begin()

        self.assertEqual("row", plugin.requested_snapshot)
        self.assertIn('{"copy":"1"}', task.poll().reason)
