import dataclasses
import hashlib
import os
import pathlib

import fixtures

from orch import errors
from orch.plugin import acts
from orch.plugin import reality
from orch.resources.local import directory
from orch.resources.local import file
from orch.resources.local import root
from orch.resources.local import staging
from tests import base
from tests.unit.resources import contexts

OTHER = "0f1f64d4-6c7f-4d3a-9e3c-2f2f9a9b1c02"


def make(path: str = "site/index.html", **more: object) -> acts.Context:
    token = str(more.pop("token", contexts.TOKEN))
    called = str(more.pop("called", "thing" if token != OTHER else "other"))
    return contexts.make(
        file.File, token=token, called=called, path=path, **more
    )


class FileTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.root = self.make_directory()
        self.conf = contexts.options(self.root)
        self.plugin = file.File(self.conf)

    def staged(self) -> list[str]:
        store = self.root / ".orch" / "files"
        return contexts.names(store)

    def left(self) -> list[pathlib.Path]:
        return [path for path in self.root.iterdir() if path.name != ".orch"]

    def test_it_is_made_with_its_parents_content_and_mode(self) -> None:
        physical_id = self.plugin.create(make(content="häh", mode="0600"))

        path = self.root / "site" / "index.html"
        self.assertEqual("site/index.html", physical_id)
        self.assertEqual("häh", path.read_text(encoding="utf-8"))
        self.assertEqual(0o100600, path.stat().st_mode)

    def test_the_physical_id_is_the_path_as_written(self) -> None:
        self.assertEqual("./a//b", self.plugin.create(make("./a//b")))

    def test_a_foreign_file_is_never_overwritten(self) -> None:
        (self.root / "site").mkdir()
        path = self.root / "site" / "index.html"
        path.write_text("mine")

        error = self.assertRaises(
            root.Refused, self.plugin.create, make(content="new")
        )

        self.assertIn("exists already", error.message)
        self.assertEqual("mine", path.read_text())
        self.assertEqual([], self.staged())

    def test_another_resources_file_is_never_overwritten(self) -> None:
        self.plugin.create(make(content="first"))

        self.assertRaises(root.Refused, self.plugin.create, make(token=OTHER))

        self.assertIsNone(self.plugin.find(make(token=OTHER)))
        self.assertEqual("site/index.html", self.plugin.find(make()))

    def replacement(self, **more: object) -> acts.Context:
        return make(token=OTHER, called="thing", **more)

    def test_the_file_goes_over_to_the_one_that_replaces_it(self) -> None:
        self.plugin.create(make(content="old"))

        self.plugin.create(self.replacement(content="new"))
        self.assertIsNone(self.plugin.find(make()))
        self.plugin.delete(make())

        path = self.root / "site" / "index.html"
        self.assertEqual("new", path.read_text())
        self.assertEqual(
            "site/index.html", self.plugin.find(self.replacement())
        )
        self.plugin.delete(self.replacement())
        self.assertEqual([], self.left())
        self.assertEqual([], self.staged())

    def test_a_replacement_that_died_half_way_is_made_once_more(self) -> None:
        self.plugin.create(make(content="old"))
        with fixtures.MonkeyPatch("os.rename", self.interrupt_at("site")):
            self.assertRaises(
                KeyboardInterrupt, self.plugin.create, self.replacement()
            )
        path = self.root / "site" / "index.html"
        self.assertEqual("old", path.read_text())

        self.assertIsNone(self.plugin.find(self.replacement()))
        self.plugin.create(self.replacement(content="new"))

        self.assertEqual("new", path.read_text())

    def interrupt_at(self, place: str) -> object:
        """Return a rename that is never made into a directory."""
        rename = os.rename
        inode = (self.root / place).stat().st_ino

        def stop(*names: str, src_dir_fd: int, dst_dir_fd: int) -> None:
            if os.fstat(dst_dir_fd).st_ino == inode:
                raise KeyboardInterrupt
            rename(*names, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

        return stop

    def test_one_with_the_same_name_elsewhere_gets_nothing(self) -> None:
        self.plugin.create(make("site/index.html"))

        self.assertRaises(
            root.Refused,
            self.plugin.create,
            self.replacement(path="./site/index.html"),
        )

    def test_a_second_run_makes_nothing_new(self) -> None:
        self.plugin.create(make(content="first"))
        before = (self.root / "site" / "index.html").stat()

        self.plugin.create(make(content="first"))

        after = (self.root / "site" / "index.html").stat()
        self.assertEqual(before.st_ino, after.st_ino)

    def test_what_a_lost_attempt_left_is_found(self) -> None:
        self.assertIsNone(self.plugin.find(make()))
        self.plugin.create(make())

        self.assertEqual("site/index.html", self.plugin.find(make()))

    def test_an_attempt_that_died_before_the_end_is_swept_up(self) -> None:
        self.plugin.create(make())
        (self.root / "site" / "index.html").unlink()
        store = self.root / ".orch" / "files"
        (store / f".{contexts.TOKEN}.abcd1234").touch()

        self.assertIsNone(self.plugin.find(make()))
        self.assertEqual([], self.staged())

    def test_new_content_takes_the_place_of_what_nobody_saw(self) -> None:
        self.plugin.create(make(content="old"))
        (self.root / "site" / "index.html").unlink()

        self.plugin.create(make(content="new"))

        path = self.root / "site" / "index.html"
        self.assertEqual("new", path.read_text())

    def test_links_are_never_followed(self) -> None:
        outside = self.make_directory()
        (self.root / "out").symlink_to(outside)
        (self.root / "dangling").symlink_to(outside / "new")

        self.assertRaises(root.Refused, self.plugin.create, make("out/x"))
        self.assertRaises(root.Refused, self.plugin.create, make("dangling"))

        self.assertEqual([], contexts.names(outside))

    def test_paths_out_of_the_root_are_refused_on_acceptance(self) -> None:
        for path in ("/etc/x", "../x", "a/../../x"):
            self.assertRaises(
                errors.Invalid, self.plugin.validate, {"path": path}
            )
        self.plugin.validate({"content": "path is not known yet"})

    def test_removal_leaves_nothing_behind(self) -> None:
        self.plugin.create(make("a/b/c.txt"))

        self.plugin.delete(make("a/b/c.txt"))

        self.assertEqual([], self.left())
        self.assertEqual([], self.staged())

    def test_removing_what_is_gone_is_success(self) -> None:
        self.plugin.create(make())
        self.plugin.delete(make())

        self.plugin.delete(make())

        self.plugin.create(make())
        (self.root / "site" / "index.html").unlink()
        self.plugin.delete(make())
        self.assertEqual([], self.left())

    def test_only_our_own_file_is_removed(self) -> None:
        self.plugin.create(make())
        path = self.root / "site" / "index.html"
        path.unlink()
        path.write_text("somebody else's")

        error = self.assertRaises(root.Refused, self.plugin.delete, make())

        self.assertIn("is not the file", error.message)
        self.assertEqual("somebody else's", path.read_text())

    def test_a_file_changed_in_place_is_still_ours(self) -> None:
        self.plugin.create(make(content="old"))
        path = self.root / "site" / "index.html"
        with path.open("a") as stream:
            stream.write(" and more")

        self.plugin.delete(make())

        self.assertEqual([], self.left())

    def update(self, **properties: object) -> pathlib.Path:
        self.plugin.update(make(**properties), {}, set(properties))
        return self.root / "site" / "index.html"

    def test_content_and_mode_change_in_place(self) -> None:
        self.plugin.create(make(content="old", mode="0600"))

        path = self.update(content="new", mode="0640")

        self.assertEqual("new", path.read_text())
        self.assertEqual(0o100640, path.stat().st_mode)
        self.assertEqual(["index.html"], contexts.names(path.parent))
        self.plugin.delete(make())
        self.assertEqual([], self.left())
        self.assertEqual([], self.staged())

    def test_a_reader_never_sees_half_of_a_change(self) -> None:
        self.plugin.create(make(content="old"))
        path = self.root / "site" / "index.html"

        with path.open() as stream:
            self.update(content="new and longer")

            self.assertEqual("old", stream.read())

    def test_a_change_may_be_asked_for_again(self) -> None:
        self.plugin.create(make(content="old"))
        self.update(content="new")

        path = self.update(content="new")

        self.assertEqual("new", path.read_text())
        self.assertEqual("site/index.html", self.plugin.find(make()))

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
            self.plugin.create(make(content="old"))
            self.die_while_changing(dies_at)
            path = self.root / "site" / "index.html"
            self.assertEqual(seen, path.read_text())
            self.assertEqual("site/index.html", self.plugin.find(make()))

            self.update(content="new")

            self.assertEqual("new", path.read_text())
            self.plugin.delete(make())
            self.assertEqual([], self.left())
            self.assertEqual([], self.staged())

    def test_whatever_a_crash_left_can_be_removed(self) -> None:
        for dies_at in (1, 2):
            self.plugin.create(make(content="old"))
            self.die_while_changing(dies_at)

            self.plugin.delete(make())

            self.assertEqual([], self.left())
            self.assertEqual([], self.staged())

    def test_two_changes_at_once_are_kept_apart(self) -> None:
        self.plugin.create(make(content="old"))
        with (
            root.Root(self.conf).private(file.FILES) as store,
            staging.locked(store, contexts.TOKEN),
        ):
            error = self.assertRaises(
                errors.Transient, self.update, content="new"
            )

        self.assertIn("by another worker", error.message)

    def test_a_file_that_vanished_is_written_anew_by_a_change(self) -> None:
        self.plugin.create(make(content="old"))
        path = self.root / "site" / "index.html"
        path.rename(self.root / "elsewhere")
        path.parent.rmdir()

        self.update(content="new")

        self.assertEqual("new", path.read_text())
        self.assertEqual("old", (self.root / "elsewhere").read_text())

    def test_a_foreign_file_is_never_changed(self) -> None:
        self.plugin.create(make(content="old"))
        path = self.root / "site" / "index.html"
        path.unlink()
        path.write_text("somebody else's")

        error = self.assertRaises(root.Refused, self.update, content="new")

        self.assertIn("is not the file", error.message)
        self.assertEqual("somebody else's", path.read_text())

    def test_one_that_an_editor_made_anew_is_put_back_as_it_was_seen(
        self,
    ) -> None:
        self.plugin.create(make(content="ours"))
        path = self.root / "site" / "index.html"
        path.unlink()
        path.write_text("theirs")
        path.chmod(0o600)
        wanted = make(content="ours", physical_id="site/index.html")
        seen = self.plugin.get_reality(wanted)

        self.plugin.update(wanted, seen, {"content", "mode"})

        self.assertEqual(
            {"path": "site/index.html", "content": "theirs", "mode": "0600"},
            seen,
        )
        self.assertEqual("ours", path.read_text())
        self.assertIsNone(self.plugin.check(wanted))

    def test_another_resources_file_is_not_put_back(self) -> None:
        self.plugin.create(make(content="ours"))
        path = self.root / "site" / "index.html"
        path.unlink()
        self.plugin.create(make(content="theirs", token=OTHER))
        wanted = make(content="ours", physical_id="site/index.html")
        seen = self.plugin.get_reality(wanted)

        self.assertRaises(
            root.Refused, self.plugin.update, wanted, seen, {"content"}
        )
        self.assertEqual("theirs", path.read_text())

    def test_d4_one_that_was_removed_has_vanished(self) -> None:
        wanted = make(physical_id="site/index.html")
        self.assertRaises(reality.Vanished, self.plugin.get_reality, wanted)
        self.plugin.create(wanted)
        (self.root / "site" / "index.html").unlink()

        self.assertRaises(reality.Vanished, self.plugin.get_reality, wanted)

    def test_d5_what_cannot_be_told_has_not_vanished(self) -> None:
        wanted = make(physical_id="site/index.html")
        self.plugin.create(wanted)
        path = self.root / "site" / "index.html"

        for content, said in (
            (b"\xff", "holds bytes that are no UTF-8"),
            (b"x" * (2**20 + 1), "is larger than"),
        ):
            path.write_bytes(content)
            error = self.assertRaises(
                root.Refused, self.plugin.get_reality, wanted
            )
            self.assertNotIsInstance(error, reality.Vanished)
            self.assertIn(said, error.message)
        path.unlink()
        path.mkdir()
        error = self.assertRaises(
            root.Refused, self.plugin.get_reality, wanted
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
        self.plugin.create(make(content="old"))
        path = self.root / "site" / "index.html"
        path.unlink()
        self.plugin.create(make(content="new", token=OTHER))

        self.plugin.delete(make())

        self.assertEqual("new", path.read_text())
        self.assertEqual([OTHER, f"{OTHER}.json"], self.staged())

    def test_it_is_well_as_long_as_it_is_what_was_written(self) -> None:
        wanted = make(content="old", mode="0600")
        self.plugin.create(wanted)
        path = self.root / "site" / "index.html"
        self.assertIsNone(self.plugin.check(wanted))

        path.chmod(0o644)
        mode = self.assertRaises(root.Refused, self.plugin.check, wanted)
        path.write_text("other")
        content = self.assertRaises(root.Refused, self.plugin.check, wanted)
        path.unlink()
        gone = self.assertRaises(root.Refused, self.plugin.check, wanted)
        path.write_text("old")
        foreign = self.assertRaises(root.Refused, self.plugin.check, wanted)

        self.assertIn("its mode is 0644, not 0600", mode.message)
        self.assertIn("its content is not", content.message)
        self.assertIn("is not there any more", gone.message)
        self.assertIn("not the file that this", foreign.message)

    def test_it_is_well_as_long_as_it_is_what_was_accepted(self) -> None:
        given = make(content="old", mode="0644")
        self.plugin.create(given)
        path = self.root / "site" / "index.html"
        path.write_text("theirs")
        seen = {"path": "site/index.html", "content": "theirs", "mode": "0644"}
        accepted = dataclasses.replace(given, baseline=seen)
        other = {**seen, "content": "other"}

        self.assertIsNone(self.plugin.check(accepted))
        self.assertRaises(
            root.Refused,
            self.plugin.check,
            dataclasses.replace(given, baseline=other),
        )
        path.unlink()
        path.write_text("theirs")
        path.chmod(0o644)
        self.assertIsNone(self.plugin.check(accepted))
        path.write_text("else")
        self.assertRaises(root.Refused, self.plugin.check, accepted)

    def test_a_snapshot_brings_content_and_mode_back(self) -> None:
        self.plugin.create(make(content="old", mode="0600"))
        kept = self.plugin.snapshot(make(), "snapshot-1")
        self.update(content="new", mode="0644")

        again = self.plugin.snapshot(make(), "snapshot-1")
        later = self.plugin.snapshot(make(), "snapshot-2")
        before = make(content="template's").properties
        restored = self.plugin.restored_properties(before, kept)

        self.assertEqual(kept, again)
        self.assertEqual(
            {**before, "content": "old", "mode": "0600"}, restored
        )
        self.assertEqual(
            "new", self.plugin.restored_properties(before, later)["content"]
        )

    def test_a_snapshot_is_found_by_its_name(self) -> None:
        self.plugin.create(make())
        kept = self.plugin.snapshot(make(), "snapshot-1")

        self.assertEqual(kept, self.plugin.find_snapshot(make(), "snapshot-1"))
        self.assertIsNone(self.plugin.find_snapshot(make(), "snapshot-2"))

    def test_a_snapshot_outlives_the_file_until_it_is_removed(self) -> None:
        self.plugin.create(make(content="old"))
        kept = self.plugin.snapshot(make(), "snapshot-1")
        self.plugin.delete(make())
        self.assertEqual(
            "old", self.plugin.restored_properties({}, kept)["content"]
        )

        self.plugin.delete_snapshot(make(), kept)
        self.plugin.delete_snapshot(make(), kept)

        self.assertEqual([], contexts.names(self.root / ".orch/snapshots"))
        error = self.assertRaises(
            root.Refused, self.plugin.restored_properties, {}, kept
        )
        self.assertIn("is gone from the machine", error.message)

    def test_what_is_no_text_or_not_ours_is_not_stored(self) -> None:
        self.plugin.create(make())
        path = self.root / "site" / "index.html"
        path.write_bytes(b"\xff")
        bytes_ = self.assertRaises(
            root.Refused, self.plugin.snapshot, make(), "s"
        )
        path.unlink()
        gone = self.assertRaises(
            root.Refused, self.plugin.snapshot, make(), "s"
        )

        self.assertIn("no UTF-8", bytes_.message)
        self.assertIn("is not there any more", gone.message)

    def test_attributes_tell_what_stands_there_now(self) -> None:
        self.plugin.create(make(content="old"))
        (self.root / "site" / "index.html").write_text("newer")

        values = self.plugin.read_attributes(
            make(), {"path", "sha256", "size"}
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
        self.plugin.create(make(content="12345", mode="0640"))

        shown = self.plugin.show(make())

        assert isinstance(shown, dict)
        self.assertEqual((5, "0640"), (shown["size"], shown["mode"]))

    def test_what_the_machine_says_is_explained(self) -> None:
        error = self.assertRaises(
            root.Refused, self.plugin.create, make("x" * 300)
        )

        self.assertIn("choose a shorter path", error.message)

    def test_a_file_and_the_directory_above_it_may_come_in_any_order(
        self,
    ) -> None:
        place = directory.Directory(self.conf)
        above = contexts.make(directory.Directory, token=OTHER, path="site")
        self.plugin.create(make())

        place.create(above)
        self.plugin.delete(make())

        self.assertEqual([self.root / "site"], self.left())
        place.delete(above)
        self.assertEqual([], self.left())
