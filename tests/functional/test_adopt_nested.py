"""Stacks in stacks come and go as a whole."""

import time
import typing

import requests
import yaml

from tests.functional import adopting
from tests.support import rest

Json = adopting.Json
declare_resource = adopting.declare_resource
template = adopting.template


def holding() -> tuple[Json, dict[str, str]]:
    """Return a template of two levels, and its files."""
    inner = template(
        x=declare_resource(label={"get_param": "label"}),
        y=declare_resource("x"),
    )
    inner["parameters"] = {"label": {"type": "string", "default": "l"}}
    inner["outputs"] = {"x": {"value": {"get_resource": "x"}}}
    middle = template(
        deep={"type": "inner.yaml", "properties": {"label": "deep"}},
        m=declare_resource(),
    )
    middle["outputs"] = {"x": {"value": {"get_attr": ["deep", "x"]}}}
    outer = template(
        one={"type": "inner.yaml"},
        two={"type": "middle.yaml"},
        own=declare_resource("one"),
    )
    outer["outputs"] = {
        "one": {"value": {"get_attr": ["one", "x"]}},
        "two": {"value": {"get_attr": ["two", "x"]}},
    }
    files = {"inner.yaml": inner, "middle.yaml": middle}
    return outer, {name: yaml.safe_dump(each) for name, each in files.items()}


