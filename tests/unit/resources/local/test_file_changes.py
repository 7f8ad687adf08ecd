import dataclasses
import hashlib
import os
import pathlib

import fixtures

from orch import errors
from orch.plugin import reality
from orch.resources.local import directory
from orch.resources.local import owned_file
from orch.resources.local import records
from orch.resources.local import root
from tests.unit.resources import contexts
from tests.unit.resources.local import files


class FileChangesTest(files.FileTestCase):
    def update(self, **properties: object) -> pathlib.Path:
        self.plugin.update(files.make(**properties), {}, set(properties))
        return self.root / "site" / "index.html"

    def test_content_and_mode_change_in_place(self) -> None:
        self.plugin.create(files.make(content="old", mode="0600"))

        path = self.update(content="new", mode="0640")

        self.assertEqual("new", path.read_text())
        self.assertEqual(0o100640, path.stat().st_mode)
        self.assertEqual(["index.html"], contexts.names(path.parent))
        self.plugin.delete(files.make())
        self.assertEqual([], self.left())
        self.assertEqual([], self.staged())

    def test_a_reader_never_sees_half_of_a_change(self) -> None:
        self.plugin.create(files.make(content="old"))
        path = self.root / "site" / "index.html"

        with path.open() as stream:
            self.update(content="new and longer")

            self.assertEqual("old", stream.read())

    def test_a_change_may_be_asked_for_again(self) -> None:
        self.plugin.create(files.make(content="old"))
        self.update(content="new")

        path = self.update(content="new")

        self.assertEqual("new", path.read_text())
        self.assertEqual("site/index.html", self.plugin.find(files.make()))

    def die_while_changing(self, dies_at: int) -> None:
        """Change the content, and be stopped before one of the renames."""
        renames = 0
        rename = os.rename

        def stop(*arguments: object, **more: object) -> None:
            nonlocal renames
            renames += 1
            if renames == dies_at:
                raise KeyboardInterrupt
            rename(*arguments, **more)

        with fixtures.MonkeyPatch("os.rename", stop):
            self.assertRaises(
                KeyboardInterrupt, self.update, content="half way"
            )

    def test_whatever_a_crash_left_the_change_is_made_once_more(self) -> None:
        for dies_at, seen in ((1, "old"), (2, "half way")):
            self.plugin.create(files.make(content="old"))
            self.die_while_changing(dies_at)
            path = self.root / "site" / "index.html"
            self.assertEqual(seen, path.read_text())
            self.assertEqual("site/index.html", self.plugin.find(files.make()))

            self.update(content="new")

            self.assertEqual("new", path.read_text())
            self.plugin.delete(files.make())
            self.assertEqual([], self.left())
            self.assertEqual([], self.staged())

    def test_whatever_a_crash_left_can_be_removed(self) -> None:
        for dies_at in (1, 2):
            self.plugin.create(files.make(content="old"))
            self.die_while_changing(dies_at)

            self.plugin.delete(files.make())

            self.assertEqual([], self.left())
            self.assertEqual([], self.staged())

    def test_two_changes_at_once_are_kept_apart(self) -> None:
        self.plugin.create(files.make(content="old"))
        with (
            root.Root(self.conf).private(owned_file.FILES) as store,
            records.lock_file(store, f"{contexts.TOKEN}.lock", "it is busy"),
            fixtures.MonkeyPatch(
                "orch.resources.local.records._TIMEOUT_S", 0.1
            ),
        ):
            error = self.assertRaises(
                errors.Transient, self.update, content="new"
            )

        self.assertIn("by another worker", error.message)

    def test_a_file_that_vanished_is_written_anew_by_a_change(self) -> None:
        self.plugin.create(files.make(content="old"))
        path = self.root / "site" / "index.html"
        path.rename(self.root / "elsewhere")
        path.parent.rmdir()

        self.update(content="new")

        self.assertEqual("new", path.read_text())
        self.assertEqual("old", (self.root / "elsewhere").read_text())

    def test_a_foreign_file_is_never_changed(self) -> None:
        self.plugin.create(files.make(content="old"))
        path = self.root / "site" / "index.html"
        path.unlink()
        path.write_text("somebody else's")

        error = self.assertRaises(
            root.LocalRefused, self.update, content="new"
        )

        self.assertIn("is not the file", error.message)
        self.assertEqual("somebody else's", path.read_text())

    def test_one_that_an_editor_made_anew_is_put_back_as_it_was_seen(
        self,
    ) -> None:
        self.plugin.create(files.make(content="ours"))
        path = self.root / "site" / "index.html"
        path.unlink()
        path.write_text("theirs")
        path.chmod(0o600)
        wanted = files.make(content="ours", physical_id="site/index.html")
        seen = self.plugin.get_reality(wanted)

        self.plugin.update(wanted, seen, {"content", "mode"})

        self.assertEqual(
            {"path": "site/index.html", "content": "theirs", "mode": "0600"},
            seen,
        )
        self.assertEqual("ours", path.read_text())
        self.assertIsNone(self.plugin.check(wanted))

    def test_another_resources_file_is_not_put_back(self) -> None:
        self.plugin.create(files.make(content="ours"))
        path = self.root / "site" / "index.html"
        path.unlink()
        self.plugin.create(files.make(content="theirs", token=files.OTHER))
        wanted = files.make(content="ours", physical_id="site/index.html")
        seen = self.plugin.get_reality(wanted)

        self.assertRaises(
            root.LocalRefused, self.plugin.update, wanted, seen, {"content"}
        )
        self.assertEqual("theirs", path.read_text())

    def test_d4_one_that_was_removed_has_vanished(self) -> None:
        wanted = files.make(physical_id="site/index.html")
        self.assertRaises(reality.Vanished, self.plugin.get_reality, wanted)
        self.plugin.create(wanted)
        (self.root / "site" / "index.html").unlink()

        self.assertRaises(reality.Vanished, self.plugin.get_reality, wanted)

    def test_d5_what_cannot_be_told_has_not_vanished(self) -> None:
        wanted = files.make(physical_id="site/index.html")
        self.plugin.create(wanted)
        path = self.root / "site" / "index.html"

        for content, said in (
            (b"\xff", "holds bytes that are no UTF-8"),
            (b"x" * (2**20 + 1), "is larger than"),
        ):
            path.write_bytes(content)
            error = self.assertRaises(
                root.LocalRefused, self.plugin.get_reality, wanted
            )
            self.assertNotIsInstance(error, reality.Vanished)
            self.assertIn(said, error.message)
        path.unlink()
        path.mkdir()
        error = self.assertRaises(
            root.LocalRefused, self.plugin.get_reality, wanted
        )
        self.assertNotIsInstance(error, reality.Vanished)

    def test_like_is_compared_with_like(self) -> None:
        for name, one, other in (
            ("path", "./a//b", "a/b"),
            ("mode", "0644", "644"),
            ("mode", "0000", "0"),
        ):
            self.assertEqual(
                self.plugin.normalise(name, one),
                self.plugin.normalise(name, other),
            )
        self.assertNotEqual(
            self.plugin.normalise("mode", "4755"),
            self.plugin.normalise("mode", "0755"),
        )
        self.assertEqual("a\r\n", self.plugin.normalise("content", "a\r\n"))

    def test_a_path_that_another_resource_has_by_now_is_left_alone(
        self,
    ) -> None:
        self.plugin.create(files.make(content="old"))
        path = self.root / "site" / "index.html"
        path.unlink()
        self.plugin.create(files.make(content="new", token=files.OTHER))

        self.plugin.delete(files.make())

        self.assertEqual("new", path.read_text())
        self.assertEqual(
            {files.OTHER}, {name.partition(".")[0] for name in self.staged()}
        )

    def test_it_is_well_as_long_as_it_is_what_was_written(self) -> None:
        wanted = files.make(content="old", mode="0600")
        self.plugin.create(wanted)
        path = self.root / "site" / "index.html"
        self.assertIsNone(self.plugin.check(wanted))

        path.chmod(0o644)
        mode = self.assertRaises(root.LocalRefused, self.plugin.check, wanted)
        path.write_text("other")
        content = self.assertRaises(
            root.LocalRefused, self.plugin.check, wanted
        )
        path.unlink()
        gone = self.assertRaises(root.LocalRefused, self.plugin.check, wanted)
        path.write_text("old")
        foreign = self.assertRaises(
            root.LocalRefused, self.plugin.check, wanted
        )

        self.assertIn("its mode is 0644, not 0600", mode.message)
        self.assertIn("its content is not", content.message)
        self.assertIn("is not there", gone.message)
        self.assertIn("not the file that this", foreign.message)

    def test_it_is_well_as_long_as_it_is_what_was_accepted(self) -> None:
        given = files.make(content="old", mode="0644")
        self.plugin.create(given)
        path = self.root / "site" / "index.html"
        path.write_text("theirs")
        seen = {"path": "site/index.html", "content": "theirs", "mode": "0644"}
        accepted = dataclasses.replace(given, baseline=seen)
        other = {**seen, "content": "other"}

        self.assertIsNone(self.plugin.check(accepted))
        self.assertRaises(
            root.LocalRefused,
            self.plugin.check,
            dataclasses.replace(given, baseline=other),
        )
        path.unlink()
        path.write_text("theirs")
        path.chmod(0o644)
        self.assertIsNone(self.plugin.check(accepted))
        path.write_text("else")
        self.assertRaises(root.LocalRefused, self.plugin.check, accepted)

    def test_a_snapshot_brings_content_and_mode_back(self) -> None:
        self.plugin.create(files.make(content="old", mode="0600"))
        kept = self.plugin.snapshot(files.make(), "snapshot-1")
        self.update(content="new", mode="0644")

        again = self.plugin.snapshot(files.make(), "snapshot-1")
        later = self.plugin.snapshot(files.make(), "snapshot-2")
        before = files.make(content="template's").properties
        restored = self.plugin.restored_properties(before, kept)

        self.assertEqual(kept, again)
        self.assertEqual(
            {**before, "content": "old", "mode": "0600"}, restored
        )
        self.assertEqual(
            "new", self.plugin.restored_properties(before, later)["content"]
        )

    def test_a_snapshot_is_found_by_its_name(self) -> None:
        self.plugin.create(files.make())
        kept = self.plugin.snapshot(files.make(), "snapshot-1")

        self.assertEqual(
            kept, self.plugin.find_snapshot(files.make(), "snapshot-1")
        )
        self.assertIsNone(
            self.plugin.find_snapshot(files.make(), "snapshot-2")
        )

    def test_a_snapshot_outlives_the_file_until_it_is_removed(self) -> None:
        self.plugin.create(files.make(content="old"))
        kept = self.plugin.snapshot(files.make(), "snapshot-1")
        self.plugin.delete(files.make())
        self.assertEqual(
            "old", self.plugin.restored_properties({}, kept)["content"]
        )

        self.plugin.delete_snapshot(files.make(), kept)
        self.plugin.delete_snapshot(files.make(), kept)

        self.assertEqual([], contexts.names(self.root / ".orch/snapshots"))
        error = self.assertRaises(
            root.LocalRefused, self.plugin.restored_properties, {}, kept
        )
        self.assertIn("is gone from the machine", error.message)

    def test_what_is_no_text_or_not_ours_is_not_stored(self) -> None:
        self.plugin.create(files.make())
        path = self.root / "site" / "index.html"
        path.write_bytes(b"\xff")
        bytes_ = self.assertRaises(
            root.LocalRefused, self.plugin.snapshot, files.make(), "s"
        )
        path.unlink()
        gone = self.assertRaises(
            root.LocalRefused, self.plugin.snapshot, files.make(), "s"
        )

        self.assertIn("no UTF-8", bytes_.message)
        self.assertIn("is not there", gone.message)

    def test_attributes_tell_what_stands_there_now(self) -> None:
        self.plugin.create(files.make(content="old"))
        (self.root / "site" / "index.html").write_text("newer")

        values = self.plugin.read_attributes(
            files.make(), {"path", "sha256", "size"}
        )

        self.assertEqual(
            {
                "path": str(self.root / "site" / "index.html"),
                "sha256": hashlib.sha256(b"newer").hexdigest(),
                "size": 5,
            },
            values,
        )

    def test_the_live_object_is_shown(self) -> None:
        self.plugin.create(files.make(content="12345", mode="0640"))

        shown = self.plugin.show(files.make())

        assert isinstance(shown, dict)
        self.assertEqual((5, "0640"), (shown["size"], shown["mode"]))

    def test_what_the_machine_says_is_explained(self) -> None:
        error = self.assertRaises(
            root.LocalRefused, self.plugin.create, files.make("x" * 300)
        )

        self.assertIn("choose a shorter path", error.message)

    def test_a_file_and_the_directory_above_it_may_come_in_any_order(
        self,
    ) -> None:
        place = directory.Directory(self.conf)
        above = contexts.make(
            directory.Directory, token=files.OTHER, path="site"
        )
        self.plugin.create(files.make())

        place.create(above)
        self.plugin.delete(files.make())

        self.assertEqual([self.root / "site"], self.left())
        place.delete(above)
        self.assertEqual([], self.left())
