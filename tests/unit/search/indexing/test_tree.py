"""What else has to be read again where a stack of a tree has changed."""

import dataclasses

from orch import clock
from orch.search import document
from orch.search.indexing import tree
from tests import base
from tests.support import searching

_PATHS = ("a", "a/b", "a/b/c", "a/b/c/d", "a/b2", "a/e", "a/e/f")


class DependentsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.index = searching.Index()
        self.known = {path: self.stack(path) for path in _PATHS}
        self.index.put([self.read(each) for each in self.known.values()])

    def stack(self, path: str) -> document.Document:
        return document.Document(
            id=f"stack/{path}",
            kind=document.STACK,
            stack_id=path,
            root_id="a",
            project_id="p1",
            path=path,
            name=path.rpartition("/")[2],
            type="OS::Heat::Stack",
            fields={"operation.id": ("1",)},
        )

    def read(
        self, found: document.Document, *redacted: str
    ) -> document.StackDocuments:
        return document.StackDocuments(
            stack_id=found.stack_id,
            version=1,
            read_at=clock.Timestamp(1.0),
            documents=(found,),
            redacted=frozenset(redacted),
        )

    def dependents(self, *changes: document.StackDocuments) -> list[str]:
        return sorted(tree.find_dependents(self.index, changes))

    def test_what_is_inherited_is_read_again_below(self) -> None:
        changed = [
            self.read(dataclasses.replace(self.known[path], owner="eve"))
            for path in ("a/b", "a/e/f")
        ]

        self.assertEqual(["a/b/c", "a/b/c/d"], self.dependents(*changed))

    def test_s3_what_an_operation_hides_is_above_and_below(self) -> None:
        asked = {"operation.id": ("2",)}
        changed = [
            self.read(dataclasses.replace(self.known[path], fields=asked), "x")
            for path in ("a/b/c", "a/e")
        ]

        self.assertEqual(
            ["a", "a/b", "a/b/c/d", "a/e/f"], self.dependents(*changed)
        )

    def test_of_what_is_the_same_nothing_depends(self) -> None:
        changed = [self.read(each, "x") for each in self.known.values()]

        self.assertEqual([], self.dependents(*changed))
