"""What export and abandon write is taken, whatever its size and form."""

import json
import typing

import yaml

from tests.functional import adopting
from tests.functional import test_adopt_groups
from tests.functional import test_adopt_nested
from tests.support import rest

Json = adopting.Json
declare_resource = adopting.declare_resource
template = adopting.template

_INPUTS = ("template", "environment", "files")


def entries_of(document: Json) -> dict[str, Json]:
    return typing.cast(dict[str, Json], document["resources"])


def stacks_within(document: Json) -> list[Json]:
    """Return the documents of child stacks, at all depths."""
    return [
        found
        for each in entries_of(document).values()
        if "resources" in each
        for found in (each, *stacks_within(each))
    ]


def large_group(count: int, characters: int) -> tuple[Json, dict[str, str]]:
    """Return a group of stacks with a long template each, and its file."""
    leaf = template(
        one=declare_resource(label="one"), two=declare_resource("one")
    )
    leaf["description"] = "long " * (characters // 5)
    group = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": count, "resource_def": {"type": "leaf.yaml"}},
    }
    return template(g=group), {"leaf.yaml": yaml.safe_dump(leaf)}


class DerivedTests(adopting.AdoptingTestCase):
    """Child stacks without the inputs that their parents give them."""

    def stays(self, stack: rest.Stack, wanted: Json, **body: object) -> None:
        """Update to the same; nothing is done to anything."""
        before = self.calls_below()
        self.update(stack, wanted, **body)
        self.there.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(before, self.calls_below())

    def calls_below(self) -> list[tuple[str, str]]:
        """Return what was done to things of the whole tree."""
        return [
            (each.act, each.name)
            for each in self.world.calls()
            if each.stack.startswith(self.name)
            and each.act in ("create", "update", "delete")
        ]

    def test_a2_stacks_at_all_depths_have_no_inputs_of_their_own(self) -> None:
        wanted, files = test_adopt_nested.holding()
        stack = self.created(wanted, files=files)

        document = self.abandon(stack)
        self.wait_gone(stack)
        adopted = self.adopt(document)

        self.assertEqual(1, document["document_format"])
        self.assertEqual(3, len(stacks_within(document)))
        for each in stacks_within(document):
            self.assertEqual(set(), set(_INPUTS) & set(each))
        self.stays(adopted, wanted, files=files)

    def test_a2_what_a_child_stack_has_of_its_own_is_kept(self) -> None:
        wanted, files = test_adopt_nested.holding()
        stack = self.created(wanted, files=files)
        inner = self.here.ask("GET", f"{stack.path}/resources/one")
        found = typing.cast(dict[str, Json], inner)["resource"]
        child = rest.Stack(
            f"{self.name}-one", str(found["physical_resource_id"])
        )
        name = str(self.named(str(child.id))["stack_name"])
        other = yaml.safe_load(files["inner.yaml"])
        other["description"] = "by its own address"
        child = rest.Stack(name, child.id)
        self.here.ask("PUT", child.path, {"template": other})
        self.here.wait(child, "UPDATE_COMPLETE")

        document = self.export(stack)

        entries = entries_of(document)
        kept = typing.cast(Json, entries["one"]["template"])
        self.assertEqual("by its own address", kept["description"])
        self.assertNotIn("template", entries["two"])

    def named(self, stack_id: str) -> Json:
        listed = self.ask(self.here, "GET", "/stacks?show_nested=true")
        return next(
            each
            for each in typing.cast(list[Json], listed["stacks"])
            if each["id"] == stack_id
        )

    def test_a4_a_group_is_about_as_large_as_its_request(self) -> None:
        wanted, files = large_group(8, 12_000)
        stack = self.created(wanted, files=files)

        document = self.abandon(stack)
        self.wait_gone(stack)
        adopted = self.adopt(document)

        self.assertLess(len(json.dumps(document)), 24_000)
        self.stays(adopted, wanted, files=files)

    def test_a4_a_group_that_scales_has_no_inputs_either(self) -> None:
        wanted = test_adopt_groups.scaling_template()
        stack = self.created(wanted)

        document = self.export(stack)

        self.assertNotIn("template", entries_of(document)["g"])

    def test_a4_documents_of_former_versions_are_taken(self) -> None:
        """They repeat the inputs in each child stack, and have no number."""
        wanted, files = large_group(2, 500)
        stack = self.created(wanted, files=files)
        document = self.abandon(stack)
        self.wait_gone(stack)
        del document["document_format"]
        leaf = yaml.safe_load(files["leaf.yaml"])
        for each in stacks_within(document)[1:]:
            each.update(template=leaf, environment={}, files=files)

        adopted = self.adopt(document)

        self.stays(adopted, wanted, files=files)


class FormatTests(adopting.AdoptingTestCase):
    def test_a_newer_document_is_refused(self) -> None:
        """Also before its seal is opened: a newer one may be another."""
        stack = self.created(self.chain())
        document = self.export(stack)
        document["document_format"] = 3
        document["seal"] = {"version": 9}

        error = self.assertRaises(
            rest.RefusedError, self.begin_adopt, document
        )

        self.assertEqual(400, error.status)
        self.assertIn("written by a newer version", str(error.body))

    def test_what_is_no_number_is_refused(self) -> None:
        document = {**self.export(self.created(self.chain()))}
        for wrong in ("2", 0, True, [1]):
            document["document_format"] = wrong
            self.assertEqual(
                (400, "HTTPBadRequest"),
                self.refused(self.begin_adopt, document),
            )
