from orch import errors
from orch import ids
from orch.context import request
from orch.model import states
from orch.rpc import contract
from tests.functional.rpc import worker
from tests.unit.engine import fakes

TEMPLATE = {
    "heat_template_version": "2018-08-31",
    "resources": {"web": {"type": "Test::Server"}},
}


class EventsTest(worker.TestCase):
    """The stack has event 1 of its own; a test adds events 2 and 3."""

    def setUp(self) -> None:
        super().setUp()
        self.stack_id = self.create(TEMPLATE)
        self.row = self.put_resource(
            self.stack_id, "web", properties={"flavor": "small"}
        )
        self.begun = self.put_event(
            self.stack_id,
            2,
            status=states.Status.IN_PROGRESS,
            resource_id=self.row.id,
        )
        self.made = self.put_event(
            self.stack_id,
            3,
            resource_id=self.row.id,
            physical_id="physical",
            request_id="req-made",
        )
        self.identity = {
            "project_id": "demo",
            "stack_name": "app",
            "stack_id": self.stack_id,
        }

    def sequences(
        self, resource_name: str | None = None, **query: object
    ) -> list[int]:
        found = self.events.list(
            self.ann,
            self.stack_id,
            resource_name=resource_name,
            query=query,  # type: ignore[arg-type]
        )
        return [each["sequence"] for each in found]


class ListTest(EventsTest):
    def test_events_come_as_they_happened(self) -> None:
        self.assertEqual([1, 2, 3], self.sequences())

    def test_an_event_says_what_its_row_says(self) -> None:
        (found,) = self.events.list(
            self.ann, self.stack_id, query={"marker": self.begun.id}
        )

        self.assertEqual(
            {
                "id": self.made.id,
                "sequence": 3,
                "created_at": fakes.NOW + 3,
                "resource_name": "web",
                "resource_type": "Test::Server",
                "physical_id": "physical",
                "action": "CREATE",
                "status": "COMPLETE",
                "reason": "state changed",
                "request_id": "req-made",
                "stack": self.identity,
                "root_stack": self.identity,
            },
            found,
        )

    def test_events_of_one_resource_are_listed_alone(self) -> None:
        self.assertEqual([2, 3], self.sequences("web"))
        self.assertEqual([1], self.sequences("app"))
        for name in ("none", "\0"):
            self.assertEqual([], self.sequences(name))

    def test_filters_choose(self) -> None:
        self.assertEqual(
            [3], self.sequences(filters={"resource_status": ["COMPLETE"]})
        )
        self.assertEqual(
            [2, 3],
            self.sequences(filters={"resource_type": ["Test::Server"]}),
        )
        self.assertEqual([], self.sequences(filters={"resource_name": ["\0"]}))

    def test_pages_go_both_ways(self) -> None:
        self.assertEqual([1, 2], self.sequences(limit=2))
        self.assertEqual([3, 2], self.sequences(limit=2, sort_dir="desc"))
        self.assertEqual([1, 2, 3], self.sequences(limit=10**30))

    def test_a_marker_that_names_nothing_is_passed_over(self) -> None:
        for marker in ("\0", "nothing", ids.new()):
            self.assertEqual([1, 2, 3], self.sequences(marker=marker))

    def test_events_of_another_project_are_not_there(self) -> None:
        error = self.assertRaises(
            errors.NotFound,
            self.events.list,
            self.eve,
            self.stack_id,
            query={},
        )
        self.assertEqual("orch.stack.not_found", error.code)

    def test_a_nested_stack_s_events_name_their_root(self) -> None:
        child = self.create(TEMPLATE, "child")
        self.set_stack(child, parent_id=self.stack_id, root_id=self.stack_id)

        (found,) = self.events.list(self.ann, child, query={})

        self.assertEqual(self.identity, found["root_stack"])
        self.assertEqual("child", found["stack"]["stack_name"])


class ShowTest(EventsTest):
    def show(self, name: str, event_id: str) -> dict[str, object]:
        return dict(self.events.show(self.ann, self.stack_id, name, event_id))

    def test_an_event_is_shown_with_the_resource_s_properties(self) -> None:
        found = self.show("web", self.begun.id)

        self.assertEqual("IN_PROGRESS", found["status"])
        self.assertEqual({"flavor": "small"}, found["resource_properties"])

    def test_an_event_of_the_stack_has_no_properties(self) -> None:
        event_id = ids.event_id(self.stack_id, 1)

        self.assertEqual({}, self.show("app", event_id)["resource_properties"])

    def test_an_event_outlives_its_resource(self) -> None:
        fact = self.put_event(
            self.stack_id, 4, resource_id=ids.ResourceId(ids.new())
        )

        self.assertEqual({}, self.show("web", fact.id)["resource_properties"])

    def test_what_is_no_event_of_the_resource_is_not_found(self) -> None:
        other = self.create(TEMPLATE, "other")
        for name, event_id in (
            ("db", self.begun.id),
            ("web", ids.event_id(self.stack_id, 9)),
            ("web", ids.event_id(other, 2)),
            ("web", ids.event_id(self.stack_id, (1 << 48) - 1)),
            ("web", "nothing"),
            ("web", self.begun.id.upper() + " "),
            ("web", "\0"),
        ):
            error = self.assertRaises(
                errors.NotFound, self.show, name, event_id
            )
            self.assertEqual("orch.event.not_found", error.code, event_id)


class FollowTest(EventsTest):
    def follow(
        self,
        after: str | None = None,
        ctxt: request.RequestContext | None = None,
    ) -> contract.FollowedFacts:
        return self.events.follow(
            ctxt or self.ann, self.stack_id, after=after, nested_depth=0
        )

    def test_what_was_not_seen_comes_with_where_to_go_on(self) -> None:
        found = self.follow()

        self.assertEqual(
            [1, 2, 3], [each["event"]["sequence"] for each in found["events"]]
        )
        first = found["events"][0]["position"]
        later = self.follow(first)["events"]
        self.assertEqual([2, 3], [each["event"]["sequence"] for each in later])
        self.assertEqual([], self.follow(later[-1]["position"])["events"])

    def test_others_see_nothing(self) -> None:
        self.assertRaises(errors.NotFound, self.follow, None, self.eve)

    def test_what_is_no_position_is_refused(self) -> None:
        for after in ("x", ids.event_id(ids.StackId(ids.new()), 1)):
            self.assertRaises(errors.Invalid, self.follow, after)
