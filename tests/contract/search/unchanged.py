"""Stacks of which only what has changed is put."""

import typing

from orch.search import document as documents
from orch.search.index import port
from orch.search.query import nodes
from tests.contract.search import cases
from tests.contract.search import samples
from tests.contract.search.samples import at
from tests.contract.search.samples import resource
from tests.contract.search.samples import stack
from tests.contract.search.samples import stacked


def changed(
    *found: documents.Document,
    unchanged: str = "",
    version: int = 2,
    base: int = 1,
    **given: typing.Any,
) -> documents.StackDocuments:
    """Return what has changed of a stack that was read a second before.

    :param unchanged: names of resources
    """
    return stacked(
        *found,
        version=version,
        read_at=version,
        base=documents.KnownStack(base, at(base), {}),
        unchanged=frozenset(f"resource/{each}" for each in unchanged.split()),
        **given,
    )


class Unchanged(cases.Case):
    def put_first(self) -> None:
        self.index.put(
            [stacked(stack("s1"), *(resource(name) for name in "abc"))]
        )

    def assert_stale(self, *changes: documents.StackDocuments) -> None:
        """Check that a put is refused, and changes nothing."""
        before = self.ids(), self.index.counts()
        self.assertRaises(port.StaleBaseError, self.index.put, changes)
        after = self.ids(), self.index.counts()
        self.assertEqual(
            (before[0], before[1].documents, before[1].text_bytes),
            (after[0], after[1].documents, after[1].text_bytes),
        )

    def test_what_has_not_changed_stays(self) -> None:
        self.put_first()
        blue = resource("b", tags=("blue",))

        put = self.index.put([changed(stack("s1"), blue, unchanged="a c")])

        self.assertEqual(1, put)
        self.assertEqual(["a", "b", "c", "s1"], self.ids())
        self.assertEqual(["b"], self.ids(nodes.Term("tags", "blue")))
        self.assertEqual([("s1", at(2))], self.index.stack_ids("", 10))

    def test_what_is_neither_changed_nor_unchanged_goes(self) -> None:
        self.put_first()
        self.index.put([changed(stack("s1"), resource("d"), unchanged="c")])

        self.assertEqual(["c", "d", "s1"], self.ids())
        self.assertEqual(["a", "b", "c", "s1"], self.ids(as_of=at(1)))

    def test_of_what_has_changed_the_former_state_is_kept(self) -> None:
        self.put_first()
        blue = resource("b", tags=("blue",))
        self.index.put([changed(stack("s1"), blue, unchanged="a c")])

        node = nodes.Term("tags", "blue")
        self.assertEqual([], self.ids(node, as_of=at(1.5)))
        self.assertEqual(["b"], self.ids(node, as_of=at(2)))
        self.assertEqual(["a", "b", "c", "s1"], self.ids(as_of=at(1.5)))

    def test_it_counts_as_a_stack_that_was_put_as_a_whole(self) -> None:
        self.put_first()
        long = resource("b", description="x" * 5000)
        self.index.put([changed(stack("s1"), long, unchanged="a")])
        found = self.index.counts()
        self.index.clear()
        self.index.put([stacked(stack("s1"), long, resource("a"))])
        whole = self.index.counts()

        self.assertEqual(
            (whole.stacks, whole.documents, whole.text_bytes),
            (found.stacks, found.documents, found.text_bytes),
        )

    def test_it_goes_on_from_what_was_put_so(self) -> None:
        self.put_first()
        for version in range(2, 6):
            tagged = resource("b", tags=(f"t{version}",))
            self.index.put(
                [
                    changed(
                        stack("s1"),
                        tagged,
                        unchanged="a c",
                        version=version,
                        base=version - 1,
                    )
                ]
            )

        self.assertEqual(["b"], self.ids(nodes.Term("tags", "t5")))
        self.assertEqual([], self.ids(nodes.Term("tags", "t4")))
        self.assertEqual(["a", "b", "c", "s1"], self.ids())

    def test_another_version_is_no_base(self) -> None:
        self.put_first()

        self.assert_stale(changed(unchanged="a", version=5, base=3))

    def test_another_reading_of_the_version_is_no_base(self) -> None:
        self.put_first()
        self.index.put([stacked(resource("a"), read_at=1.5)])

        self.assert_stale(changed(unchanged="a"))

    def test_a_stack_that_is_not_there_is_no_base(self) -> None:
        self.put_first()

        self.assert_stale(changed(unchanged="a", stack_id="s2"))

    def test_a_document_that_is_not_there_is_not_unchanged(self) -> None:
        self.put_first()

        self.assert_stale(changed(unchanged="a x"))

    def test_after_versions_are_forgotten_there_is_no_base(self) -> None:
        self.put_first()
        self.index.forget_versions()

        self.assert_stale(changed(unchanged="a"))

    def test_what_is_older_is_left_out_whatever_its_base(self) -> None:
        self.index.put([stacked(resource("a"), version=9, read_at=9)])

        self.assertEqual(0, self.index.put([changed(unchanged="b c")]))
        self.assertEqual(["a"], self.ids())

    def test_nothing_else_is_put_where_one_is_stale(self) -> None:
        self.put_first()

        self.assert_stale(
            stacked(resource("n", stack_id="s0"), stack_id="s0"),
            changed(unchanged="a", base=7, version=8),
        )

    def test_s3_what_is_hidden_now_has_no_former_state(self) -> None:
        self.put_first()
        shown = resource("b", tags=("canary",))
        self.index.put([changed(stack("s1"), shown, unchanged="a c")])
        masked = changed(
            stack("s1"),
            resource("b"),
            unchanged="a c",
            version=3,
            base=2,
            redacted=("resources.b.properties.key",),
        )
        self.index.put([masked])

        node = nodes.Term("tags", "canary")
        for moment in (None, 2, 2.5, 3):
            then = None if moment is None else at(moment)
            self.assertEqual([], self.ids(node, samples.ADMIN, as_of=then))
        self.assertEqual(["a", "b", "c", "s1"], self.ids())
