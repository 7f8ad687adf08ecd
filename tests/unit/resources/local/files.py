"""Files that tests make, as the engine does."""

import pathlib

from orch.plugin import call_context
from orch.resources.local import file
from tests import base
from tests.unit.resources import contexts

OTHER = "0f1f64d4-6c7f-4d3a-9e3c-2f2f9a9b1c02"


def make(
    path: str = "site/index.html", **more: object
) -> call_context.Context:
    token = str(more.pop("token", contexts.TOKEN))
    called = str(more.pop("called", "thing" if token != OTHER else "other"))
    return contexts.make(
        file.File, token=token, called=called, path=path, **more
    )


class FileTestCase(base.TestCase):
    """A plug-in below a root of the test's own."""

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
