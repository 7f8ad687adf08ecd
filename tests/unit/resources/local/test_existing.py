"""Files and directories that a stack takes over."""

import errno
import typing

import fixtures

from orch.context import request
from orch.plugin import call_context
from orch.plugin import listing
from orch.plugin import resource
from orch.resources.local import directory
from orch.resources.local import file
from orch.resources.local import root
from tests import base
from tests.unit.resources import contexts

_OTHER = "0f1f64d4-6c7f-4d3a-9e3c-2f2f9a9b1c02"


class AdoptionTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.root = self.make_directory()
        self.conf = contexts.options(self.root)
        (self.root / "a").mkdir()

    def adopt(
        self, kind: type[resource.Resource], physical_id: str, path: str
    ) -> str | None:
        """Return how what another resource takes over is called."""
        context = contexts.make(kind, token=_OTHER, called="other", path=path)
        given = call_context.AdoptedResource(
            physical_id=physical_id, data={}, metadata={}
        )
        taken = kind(self.conf).handle_adopt(context, given)
        return taken.physical_id

    def test_what_stands_there_is_taken(self) -> None:
        (self.root / "a" / "file").touch()
        (self.root / "a" / "directory").mkdir()
        for kind, path in (
            (file.File, "a/file"),
            (directory.Directory, "a/directory"),
        ):
            self.assertEqual(path, self.adopt(kind, path, path))

    def listed(
        self, kind: type[resource.Resource], **desired: str
    ) -> list[str]:
        asker = request.RequestContext(project_id="p")
        found = kind(self.conf).list_physical_resources(
            asker, listing.PhysicalResourceFilter(**desired)
        )
        return [each.physical_id for each in found]

    def test_all_of_a_kind_are_listed_by_path(self) -> None:
        file.File(self.conf).create(contexts.make(file.File, path="a/b/f"))
        (self.root / "a" / "f").touch()
        (self.root / "a" / "link").symlink_to(self.root)
        (self.root / "a" / "\udcff").mkdir()  # the byte 0xff
        (self.root / "a" / "\udcff" / "f").touch()
        (self.root / "a-b").touch()

        self.assertEqual(["a", "a/b"], self.listed(directory.Directory))
        self.assertEqual(["a/b/f", "a/f", "a-b"], self.listed(file.File))
        self.assertEqual(["a/b/f"], self.listed(file.File, name="*/b/*"))
        self.assertEqual([], self.listed(file.File, tag="blue"))

    def test_a_list_that_is_too_long_is_refused(self) -> None:
        (self.root / "b").touch()
        for limit, number in ((1, 0), (2, 1)):
            with fixtures.MonkeyPatch(
                "orch.resources.local.path_base._MAX_LISTED", limit
            ):
                if number:
                    self.assertEqual(["b"], self.listed(file.File))
                else:
                    self.assertRaises(
                        root.LocalRefused, self.listed, file.File
                    )

    def test_a_directory_that_cannot_be_read_is_named(self) -> None:
        def refuse(top: str, *, onerror: typing.Any, **_: object) -> object:
            onerror(FileNotFoundError(errno.ENOENT, "gone", "a"))
            onerror(PermissionError(errno.EACCES, "denied", "b"))

        with fixtures.MonkeyPatch("os.fwalk", refuse):
            error = self.assertRaises(
                root.LocalRefused, self.listed, file.File
            )

        self.assertIn("b: Permission denied", error.message)

    def test_an_id_is_the_path_letter_by_letter(self) -> None:
        """Whose it is, is known by the text."""
        for kind in (file.File, directory.Directory):
            path = f"a/{kind.__name__}"
            kind(self.conf).create(contexts.make(kind, path=path))

            for wrong in (f"./{path}", path.replace("/", "//"), f"{path}/."):
                error = self.assertRaises(
                    root.LocalRefused, self.adopt, kind, wrong, path
                )
                self.assertIn(f"is known as {path}", error.message)
                self.assertRaises(
                    root.LocalRefused, self.adopt, kind, wrong, wrong
                )
