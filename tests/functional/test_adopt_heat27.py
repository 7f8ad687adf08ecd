"""What a real Heat 27 exported is adopted unchanged, and goes on here."""

import json
import pathlib
import typing

from tests.functional import adopting
from tests.support import rest

Json = adopting.Json

_DOCUMENTS = pathlib.Path(__file__).parent / "documents" / "heat27"
_ADDRESSES = frozenset({"cli", "url"})
"""Outputs that name the installation."""
_RENEWED = frozenset({"pre_signed"})
"""Resources that every update replaces."""


def read(name: str) -> Json:
    text = (_DOCUMENTS / f"{name}.json").read_text("utf-8")
    return typing.cast(Json, json.loads(text))


def map_of(value: object) -> dict[str, Json]:
    return typing.cast(dict[str, Json], value)


def outputs_of(name: str) -> Json:
    """Return the values that Heat itself showed."""
    return {
        key: each["output_value"]
        for key, each in read(f"{name}.outputs").items()
        if isinstance(each, dict) and key not in _ADDRESSES
    }


def leaves(document: Json) -> list[str]:
    """Return the physical ids in a document, at any depth, sorted."""
    found = []
    for entry in map_of(document["resources"]).values():
        if "resources" in entry:
            found.extend(leaves(entry))
        elif entry["resource_id"]:
            found.append(str(entry["resource_id"]))
    return sorted(found)


