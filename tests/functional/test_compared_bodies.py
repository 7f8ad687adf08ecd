"""How bodies of HTTP resources are compared, by JSON pointers."""

import copy
import typing

from tests.functional import observing
from tests.functional import test_reality_kinds
from tests.support import rest
from tests.unit.resources.http import service

Json = dict[str, typing.Any]

_BODY: typing.Final[Json] = {"size": 5, "color": "red", "labels": {"a": "1"}}


class ReplacingService(service.Service):
    """A service whose PUT replaces an object, and whose PATCH merges maps.

    :ivar fails_once: the first read after each write fails
    :ivar shown: what reads answer instead of an object; empty for objects
    :ivar items: by id
    :ivar writes: method and body of the requests that changed something
    :ivar added_label: a label that the service gives to all that it creates
    """

    def __init__(self) -> None:
        super().__init__()
        self.items: dict[str, Json] = {}
        self.writes: list[tuple[str, Json]] = []
        self.added_label: Json = {}
        self.fails_once = False
        self.shown: list[object] = []
        self._is_failing = False

    def find_answer(
        self, method: str, path: str, body: object
    ) -> tuple[int, object]:
        item_id = path.rpartition("/")[2]
        if method == "GET" and self._is_failing:
            self._is_failing = False
            return 500, {}
        if method == "GET" and self.shown:
            return 200, self.shown[0]
        self._is_failing = self.fails_once and method != "GET"
        if method == "POST":
            item_id = f"t{len(self.items)}"
            assert isinstance(body, dict)
            self.items[item_id] = copy.deepcopy(body)
            self.items[item_id]["labels"].update(self.added_label)
        found = self.items.get(item_id)
        if found is None:
            return 404, {}
        if method == "DELETE":
            del self.items[item_id]
        if method in ("PUT", "PATCH"):
            assert isinstance(body, dict)
            self.writes.append((method, copy.deepcopy(body)))
            labels = {**found.get("labels", {}), **body.get("labels", {})}
            if method == "PUT":
                found.clear()
            found.update(body)
            if method == "PATCH":
                found["labels"] = labels
        return 200, {**found, "id": item_id, "read_at": len(self.requests)}


class BodyTestCase(test_reality_kinds.KindsTestCase):
    """A stack of one object of a service."""

    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(ReplacingService())

    def declare(
        self, method: str = "PUT", body: Json = _BODY, **comparison: list[str]
    ) -> Json:
        return {
            "type": "Orch::HTTP::Resource",
            "properties": {
                "url": self.service.url,
                "create": {"path": "/things", "body": body},
                "read": {},
                "update": {"method": method, "body": body},
                **({"comparison": comparison} if comparison else {}),
            },
        }

    def object_of(self, stack: rest.Stack) -> Json:
        return self.service.items[self.physical_id(stack)]

    def template(self, resource: Json) -> Json:
        return {
            "heat_template_version": "2021-04-16",
            "resources": {"a": resource},
        }

    def refused(self, resource: Json) -> str:
        """Return why a template is refused."""
        error = self.assertRaises(
            rest.RefusedError,
            self.client.create,
            self.name,
            self.template(resource),
        )
        self.assertEqual(400, error.status)
        return str(error)


class NothingShownTests(BodyTestCase):
    def test_an_answer_without_an_object_is_no_reading(self) -> None:
        stack = self.create(a=self.declare())
        self.object_of(stack)["size"] = 9
        self.service.shown = [None]

        seen = self.look(stack)["a"]
        self.converge(stack)
        self.update_strictly(stack, "UPDATE_FAILED")
        reason = self.client.show(stack)["stack_status_reason"]
        before = list(self.service.writes)
        self.service.shown = []
        self.update_strictly(stack, "UPDATE_COMPLETE")

        self.assertEqual("unknown", seen["state"])
        self.assertIn("does not show the resource", str(seen["reason"]))
        self.assertIn("these physical resources cannot be read", str(reason))
        self.assertIn("does not show the resource", str(reason))
        self.assertEqual([], before)
        self.assertEqual(5, self.object_of(stack)["size"])

    def update_strictly(self, stack: rest.Stack, wait: str) -> None:
        self.client.ask(
            "PUT",
            stack.path,
            {
                "template": self.template(self.declare()),
                "converge": "strict",
            },
        )
        self.client.wait(stack, wait)