class NestedTests(adopting.AdoptingTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.desired, self.files = holding()

    def moved(self) -> tuple[rest.Stack, Json]:
        """Return a stack that was made here, and its document."""
        stack = self.created(self.desired, files=self.files)
        document = self.abandon(stack)
        self.wait_gone(stack)
        return stack, document

    def leaves(self, document: Json) -> list[str]:
        """Return the ids of all things in a document."""
        found: list[str] = []
        entries = typing.cast(dict[str, Json], document["resources"])
        for entry in entries.values():
            if "resources" in entry:
                found += self.leaves(entry)
            else:
                found.append(str(entry["resource_id"]))
        return sorted(found)

    def nested(self, client: rest.Client) -> list[Json]:
        query = "/stacks?show_nested=true"
        listed = typing.cast(
            list[Json], self.ask(client, "GET", query)["stacks"]
        )
        return [
            each
            for each in listed
            if str(each["stack_name"]).startswith(self.name)
        ]

    def test_a6_all_levels_go_and_all_things_stay(self) -> None:
        _, document = self.moved()

        self.assertEqual(6, len(self.leaves(document)))
        self.assertEqual([], self.nested(self.here))
        self.assertEqual([], self.writes_of_all("delete"))

    def test_a6_one_that_is_held_does_not_go_alone(self) -> None:
        stack = self.created(self.desired, files=self.files)
        held = str(self.ids(self.here, stack)["one"])
        name = next(
            str(each["stack_name"])
            for each in self.nested(self.here)
            if each["id"] == held
        )

        refused = self.refused(self.abandon, rest.Stack(name, held))

        self.assertEqual((400, "NotSupported"), refused)

    def test_a_g3_what_runs_inside_is_stopped_first(self) -> None:
        self.world.order(self.name, "create", "x", moment="after")
        stack = self.here.create(self.name, self.desired, files=self.files)
        limit = time.monotonic() + 15
        while not self.writes_of_all("held-create-after"):
            self.assertLess(time.monotonic(), limit, "nothing is held")
            time.sleep(0.02)

        refused = self.refused(self.abandon, stack)
        self.world.release(self.name)
        self.here.wait(stack, "CREATE_FAILED")
        limit = time.monotonic() + 15
        while not (document := self.try_to_abandon(stack)):
            self.assertLess(time.monotonic(), limit, "it does not stop")
        self.wait_gone(stack)

        self.assertEqual((409, "ActionInProgress"), refused)
        made = self.writes_of_all("made")
        found = [each for each in self.leaves(document) if each != "None"]
        self.assertEqual(len(made), len(found))
        self.assertEqual([], self.writes_of_all("delete"))

    def try_to_abandon(self, stack: rest.Stack) -> Json:
        try:
            return self.abandon(stack)
        except rest.RefusedError as refused:
            if refused.status != requests.codes.conflict:
                raise
            return {}

    def writes_of_all(self, *acts: str) -> list[str]:
        return [
            each.name
            for each in self.world.calls()
            if each.stack.startswith(self.name) and each.act in acts
        ]

    def test_a4_all_levels_are_adopted(self) -> None:
        _, document = self.moved()
        made = len(self.writes_of_all("create"))

        adopted = self.adopt(document)

        self.assertEqual(made, len(self.writes_of_all("create")))
        found = self.ask(self.there, "GET", f"{adopted.path}/export")
        self.assertEqual(self.leaves(document), self.leaves(found))
        self.assertEqual(4, len(self.nested(self.there)))
        self.assertEqual(
            {"ADOPT_COMPLETE"},
            {str(each["stack_status"]) for each in self.nested(self.there)},
        )

    def test_a4_then_it_lives_on_there(self) -> None:
        stack = self.created(self.desired, files=self.files)
        outputs = self.here.outputs(stack)
        document = self.abandon(stack)
        adopted = self.adopt(document)
        self.assertEqual(outputs, self.there.outputs(adopted))

        self.update(adopted, self.desired, files=self.files)
        self.there.wait(adopted, "UPDATE_COMPLETE")
        self.assertEqual([], self.writes_of_all("update", "delete"))
        self.there.ask("POST", f"{adopted.path}/actions", {"check": None})
        self.there.wait(adopted, "CHECK_COMPLETE")
        self.there.delete(adopted)
        self.there.wait(adopted, "DELETE_COMPLETE")

        self.assertEqual(6, len(self.writes_of_all("delete")))
        self.assertEqual([], self.nested(self.there))

    def test_a4_written_by_hand_it_needs_ids_alone(self) -> None:
        _, document = self.moved()

        def bare(found: Json) -> Json:
            entries = typing.cast(dict[str, Json], found["resources"])
            return {
                "resources": {
                    name: bare(each)
                    if "resources" in each
                    else {"resource_id": each["resource_id"]}
                    for name, each in entries.items()
                }
            }

        adopted = self.adopt(
            {**bare(document), "template": self.desired}, files=self.files
        )

        found = self.ask(self.there, "GET", f"{adopted.path}/export")
        self.assertEqual(self.leaves(document), self.leaves(found))

    def fail(self, **body: object) -> rest.Stack:
        """Adopt a stack in which one id is missing, deep inside."""
        _, document = self.moved()
        entries = typing.cast(
            dict[str, dict[str, dict[str, Json]]], document["resources"]
        )
        deep = typing.cast(
            dict[str, dict[str, Json]], entries["two"]["resources"]["deep"]
        )
        deep["resources"]["y"]["resource_id"] = None
        return self.begin_adopt(document, **body)

    def test_a8_a_failure_inside_fails_it(self) -> None:
        stack = self.fail()

        shown = self.there.wait(stack, "ADOPT_FAILED")

        self.assertIn(
            "Resource ID was not provided", str(shown["stack_status_reason"])
        )
        self.assertEqual([], self.writes_of_all("delete"))

    def test_a_g1_a_rollback_lets_go_of_all_levels(self) -> None:
        stack = self.fail(disable_rollback=False)

        self.there.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual([], self.writes_of_all("delete"))
        self.assertEqual([], self.nested(self.there))

    def test_a8_a_failure_inside_is_retried(self) -> None:
        _, document = self.moved()
        self.world.order(
            self.name, "check", "y", how="permanent", moment="before", times=1
        )
        stack = self.begin_adopt(document, adopt_verify="refuse")
        self.there.wait(stack, "ADOPT_FAILED")

        self.there.retry(stack)
        self.there.wait(stack, "ADOPT_COMPLETE")

        found = self.ask(self.there, "GET", f"{stack.path}/export")
        self.assertEqual(self.leaves(document), self.leaves(found))
        self.assertEqual([], self.writes_of_all("delete"))