class Heat27Tests(adopting.AdoptingTestCase):
    def adopt(
        self, data: object, status: str = "ADOPT_COMPLETE", **body: object
    ) -> rest.Stack:
        """Adopt for as long as the test runs: others have the same ids."""
        stack = super().adopt(data, status, **body)
        self.addCleanup(self.abandon_there, stack)
        return stack

    def abandon_there(self, stack: rest.Stack) -> None:
        if self.there.show(stack)["stack_status"] != "DELETE_COMPLETE":
            self.ask(self.there, "DELETE", f"{stack.path}/abandon")
            self.there.wait(stack, "DELETE_COMPLETE")

    def shown(self, stack: rest.Stack) -> Json:
        found = self.there.outputs(stack)
        return {k: v for k, v in found.items() if k not in _ADDRESSES}

    def exported(self, stack: rest.Stack) -> Json:
        return self.ask(self.there, "GET", f"{stack.path}/export")

    def inputs(self, document: Json) -> Json:
        return {key: document[key] for key in ("files", "environment")}

    def lives_on(self, name: str, document: Json | None = None) -> rest.Stack:
        """Adopt; let nothing, then something change; check; delete."""
        document = document or read(name)
        stack = self.adopt(document)
        self.assertEqual(outputs_of(name), self.shown(stack))
        self.assertLessEqual(
            set(leaves(document)), set(leaves(self.exported(stack)))
        )
        wanted = typing.cast(Json, document["template"])
        self.assertEqual([], self.planned(stack, wanted, document))
        resources = map_of(wanted["resources"])
        added: Json = {
            "type": "OS::Heat::Value",
            "properties": {"value": "added here"},
        }
        changed = {**wanted, "resources": {**resources, "added": added}}
        self.assertEqual(
            [("create", "added")], self.planned(stack, changed, document)
        )
        self.update(stack, changed, **self.inputs(document))
        self.there.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(outputs_of(name), self.shown(stack))
        self.ask_check(stack)
        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")
        return stack

    def planned(
        self, stack: rest.Stack, wanted: Json, document: Json
    ) -> list[tuple[object, object]]:
        """Return kind and name of what an update would do."""
        answer = self.ask(
            self.there,
            "PUT",
            f"{stack.path}/preview",
            {"template": wanted, **self.inputs(document)},
        )
        changes = typing.cast(list[Json], map_of(answer["plan"])["changes"])
        return [
            (each["kind"], each["resource_name"])
            for each in changes
            if each["resource_name"] not in {"", *_RENEWED}
        ]

    def ask_check(self, stack: rest.Stack) -> None:
        self.ask(self.there, "POST", f"{stack.path}/actions", {"check": None})
        self.there.wait(stack, "CHECK_COMPLETE")

    def test_a2_a_flat_stack(self) -> None:
        stack = self.adopt(read("flat"))
        self.assertEqual(["moved", "flat"], self.there.show(stack)["tags"])
        entries = map_of(read("flat")["resources"])
        self.assertEqual(
            {name: each["resource_id"] for name, each in entries.items()},
            self.ids(self.there, stack),
        )
        self.abandon_there(stack)

        self.lives_on("flat")

    def test_a2_the_text_of_a_document(self) -> None:
        text = (_DOCUMENTS / "flat.json").read_text("utf-8")

        stack = self.adopt(text)

        self.assertEqual(outputs_of("flat"), self.shown(stack))

    def test_a4_a_nested_stack(self) -> None:
        self.lives_on("nested")

    def test_a4_a_group_stack(self) -> None:
        self.lives_on("group")

    def test_a4_a_group_and_a_chain(self) -> None:
        self.lives_on("numbered")

    def test_a4_what_a_group_lost_stays_lost(self) -> None:
        document = read("group")
        stack = self.adopt(document)
        self.update(
            stack,
            typing.cast(Json, document["template"]),
            files=document["files"],
            parameters={"count": 3, "gone": ["1"]},
        )
        self.there.wait(stack, "UPDATE_COMPLETE")

        numbered = map_of(self.there.outputs(stack)["numbered"])
        self.assertEqual({"0", "2", "3"}, set(numbered))
        known = map_of(outputs_of("group")["numbered"])
        self.assertEqual(known, {key: numbered[key] for key in known})

    def test_a2_a_stack_that_waited(self) -> None:
        self.lives_on("waiting")

    def test_a2_a_stack_with_software(self) -> None:
        self.lives_on("software")

    def test_a2_a_stack_that_rests(self) -> None:
        stack = self.adopt(read("resting"))

        self.assertEqual(outputs_of("resting"), self.shown(stack))

    def test_a8_what_heat_could_not_make_is_not_adopted(self) -> None:
        before = self.mark()

        stack = self.adopt(read("failing"), "ADOPT_FAILED")

        self.assertEqual(
            "Resource ADOPT failed: Permanent: resources.bad: Resource ID was"
            " not provided.",
            self.there.show(stack)["stack_status_reason"],
        )
        self.assertEqual("ADOPT_COMPLETE", self.statuses(stack)["good"])
        self.assertEqual([], self.writes(before))

    def test_a4_the_id_of_a_stack_elsewhere_is_not_enough(self) -> None:
        stack = self.adopt(read("apart"), "ADOPT_FAILED")

        self.assertIn(
            "give its document in place of the id",
            str(self.there.show(stack)["stack_status_reason"]),
        )

    def test_a4_with_its_document_that_stack_comes_too(self) -> None:
        document = read("apart")
        document["resources"] = {"apart": read("apart-inner")}

        self.lives_on("apart", document)

    def test_a1_our_documents_have_all_that_those_of_heat_have(self) -> None:
        for name in ("flat", "nested", "group", "software", "waiting"):
            document = read(name)
            stack = self.adopt(document, stack_name=f"{self.name}-{name}")
            ours = self.exported(stack)
            self.assertEqual([], list(_missing(document, ours, name)))
            self.abandon_there(stack)


_DERIVED = frozenset({"template", "environment", "files"})


def _missing(
    heats: Json, ours: Json, place: str
) -> typing.Iterator[tuple[str, str]]:
    """Yield where a document lacks a key, or has another kind of value.

    Child stacks lack what Heat and Orch make of their parents' files.
    """
    for key, value in heats.items():
        if key in _DERIVED and "." in place:
            continue
        if key not in ours:
            yield place, key
        elif key == "resources":
            for name, entry in map_of(value).items():
                inner = map_of(ours[key])[name]
                yield from _missing(entry, inner, f"{place}.{name}")
        elif None not in (value, ours[key]) and type(value) is not type(
            ours[key]
        ):
            yield place, f"{key}: {type(ours[key]).__name__}"
