"""Updates that go by what is there, with files and directories."""

import pathlib
import typing

from tests.functional import converging
from tests.support import rest
from tests.support import serving

Json = converging.Json


class LocalTests(serving.ServerTestCase):
    """Somebody works in the directory that the types may use."""

    defaults = serving.options()

    def setUp(self) -> None:
        super().setUp()
        self.place = pathlib.Path(self.system.root) / self.id().rsplit(".")[-1]

    def desired_template(self, content: str = "as wanted\n") -> Json:
        name = self.place.name
        return converging.template(
            home={
                "type": "Orch::Local::Directory",
                "properties": {"path": name},
            },
            note={
                "type": "Orch::Local::File",
                "depends_on": "home",
                "properties": {"path": f"{name}/note", "content": content},
            },
            other={
                "type": "Orch::Local::File",
                "depends_on": "home",
                "properties": {"path": f"{name}/other"},
            },
        )

    def create(self) -> rest.Stack:
        stack = self.client.create(self.place.name, self.desired_template())
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def plan(self, stack: rest.Stack, wanted: Json) -> list[str]:
        """Return what an update would do, a line each."""
        found = self.client.ask(
            "PUT",
            f"{stack.path}/preview",
            {"template": wanted, "converge": True},
        )
        plan = typing.cast(Json, typing.cast(Json, found)["plan"])
        changes = typing.cast(list[Json], plan["changes"])
        return [
            f"{each['kind']} {each['resource_name']}"
            for each in changes
            if each["resource_name"]
        ]

    def converge(self, stack: rest.Stack, wanted: Json) -> None:
        events = len(self.client.events(stack))
        self.client.ask(
            "PUT", stack.path, {"template": wanted, "converge": True}
        )
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertGreater(len(self.client.events(stack)), events)

    def test_d1_a_file_that_somebody_wrote_to_is_put_back(self) -> None:
        stack = self.create()
        note = self.place / "note"
        note.write_text("somebody's\n", "utf-8")
        self.assertEqual(
            ["update note"], self.plan(stack, self.desired_template())
        )

        self.converge(stack, self.desired_template())

        self.assertEqual("as wanted\n", note.read_text("utf-8"))
        self.assertEqual([], self.plan(stack, self.desired_template()))

    def test_d1_what_somebody_wrote_may_be_what_is_wanted_next(self) -> None:
        stack = self.create()
        note = self.place / "note"
        note.write_text("next\n", "utf-8")
        written_at = note.stat().st_mtime_ns

        self.converge(stack, self.desired_template("next\n"))

        self.assertEqual("next\n", note.read_text("utf-8"))
        self.assertEqual(written_at, note.stat().st_mtime_ns)

    def test_d1_other_permissions_are_put_back(self) -> None:
        stack = self.create()
        (self.place / "note").chmod(0o600)

        self.converge(stack, self.desired_template())

        mode = (self.place / "note").stat().st_mode & 0o777
        self.assertEqual(0o644, mode)

    def test_d4_a_file_that_is_gone_is_made_anew(self) -> None:
        stack = self.create()
        (self.place / "note").unlink()
        self.assertEqual(
            ["delete note", "create note"],
            self.plan(stack, self.desired_template()),
        )

        self.converge(stack, self.desired_template())

        self.assertEqual(
            "as wanted\n", (self.place / "note").read_text("utf-8")
        )
        self.assertEqual([], self.plan(stack, self.desired_template()))
