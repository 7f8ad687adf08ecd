"""Of a stack that was put before only what has changed is read and put."""

import collections.abc
import pathlib
import typing

import fixtures

from orch import clock
from orch.search import document
from orch.search.index.sqlite import index as sqlite_index
from orch.search.indexing import known_stacks
from orch.search.indexing import reader
from orch.search.indexing import updater
from tests import base
from tests.support import indexed
from tests.support import searching


class ComparingSource(searching.Source):
    """A source whose stack ``s1`` has resources with a tag each.

    :ivar tags: of the resources, by name
    :ivar sent: names of the documents of each reading, ``-`` for unchanged
    :ivar compares: a worker of a release that does not answers with an error
    """

    compares = True

    def __init__(self, clock_: searching.Clock) -> None:
        super().__init__(clock_)
        self.tags: dict[str, str] = {}
        self.sent: list[str] = []
        self.version = 0

    def set(self, **tags: str) -> dict[str, int]:
        """Change the resources; return the version of the change."""
        self.tags = tags
        self.version = self.change("s1", name="s1")
        return {"s1": self.version}

    def read(
        self, stack_ids: collections.abc.Sequence[str]
    ) -> list[document.StackDocuments]:
        return self.read_changed(stack_ids, {})

    def read_changed(
        self,
        stack_ids: collections.abc.Sequence[str],
        known: collections.abc.Mapping[str, document.KnownStack],
    ) -> list[document.StackDocuments]:
        if known and not self.compares:
            raise TypeError("read() got an unexpected argument 'known'")
        (found,) = super().read(stack_ids)
        base_ = known.get("s1")
        ids = {} if base_ is None else base_.ids
        digests = {
            f"resource/{name}": f"{name} {tag}"
            for name, tag in self.tags.items()
        }
        unchanged = {each for each, digest in digests.items() if digest in ids}
        names = [
            each for each in self.tags if f"resource/{each}" not in unchanged
        ]
        self.sent.append(" ".join(names) or "-")
        return [
            document.StackDocuments(
                stack_id="s1",
                version=found.version,
                read_at=found.read_at,
                documents=(
                    *found.documents,
                    *(self._resource(name) for name in names),
                ),
                base=base_ if unchanged else None,
                unchanged=frozenset(unchanged),
                digests=digests,
            )
        ]

    def _resource(self, name: str) -> document.Document:
        return document.Document(
            id=f"resource/{name}",
            kind=document.RESOURCE,
            stack_id="s1",
            root_id="s1",
            project_id="p1",
            path=f"s1/{name}",
            name=name,
            type="T",
            tags=(self.tags[name],),
        )


class ChangedDocumentsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self.clock = searching.Clock()
        self.source = ComparingSource(self.clock)
        self.index = sqlite_index.SQLiteIndex(directory / "search.db")
        self.addCleanup(self.index.close)
        self.index.prepare()
        self.updater = self.make()

    def make(self) -> updater.Updater:
        """Return the updater of another process."""
        return updater.Updater(
            self.index, self.source, known_stacks.KnownStacks()
        )

    def tags(self) -> dict[str, str]:
        found = indexed.contents(self.index)
        return {
            str(each["name"]): " ".join(typing.cast(list[str], each["tags"]))
            for each in found.values()
            if each["kind"] == document.RESOURCE
        }

    def test_only_what_has_changed_is_read_again(self) -> None:
        self.updater.update(self.source.set(a="x", b="x", c="x"))
        self.updater.update(self.source.set(a="x", b="y", c="x"))
        self.updater.update(self.source.set(a="x", b="y", d="x"))
        self.updater.update(self.source.set(a="x", b="y", d="x"))

        self.assertEqual(["a b c", "b", "d", "-"], self.source.sent)
        self.assertEqual({"a": "x", "b": "y", "d": "x"}, self.tags())

    def test_what_another_process_has_put_is_read_as_a_whole(self) -> None:
        self.updater.update(self.source.set(a="x", b="x"))
        other = self.make()
        other.update(self.source.set(a="x", b="y"))
        # For this process nothing has changed since.
        self.updater.update(self.source.set(a="x", b="x"))

        self.assertEqual({"a": "x", "b": "x"}, self.tags())
        self.assertEqual(["a b", "a b", "-", "a b"], self.source.sent)
        self.updater.update(self.source.set(a="x", b="w"))
        self.assertEqual("b", self.source.sent[-1])
        self.assertEqual({"a": "x", "b": "w"}, self.tags())

    def test_what_the_index_has_left_out_is_not_known(self) -> None:
        mark = self.source.set(a="x", b="x")
        self.updater.update(mark)
        # Another reading of the same version and moment.
        self.source.tags = {"a": "y", "b": "x"}
        self.clock.pass_(-0.001)
        self.updater.update(mark)
        self.assertEqual({"a": "x", "b": "x"}, self.tags())

        self.updater.update(self.source.set(a="y", b="x"))

        self.assertEqual({"a": "y", "b": "x"}, self.tags())

    def test_a_worker_that_cannot_compare_is_asked_for_the_whole(self) -> None:
        self.updater.update(self.source.set(a="x", b="x"))
        self.source.compares = False
        self.updater.update(self.source.set(a="x", b="y"))

        self.assertEqual({"a": "x", "b": "y"}, self.tags())
        self.assertEqual(["a b", "a b"], self.source.sent)

    def test_an_index_that_was_emptied_is_filled_as_a_whole(self) -> None:
        self.updater.update(self.source.set(a="x", b="x"))
        self.index.clear()
        self.updater.update(self.source.set(a="x", b="y"))

        self.assertEqual({"a": "x", "b": "y"}, self.tags())

    def test_a_stack_that_was_deleted_is_not_known(self) -> None:
        self.updater.update(self.source.set(a="x", b="x"))
        self.source.tags = {}
        version = self.source.delete("s1")
        self.updater.update({"s1": version})
        self.assertEqual({}, self.tags())
        self.updater.update(self.source.set(a="x", b="x"))

        self.assertEqual({"a": "x", "b": "x"}, self.tags())
        self.assertEqual(["a b", "-", "a b"], self.source.sent)


class UnreadableSource(searching.Source):
    """A source that cannot read the stack ``bad``, and compares the others.

    :ivar compared: the stacks of each reading that was asked to compare
    """

    def __init__(self, clock_: searching.Clock) -> None:
        super().__init__(clock_)
        self.compared: list[list[str]] = []
        self.whole: list[list[str]] = []

    def read_changed(
        self,
        stack_ids: collections.abc.Sequence[str],
        known: collections.abc.Mapping[str, document.KnownStack],
    ) -> list[document.StackDocuments]:
        self.compared.append(list(stack_ids))
        return self._read(stack_ids)

    def read(
        self, stack_ids: collections.abc.Sequence[str]
    ) -> list[document.StackDocuments]:
        self.whole.append(list(stack_ids))
        return self._read(stack_ids)

    def _read(
        self, stack_ids: collections.abc.Sequence[str]
    ) -> list[document.StackDocuments]:
        if "bad" in stack_ids:
            raise ValueError("it cannot be read")
        return super().read(stack_ids)


class UnreadableTest(base.TestCase):
    def test_those_beside_a_stack_that_cannot_be_read_are_compared(
        self,
    ) -> None:
        source = UnreadableSource(searching.Clock())
        for name in ("a", "b"):
            source.change(name, name=name)
        known = {
            name: document.KnownStack(1, clock.Timestamp(1), {"digest": "x"})
            for name in ("a", "b")
        }

        found = reader.Reader(source).read(["a", "bad", "b"], known)

        self.assertEqual({"a", "b"}, set(found.found))
        self.assertEqual({"bad"}, found.failed)
        self.assertEqual([["a", "bad", "b"], ["a"], ["b"]], source.compared)
        self.assertEqual([["bad"]], source.whole)
