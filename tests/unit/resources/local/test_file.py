import hashlib
import pathlib

from orch import errors
from orch.plugin import resource
from orch.resources.local import directory
from orch.resources.local import file
from orch.resources.local import root
from tests import base
from tests.unit.resources import contexts

OTHER = "0f1f64d4-6c7f-4d3a-9e3c-2f2f9a9b1c02"


def make(path: str = "site/index.html", **more: object) -> resource.Context:
    token = str(more.pop("token", contexts.TOKEN))
    return contexts.make(file.File, token=token, path=path, **more)


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
