"""Files and directories that a stack takes over."""

from orch.plugin import call_context
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