class ExactTests(BodyTestCase):
    def test_an_added_key_is_drift_only_where_it_is_exact(self) -> None:
        self.service.added_label = {"from-service": "x"}
        stack = self.create(
            a=self.declare(exact_pointers=["/labels"]), b=self.declare()
        )
        in_sync = {name: self.state(stack, name)[0] for name in "ab"}
        for each in self.service.items.values():
            each["labels"]["b"] = "2"
            each["unknown"] = 1

        differences = self.differences(stack)
        self.converge(stack)

        self.assertEqual({"a": "in_sync", "b": "in_sync"}, in_sync)
        ((expected, live),) = differences.values()
        self.assertEqual(
            {"a": "1", "from-service": "x"}, expected["body"]["labels"]
        )
        self.assertEqual(
            {"a": "1", "b": "2", "from-service": "x"}, live["body"]["labels"]
        )
        self.assertNotIn("unknown", live["body"])
        self.assertEqual([("PUT", _BODY)], self.service.writes)
        self.assertEqual({"a": "1"}, self.object_of(stack)["labels"])
        self.converge(stack)
        self.assertEqual(1, len(self.service.writes))
        self.assertEqual("in_sync", self.state(stack)[0])

    def test_a_single_error_hides_no_added_key(self) -> None:
        self.service.added_label = {"from-service": "x"}
        self.service.fails_once = True
        stack = self.create(a=self.declare(exact_pointers=["/labels"]))
        created = self.state(stack)
        self.object_of(stack)["size"] = 9
        self.look(stack)

        self.converge(stack)

        self.assertEqual(("in_sync", False), created)
        (told,) = observing.read(self.client, stack)["stacks"]
        self.assertEqual("in_sync", told["resources"][0]["state"])

    def test_a_key_that_is_missing_is_drift(self) -> None:
        stack = self.create(
            a=self.declare(exact_pointers=["/labels"]), b=self.declare()
        )
        for each in self.service.items.values():
            del each["labels"]

        self.assertEqual("drifted", self.state(stack)[0])
        self.assertEqual("in_sync", self.state(stack, "b")[0])
        self.converge(stack)
        self.assertEqual({"a": "1"}, self.object_of(stack)["labels"])

    def test_it_is_drift_too_where_what_is_around_it_is_missing(self) -> None:
        body: Json = {**_BODY, "meta": {"zone": "z", "tags": {"t": 1}}}
        stack = self.create(
            a=self.declare(body=body, exact_pointers=["/meta/tags"]),
            b=self.declare(body=body),
        )
        for meta in ({}, {"meta": {}}, {"meta": {"other": 1}}):
            for each in self.service.items.values():
                del each["meta"]
                each.update(meta)

            ((_, live),) = self.differences(stack).values()
            self.assertEqual("in_sync", self.state(stack, "b")[0])
            self.converge(stack)

            self.assertEqual({"zone": "z"}, live["body"]["meta"])
            self.assertEqual(body["meta"], self.object_of(stack)["meta"])
            self.service.items[self.physical_id(stack, "b")].update(body)

    def test_a_service_that_removes_nothing_is_asked_once(self) -> None:
        stack = self.create(
            a=self.declare("PATCH", exact_pointers=["/labels"])
        )
        self.object_of(stack)["labels"]["b"] = "2"

        self.converge(stack)
        self.converge(stack)

        self.assertEqual(1, len(self.service.writes))
        self.assertEqual({"a": "1", "b": "2"}, self.object_of(stack)["labels"])

    def test_an_ignored_key_in_an_exact_map_is_left(self) -> None:
        stack = self.create(
            a=self.declare(
                exact_pointers=["/labels"],
                ignored_pointers=["/labels/x~1y"],
            )
        )
        self.object_of(stack)["labels"]["x/y"] = "theirs"

        in_sync = self.state(stack)
        self.object_of(stack)["labels"]["b"] = "2"
        self.converge(stack)

        self.assertEqual(("in_sync", False), in_sync)
        self.assertEqual(
            {"a": "1", "x/y": "theirs"}, self.object_of(stack)["labels"]
        )


