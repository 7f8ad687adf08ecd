"""Files and directories that stand become a template, and a stack's own."""

import pathlib
import typing

from tests.functional import adopting
from tests.support import rest

Json = adopting.Json

_FILE = "Orch::Local::File"
_DIRECTORY = "Orch::Local::Directory"


class GenerateLocalTests(adopting.AdoptingTestCase):
    """Each test has a directory of its own below the allowed root.

    :ivar place: that directory, which nobody manages
    """

    def setUp(self) -> None:
        super().setUp()
        self.place = self.pair.there.root / self.name
        self.place.mkdir(parents=True)

    def put(self, name: str, content: str, mode: int = 0o644) -> pathlib.Path:
        path = self.place / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, "utf-8")
        path.chmod(mode)
        return path

    def generate(self, **body: object) -> Json:
        return self.ask(self.there, "POST", "/stacks/generate", body)

    def resources(self, answer: Json) -> dict[str, Json]:
        wanted = typing.cast(dict[str, dict[str, Json]], answer["template"])
        return wanted["resources"]

    def changes(self, stack: rest.Stack, wanted: Json) -> list[Json]:
        """Return what an update would do."""
        plan = self.ask(
            self.there, "PUT", f"{stack.path}/preview", {"template": wanted}
        )
        return typing.cast(dict[str, list[Json]], plan["plan"])["changes"]

    def document(self, **properties: object) -> Json:
        """Return a document of the file ``note`` of this test."""
        path = f"{self.name}/note"
        wanted = adopting.template(
            note={"type": _FILE, "properties": {"path": path, **properties}}
        )
        return {"template": wanted, "resources": {"note": path}}

    def reason(self, stack: rest.Stack) -> str:
        row = self.there.resources(stack)["note"]
        return str(row["resource_status_reason"])

    def test_a_g6_what_is_listed_is_adopted_and_goes_on(self) -> None:
        note = self.put("note", "as it was\n", 0o600)
        page = self.put("site/page", "häh")
        (self.place / "link").symlink_to(note)

        answer = self.generate(
            listings=[
                {"type": _FILE, "name": f"{self.name}/*"},
                {"type": _DIRECTORY, "name": f"{self.name}/s*"},
            ]
        )
        stack = self.adopt(answer["adopt_stack_data"], adopt_verify="refuse")

        self.assertEqual(
            {
                "note": {
                    "path": f"{self.name}/note",
                    "content": "as it was\n",
                    "mode": "0600",
                },
                "page": {"path": f"{self.name}/site/page", "content": "häh"},
                "site": {"path": f"{self.name}/site"},
            },
            {k: v["properties"] for k, v in self.resources(answer).items()},
        )
        wanted = typing.cast(Json, answer["template"])
        self.assertEqual([], self.changes(stack, wanted))
        self.assertEqual("as it was\n", note.read_text("utf-8"))
        self.ask(self.there, "POST", f"{stack.path}/actions", {"check": None})
        self.there.wait(stack, "CHECK_COMPLETE")
        typing.cast(Json, self.resources(answer)["page"]["properties"])[
            "content"
        ] = "new"
        self.update(stack, wanted)
        self.there.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual("new", page.read_text("utf-8"))
        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")
        self.assertEqual(
            ["link"], [each.name for each in self.place.iterdir()]
        )

    def test_a_g6_what_a_stack_owns_is_left_out(self) -> None:
        self.put("note", "x")
        listing = {"listings": [{"type": _FILE, "name": f"{self.name}/*"}]}
        first = self.generate(**listing)
        self.adopt(first["adopt_stack_data"])

        again = self.generate(**listing)

        self.assertEqual({}, self.resources(again))
        left = typing.cast(list[Json], again["omitted"])
        self.assertEqual(
            [f"{self.name}/note"], [each["resource_id"] for each in left]
        )

    def test_a_g6_another_spelling_gets_nobody_at_an_owned_file(self) -> None:
        note = self.put("note", "secret")
        self.adopt(self.document(content="secret"))
        path = f"{self.name}//note"

        error = self.assertRaises(
            rest.RefusedError,
            self.generate,
            resources=[{"type": _FILE, "resource_id": path}],
        )
        document = self.document()
        document["template"] = adopting.template(
            note={"type": _FILE, "properties": {"path": path}}
        )
        document["resources"] = {"note": path}
        stack = self.adopt(
            document, "ADOPT_FAILED", stack_name=f"{self.name}-2"
        )

        self.assertIn(f"is known as {self.name}/note", error.message)
        self.assertNotIn("secret", error.message)
        self.assertIn("is known as", self.reason(stack))
        self.assertEqual("secret", note.read_text("utf-8"))

    def test_a_g6_things_without_tags_are_not_found_by_one(self) -> None:
        self.put("note", "x")

        answer = self.generate(listings=[{"type": _FILE, "tag": "blue"}])

        self.assertEqual({}, self.resources(answer))

    def test_a_g6_bytes_that_are_no_text_are_refused(self) -> None:
        (self.place / "note").write_bytes(b"\xff\xfe")

        refused = self.refused(
            self.generate,
            resources=[{"type": _FILE, "resource_id": f"{self.name}/note"}],
        )

        self.assertEqual(400, refused[0])

    def test_a_g4_a_file_that_differs_is_refused(self) -> None:
        note = self.put("note", "other")

        stack = self.adopt(
            self.document(content="wanted"),
            "ADOPT_FAILED",
            adopt_verify="refuse",
        )

        self.assertIn(
            "differs from its template in content", self.reason(stack)
        )
        self.there.delete(stack)
        self.there.wait(stack, "DELETE_COMPLETE")
        self.assertEqual("other", note.read_text("utf-8"))

    def test_a_g4_a_difference_is_told_and_the_next_update_ends_it(
        self,
    ) -> None:
        note = self.put("note", "other")
        document = self.document(content="wanted")

        stack = self.adopt(document)

        self.assertIn("content", self.reason(stack))
        self.assertEqual("other", note.read_text("utf-8"))
        wanted = typing.cast(Json, document["template"])
        self.assertEqual(
            [("update", "note")],
            [
                (each["kind"], each["resource_name"])
                for each in self.changes(stack, wanted)
            ],
        )
        self.update(stack, wanted)
        self.there.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual("wanted", note.read_text("utf-8"))

    def test_a_g4_the_preview_shows_how_a_file_differs(self) -> None:
        self.put("note", "other", 0o600)
        request = {
            "stack_name": self.name,
            "adopt_stack_data": self.document(content="wanted"),
        }

        answer = self.ask(self.there, "POST", "/stacks/preview", request)

        stack = typing.cast(dict[str, dict[str, list[Json]]], answer["stack"])
        (change,) = stack["plan"]["changes"]
        shown = typing.cast(dict[str, Json], change["properties"])
        self.assertEqual(
            {"content": ("other", "wanted"), "mode": ("0600", "0644")},
            {
                name: (each["old"], each["new"])
                for name, each in shown.items()
                if "old" in each
            },
        )

    def test_a8_what_is_not_there_is_not_adopted(self) -> None:
        stack = self.adopt(self.document(), "ADOPT_FAILED")

        self.assertIn(f"{self.name}/note is not there", self.reason(stack))

    def test_a_g4_the_id_of_another_path_is_refused(self) -> None:
        self.put("note", "x")
        self.put("other", "y")
        document = self.document()
        document["resources"] = {"note": f"{self.name}/other"}

        stack = self.adopt(document, "ADOPT_FAILED")

        self.assertIn("is another place than the path", self.reason(stack))

    def test_a7_a_file_goes_from_stack_to_stack(self) -> None:
        note = self.put("note", "x")
        document = self.document(content="x")
        first = self.adopt(document)
        told = self.ask(self.there, "DELETE", f"{first.path}/abandon")
        self.there.wait(first, "DELETE_COMPLETE")

        second = self.adopt(told, adopt_verify="refuse")
        self.there.delete(second)
        self.there.wait(second, "DELETE_COMPLETE")

        self.assertFalse(note.exists())
        store = self.pair.there.root / ".orch" / "files"
        owners = [
            each.name
            for each in store.glob("*.json")
            if f"{self.name}/note" in each.read_text("utf-8")
        ]
        self.assertEqual([], owners)
