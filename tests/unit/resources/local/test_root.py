import os
import pathlib

from orch import errors
from orch.resources.local import root
from tests import base
from tests.unit.resources import contexts


class ParseTest(base.TestCase):
    def test_a_path_is_split_into_its_steps(self) -> None:
        self.assertEqual(("a", "b.txt"), root.parse_path("./a//b.txt"))

    def test_paths_that_lead_out_are_refused(self) -> None:
        for path, words in (
            ("/etc/passwd", "absolute"),
            ("a/../../b", "'..'"),
            ("..", "'..'"),
            ("a\0b", "zero byte"),
            (".orch/files/x", "is reserved for Orch"),
            ("./.orch", "is reserved for Orch"),
            ("", "names nothing"),
            (".", "names nothing"),
        ):
            error = self.assertRaises(errors.Invalid, root.parse_path, path)
            self.assertIn(words, error.message)
            self.assertEqual("path", error.problems[0].path)

    def test_the_error_names_the_property(self) -> None:
        error = self.assertRaises(
            errors.Invalid, root.parse_path, "/", "place"
        )

        self.assertIn("the place '/'", error.message)
        self.assertEqual("place", error.problems[0].path)


class RootTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.path = self.make_directory() / "root"
        self.root = root.Root(contexts.options(self.path))

    def open(self, *parts: str, make: bool = False) -> None:
        with self.root.directory(parts, make=make) as number:
            os.fstat(number)

    def test_the_root_is_made_for_its_owner_alone(self) -> None:
        self.open()

        self.assertEqual(0o40700, self.path.stat().st_mode)

    def test_missing_directories_are_made_only_on_demand(self) -> None:
        self.assertRaises(FileNotFoundError, self.open, "a", "b")
        self.assertFalse((self.path / "a").exists())

        self.open("a", "b", make=True)

        self.assertTrue((self.path / "a" / "b").is_dir())

    def test_they_are_for_others_to_read_whatever_the_umask_is(self) -> None:
        self.addCleanup(os.umask, os.umask(0o077))

        self.open("a", "b", make=True)

        modes = [
            path.stat().st_mode & 0o777
            for path in (self.path / "a", self.path / "a" / "b")
        ]
        self.assertEqual([0o755, 0o755], modes)

    def test_a_link_on_the_way_is_refused_even_inside_the_root(self) -> None:
        (self.path / "real").mkdir(parents=True)
        (self.path / "link").symlink_to("real")
        (self.path / "out").symlink_to("/")

        for name in ("link", "out"):
            for make in (False, True):
                error = self.assertRaises(
                    root.LocalRefused, self.open, name, "x", make=make
                )
                self.assertIn(f"{name} is a symbolic link", error.message)

    def test_a_file_on_the_way_is_refused(self) -> None:
        self.path.mkdir()
        (self.path / "file").touch()

        error = self.assertRaises(root.LocalRefused, self.open, "file", "x")

        self.assertIn("file is not a directory", error.message)

    def test_our_own_directory_may_be_no_link_either(self) -> None:
        self.path.mkdir()
        (self.path / ".orch").symlink_to(self.make_directory())

        def act() -> None:
            with self.root.private("files"):
                pass

        self.assertRaises(root.LocalRefused, act)

    def test_a_root_that_is_not_absolute_is_refused(self) -> None:
        conf = contexts.options(self.path)
        conf.set_override("root", "relative", "local")
        self.root = root.Root(conf)

        error = self.assertRaises(root.LocalRefused, self.open)

        self.assertIn("[local] root", error.message)

    def test_a_root_that_cannot_be_made_is_explained(self) -> None:
        self.path.touch()

        error = self.assertRaises(root.LocalRefused, self.open)

        self.assertIn("[local] root", error.message)

    def test_directories_made_on_the_way_are_pruned_while_empty(self) -> None:
        self.open("a", "b", "c", make=True)
        (self.path / "a" / "other").touch()

        self.root.prune(("a", "b", "c", "file"))

        self.assertEqual(["other"], contexts.names(self.path / "a"))

    def test_directories_that_were_there_before_are_not_pruned(self) -> None:
        (self.path / "a").mkdir(parents=True)
        self.open("a", "b", make=True)

        self.root.prune(("a", "b", "file"))

        self.assertEqual([], contexts.names(self.path / "a"))

    def test_descriptors_are_closed_again(self) -> None:
        descriptors = pathlib.Path("/proc/self/fd")
        before = len(contexts.names(descriptors))

        self.open("a", "b", make=True)
        self.assertRaises(FileNotFoundError, self.open, "a", "x")

        self.assertEqual(
            before, len(contexts.names(pathlib.Path("/proc/self/fd")))
        )
