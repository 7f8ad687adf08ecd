import dataclasses
import os

from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.local import directory
from orch.resources.local import file
from orch.resources.local import root
from tests import base
from tests.unit.resources import contexts

OTHER = "0f1f64d4-6c7f-4d3a-9e3c-2f2f9a9b1c02"


def make(path: str = "a/site", **more: object) -> call_context.Context:
    token = str(more.pop("token", contexts.TOKEN))
    called = str(more.pop("called", "thing" if token != OTHER else "other"))
    return contexts.make(
        directory.Directory, token=token, called=called, path=path, **more
    )


class DirectoryTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.root = self.make_directory()
        self.conf = contexts.options(self.root)
        self.clock = contexts.FakeClock()
        self.plugin = directory.Directory(self.conf, self.clock)

    def test_it_is_made_with_its_parents_and_mode(self) -> None:
        physical_id = self.plugin.create(make(mode="0700"))

        self.assertEqual("a/site", physical_id)
        mode = (self.root / "a" / "site").stat().st_mode
        self.assertEqual(0o40700, mode)

    def test_a_foreign_directory_or_file_is_not_taken_over(self) -> None:
        (self.root / "there").mkdir()
        (self.root / "file").touch()

        for path in ("there", "file"):
            error = self.assertRaises(
                root.LocalRefused, self.plugin.create, make(path)
            )
            self.assertIn("exists already", error.message)
            self.assertIsNone(self._find(path))

    def _find(self, path: str) -> object:
        try:
            return self.plugin.find(make(path))
        except root.LocalRefused:
            return None

    def test_another_resources_directory_is_not_taken_over(self) -> None:
        self.plugin.create(make())

        self.assertRaises(
            root.LocalRefused, self.plugin.create, make(token=OTHER)
        )
        self.plugin.delete(make(token=OTHER))
        self.assertIsNone(self.plugin.is_deleted(make(token=OTHER)))
        self.assertEqual("a/site", self.plugin.find(make()))

    def test_it_goes_over_to_the_one_that_replaces_it(self) -> None:
        replacement = make(token=OTHER, called="thing", mode="0700")
        self.plugin.create(make())
        path = self.root / "a" / "site"
        (path / "x").touch()

        self.plugin.create(replacement)
        self.assertIsNone(self.plugin.find(make()))
        self.plugin.delete(make())
        self.assertIsNone(self.plugin.is_deleted(make()))

        self.assertEqual(0o40700, path.stat().st_mode)
        self.assertEqual("a/site", self.plugin.find(replacement))
        (path / "x").unlink()
        self.plugin.delete(replacement)
        self.assertEqual([".orch"], contexts.names(self.root))

    def test_what_a_lost_attempt_left_is_found_and_used(self) -> None:
        self.assertIsNone(self.plugin.find(make()))
        self.plugin.create(make())

        self.assertEqual("a/site", self.plugin.find(make()))
        self.assertEqual("a/site", self.plugin.create(make()))

    def test_d4_one_that_was_removed_has_vanished(self) -> None:
        wanted = make("data", physical_id="data", mode="0700")
        self.plugin.create(wanted)
        path = self.root / "data"
        path.chmod(0o711)
        self.assertEqual(
            {"path": "data", "mode": "0711"}, self.plugin.get_reality(wanted)
        )

        path.rmdir()

        self.assertRaises(reality.Vanished, self.plugin.get_reality, wanted)
        self.assertRaises(reality.Vanished, self.plugin.check, wanted)

    def test_a_directory_that_vanished_is_made_again(self) -> None:
        self.plugin.create(make())
        (self.root / "a" / "site").rmdir()

        self.assertIsNone(self.plugin.find(make()))
        self.plugin.create(make(token=OTHER))

        self.assertEqual("a/site", self.plugin.find(make(token=OTHER)))

    def test_removal_leaves_nothing_behind(self) -> None:
        self.plugin.create(make())

        self.plugin.delete(make())

        self.assertIsNone(self.plugin.is_deleted(make()))
        self.assertEqual([".orch"], contexts.names(self.root))
        marks = self.root / ".orch" / "directories"
        self.assertEqual([], contexts.names(marks))

    def test_removing_what_is_gone_is_success(self) -> None:
        self.plugin.delete(make())
        self.plugin.create(make())
        (self.root / "a" / "site").rmdir()

        self.plugin.delete(make())

        self.assertIsNone(self.plugin.is_deleted(make()))

    def test_foreign_things_in_it_keep_it(self) -> None:
        for name in ("file", "directory", "link"):
            path = f"with-{name}"
            self.plugin.create(make(path))
            place = self.root / path / "foreign"
            if name == "file":
                place.touch()
            elif name == "directory":
                place.mkdir()
            else:
                place.symlink_to("/")

            error = self.assertRaises(
                root.LocalRefused, self.plugin.delete, make(path)
            )

            self.assertIn("it holds foreign, which Orch", error.message)
            self.assertTrue(os.path.lexists(place))

    def test_it_waits_for_other_resources_to_leave(self) -> None:
        files = file.File(self.conf)
        inner = contexts.make(file.File, token=OTHER, path="a/site/x/y")
        self.plugin.create(make())
        files.create(inner)

        self.plugin.delete(make())
        pending = self.plugin.is_deleted(make())
        files.delete(inner)

        assert pending is not None
        self.assertEqual("still holds x", pending.note)
        self.assertIsNone(self.plugin.is_deleted(make()))
        self.assertEqual([".orch"], contexts.names(self.root))

    def test_it_does_not_wait_for_ever(self) -> None:
        files = file.File(self.conf)
        self.plugin.create(make())
        files.create(contexts.make(file.File, token=OTHER, path="a/site/y"))

        self.clock.time += 61

        error = self.assertRaises(
            root.LocalRefused, self.plugin.is_deleted, make()
        )
        self.assertIn("still holds y", error.message)

    def test_its_mode_changes_in_place(self) -> None:
        self.plugin.create(make(mode="0755"))
        path = self.root / "a" / "site"
        (path / "x").touch()

        self.plugin.update(make(mode="0700"), {}, {"mode"})

        self.assertEqual(0o40700, path.stat().st_mode)
        self.assertEqual(["x"], contexts.names(path))

    def test_one_that_vanished_is_made_anew_by_a_change(self) -> None:
        self.plugin.create(make())
        path = self.root / "a" / "site"
        path.rmdir()

        self.plugin.update(make(mode="0700"), {}, {"mode"})

        self.assertEqual(0o40700, path.stat().st_mode)
        self.plugin.delete(make())
        self.assertEqual([".orch"], contexts.names(self.root))

    def test_it_is_well_as_long_as_it_stands_with_its_mode(self) -> None:
        self.plugin.create(make())
        path = self.root / "a" / "site"
        self.assertIsNone(self.plugin.check(make()))
        stranger = contexts.make(
            directory.Directory, token=OTHER, path="a/site"
        )

        foreign = self.assertRaises(
            root.LocalRefused, self.plugin.check, stranger
        )
        path.chmod(0o700)
        mode = self.assertRaises(root.LocalRefused, self.plugin.check, make())
        path.rmdir()
        gone = self.assertRaises(root.LocalRefused, self.plugin.check, make())

        accepted = dataclasses.replace(make(), baseline={"mode": "0700"})
        path.mkdir(0o700)
        self.assertIsNone(self.plugin.check(accepted))

        self.assertIn("was not made by this", foreign.message)
        self.assertIn("its mode is 0700, not 0755", mode.message)
        self.assertIn("is not there", gone.message)

    def test_path_and_facts_are_shown(self) -> None:
        self.plugin.create(make())
        (self.root / "a" / "site" / "x").touch()

        self.assertEqual(
            {"path": str(self.root / "a" / "site")},
            self.plugin.read_attributes(make(), {"path"}),
        )
        shown = self.plugin.show(make())
        assert isinstance(shown, dict)
        self.assertEqual((1, "0755"), (shown["entries"], shown["mode"]))