class HalfAnswerTests(BodyTestCase):
    def test_what_is_not_shown_any_more_drifts_still(self) -> None:
        stack = self.create(
            a=self.declare(exact_pointers=["/labels"]), b=self.declare()
        )
        for each in self.service.items.values():
            each["size"] = 9
        known = self.look(stack)
        for each in self.service.items.values():
            each.clear()

        found = self.look(stack)

        for name in "ab":
            for key in ("state", "differences", "drifted_at"):
                self.assertEqual(known[name][key], found[name][key], key)
            self.assertEqual(
                "not_shown", found[name]["uncovered"][0]["reason"]
            )
        for each in self.service.items.values():
            each.update(_BODY)
        self.assertEqual("in_sync", self.look(stack)["a"]["state"])
        history = self.client.get(f"{stack.path}/drift/history", "history")
        self.assertEqual(
            ["cleared", "cleared"], [each["ended_by"] for each in history]
        )

    def test_an_answer_without_any_part_is_no_baseline(self) -> None:
        stack = self.create(a=self.declare(exact_pointers=["/labels"]))
        self.object_of(stack).clear()

        self.assertEqual("in_sync", self.state(stack)[0])
        self.converge(stack)
        self.assertEqual([], self.service.writes)


class IgnoredTests(BodyTestCase):
    def test_what_is_ignored_is_no_drift_and_is_left(self) -> None:
        stack = self.create(a=self.declare(ignored_pointers=["/size"]))
        self.object_of(stack)["size"] = 9

        in_sync = self.state(stack)
        self.converge(stack)
        unchanged = list(self.service.writes)
        self.object_of(stack)["color"] = "blue"
        self.converge(stack)

        self.assertEqual(("in_sync", False), in_sync)
        self.assertEqual([], unchanged)
        self.assertEqual([("PUT", {**_BODY, "size": 9})], self.service.writes)

    def test_a_changed_template_leaves_what_is_ignored(self) -> None:
        stack = self.create(a=self.declare(ignored_pointers=["/size"]))
        self.object_of(stack)["size"] = 9
        changed = self.declare(
            body={**_BODY, "color": "blue"}, ignored_pointers=["/size"]
        )
        # What makes it stays: that would be a replacement.
        changed["properties"]["create"]["body"] = _BODY

        self.client.ask(
            "PUT", stack.path, {"template": self.template(changed)}
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(9, self.object_of(stack)["size"])
        self.assertEqual("blue", self.object_of(stack)["color"])


class RefusedTests(BodyTestCase):
    def test_a_pointer_has_to_lead_somewhere(self) -> None:
        for comparison, place, text in (
            ({"exact_pointers": ["labels"]}, "exact_pointers.0", "no JSON"),
            ({"ignored_pointers": ["/a~2"]}, "ignored_pointers.0", "no JSON"),
            (
                {"exact_pointers": ["/labels", "/label"]},
                "exact_pointers.1",
                "no map or list of update.body",
            ),
            ({"exact_pointers": ["/size"]}, "exact_pointers.0", "no map"),
            (
                {"ignored_pointers": ["/meta/x"]},
                "ignored_pointers.0",
                "neither to a place in update.body",
            ),
            ({"ignored_pointers": [""]}, "ignored_pointers.0", "neither"),
            (
                {
                    "exact_pointers": ["/labels"],
                    "ignored_pointers": ["/labels"],
                },
                "exact_pointers.0",
                "remove one of them",
            ),
        ):
            said = self.refused(self.declare(**comparison))

            self.assertIn(f"comparison.{place}", said)
            self.assertIn(text, said)
        self.assertEqual({}, self.service.items)

    def test_without_an_update_it_has_to_lead_into_the_creation(self) -> None:
        wanted = self.declare(exact_pointers=["/nothing"])
        del wanted["properties"]["update"]

        said = self.refused(wanted)

        self.assertIn("no map or list of create.body", said)

    def test_a_body_that_is_not_known_yet_is_checked_when_it_is(self) -> None:
        wanted = self.declare(exact_pointers=["/labels"])
        wanted["properties"]["update"]["body"] = {
            "labels": {"get_attr": ["first", "body", "size"]}
        }
        stack = self.client.create(
            self.name,
            {
                "heat_template_version": "2021-04-16",
                "resources": {"first": self.declare(), "a": wanted},
            },
        )

        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertIn(
            "comparison.exact_pointers.0", shown["stack_status_reason"]
        )
        self.assertEqual(1, len(self.service.items))
