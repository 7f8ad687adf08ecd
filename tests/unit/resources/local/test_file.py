import os

import fixtures

from orch import errors
from orch.plugin import call_context
from orch.resources.local import root
from tests.unit.resources import contexts
from tests.unit.resources.local import files


class FileTest(files.FileTestCase):
    def test_it_is_made_with_its_parents_content_and_mode(self) -> None:
        physical_id = self.plugin.create(
            files.make(content="häh", mode="0600")
        )

        path = self.root / "site" / "index.html"
        self.assertEqual("site/index.html", physical_id)
        self.assertEqual("häh", path.read_text(encoding="utf-8"))
        self.assertEqual(0o100600, path.stat().st_mode)

    def test_the_physical_id_is_the_path_as_written(self) -> None:
        self.assertEqual("./a//b", self.plugin.create(files.make("./a//b")))

    def test_a_foreign_file_is_never_overwritten(self) -> None:
        (self.root / "site").mkdir()
        path = self.root / "site" / "index.html"
        path.write_text("mine")

        error = self.assertRaises(
            root.LocalRefused, self.plugin.create, files.make(content="new")
        )

        self.assertIn("exists already", error.message)
        self.assertEqual("mine", path.read_text())
        self.assertEqual([], self.staged())

    def test_another_resources_file_is_never_overwritten(self) -> None:
        self.plugin.create(files.make(content="first"))

        self.assertRaises(
            root.LocalRefused,
            self.plugin.create,
            files.make(token=files.OTHER),
        )

        self.assertIsNone(self.plugin.find(files.make(token=files.OTHER)))
        self.assertEqual("site/index.html", self.plugin.find(files.make()))

    def replacement(self, **more: object) -> call_context.Context:
        return files.make(token=files.OTHER, called="thing", **more)

    def test_the_file_goes_over_to_the_one_that_replaces_it(self) -> None:
        self.plugin.create(files.make(content="old"))

        self.plugin.create(self.replacement(content="new"))
        self.assertIsNone(self.plugin.find(files.make()))
        self.plugin.delete(files.make())

        path = self.root / "site" / "index.html"
        self.assertEqual("new", path.read_text())
        self.assertEqual(
            "site/index.html", self.plugin.find(self.replacement())
        )
        self.plugin.delete(self.replacement())
        self.assertEqual([], self.left())
        self.assertEqual([], self.staged())

    def test_a_replacement_that_died_half_way_is_made_once_more(self) -> None:
        self.plugin.create(files.make(content="old"))
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
        self.plugin.create(files.make("site/index.html"))

        self.assertRaises(
            root.LocalRefused,
            self.plugin.create,
            self.replacement(path="./site/index.html"),
        )

    def test_a_parent_that_vanishes_meanwhile_is_made_once_more(self) -> None:
        link = os.link

        def prune(source: str, target: str, **numbers: int) -> None:
            if target == "index.html":
                (self.root / "site").rmdir()
            link(source, target, **numbers)

        with fixtures.MonkeyPatch("os.link", prune):
            self.assertRaises(
                errors.Transient, self.plugin.create, files.make()
            )

        self.assertEqual("site/index.html", self.plugin.create(files.make()))

    def test_a_second_run_makes_nothing_new(self) -> None:
        self.plugin.create(files.make(content="first"))
        before = (self.root / "site" / "index.html").stat()

        self.plugin.create(files.make(content="first"))

        after = (self.root / "site" / "index.html").stat()
        self.assertEqual(before.st_ino, after.st_ino)

    def test_what_a_lost_attempt_left_is_found(self) -> None:
        self.assertIsNone(self.plugin.find(files.make()))
        self.plugin.create(files.make())

        self.assertEqual("site/index.html", self.plugin.find(files.make()))

    def test_an_attempt_that_died_before_the_end_is_swept_up(self) -> None:
        self.plugin.create(files.make())
        (self.root / "site" / "index.html").unlink()
        store = self.root / ".orch" / "files"
        (store / f".{contexts.TOKEN}.abcd1234").touch()

        self.assertIsNone(self.plugin.find(files.make()))
        self.assertEqual([], self.staged())

    def test_new_content_takes_the_place_of_what_nobody_saw(self) -> None:
        self.plugin.create(files.make(content="old"))
        (self.root / "site" / "index.html").unlink()

        self.plugin.create(files.make(content="new"))

        path = self.root / "site" / "index.html"
        self.assertEqual("new", path.read_text())

    def test_links_are_never_followed(self) -> None:
        outside = self.make_directory()
        (self.root / "out").symlink_to(outside)
        (self.root / "dangling").symlink_to(outside / "new")

        self.assertRaises(
            root.LocalRefused, self.plugin.create, files.make("out/x")
        )
        self.assertRaises(
            root.LocalRefused, self.plugin.create, files.make("dangling")
        )

        self.assertEqual([], contexts.names(outside))

    def test_paths_out_of_the_root_are_refused_on_acceptance(self) -> None:
        for path in ("/etc/x", "../x", "a/../../x"):
            self.assertRaises(
                errors.Invalid, self.plugin.validate, {"path": path}
            )
        self.plugin.validate({"content": "path is not known yet"})

    def test_removal_leaves_nothing_behind(self) -> None:
        self.plugin.create(files.make("a/b/c.txt"))

        self.plugin.delete(files.make("a/b/c.txt"))

        self.assertEqual([], self.left())
        self.assertEqual([], self.staged())

    def test_removing_what_is_gone_is_success(self) -> None:
        self.plugin.create(files.make())
        self.plugin.delete(files.make())

        self.plugin.delete(files.make())

        self.plugin.create(files.make())
        (self.root / "site" / "index.html").unlink()
        self.plugin.delete(files.make())
        self.assertEqual([], self.left())

    def test_only_our_own_file_is_removed(self) -> None:
        self.plugin.create(files.make())
        path = self.root / "site" / "index.html"
        path.unlink()
        path.write_text("somebody else's")

        error = self.assertRaises(
            root.LocalRefused, self.plugin.delete, files.make()
        )

        self.assertIn("is not the file", error.message)
        self.assertEqual("somebody else's", path.read_text())

    def test_what_an_earlier_release_wrote_is_known(self) -> None:
        store = self.root / ".orch" / "files"
        store.mkdir(parents=True)
        path = self.root / "note"
        path.write_text("half way")
        (store / contexts.TOKEN).write_text("old")
        (store / f"{contexts.TOKEN}.next").hardlink_to(path)
        (store / f"{contexts.TOKEN}.json").write_text(
            '{"stack": "s", "resource": "thing", "path": "note"}'
        )

        self.assertEqual("note", self.plugin.find(files.make("note")))
        self.plugin.update(files.make("note", content="new"), {}, {"content"})
        self.assertEqual("new", path.read_text())
        self.plugin.delete(files.make("note"))

        self.assertEqual([], self.left())
        self.assertEqual([], self.staged())

    def test_a_file_changed_in_place_is_still_ours(self) -> None:
        self.plugin.create(files.make(content="old"))
        path = self.root / "site" / "index.html"
        with path.open("a") as stream:
            stream.write(" and more")

        self.plugin.delete(files.make())

        self.assertEqual([], self.left())
