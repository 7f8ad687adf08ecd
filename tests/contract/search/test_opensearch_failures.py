"""What OpenSearch does not do, and what others do meanwhile."""

import collections.abc
import dataclasses
import socket
import typing

from oslo_config import cfg

from orch import errors
from orch.conf import search as options
from orch.search import document as documents
from orch.search.index.opensearch import index as opensearch_index
from orch.search.index.opensearch import mapping as rows
from orch.search.query import nodes
from tests import base
from tests.contract.search import samples
from tests.contract.search.samples import resource
from tests.contract.search.samples import stacked
from tests.support.opensearch import server


class OpenSearchFailuresTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.server = self.useFixture(server.OpenSearch())
        self.index = self.open(self.server.url())
        self.index.prepare()

    def open(self, url: str) -> opensearch_index.OpenSearchIndex:
        conf = cfg.ConfigOpts()
        options.SECTION.register(conf)
        index = opensearch_index.from_url(url, conf)
        assert isinstance(index, opensearch_index.OpenSearchIndex)
        self.addCleanup(index.close)
        return index

    def ids(self) -> list[str]:
        found = self.index.search(samples.query(scope=samples.ADMIN))
        return sorted(each.document.name for each in found.hits)

    def check_unavailable(self) -> None:
        one = [stacked(resource("a"))]
        for ask in self.questions(one):
            self.assertRaises(errors.Unavailable, ask)

    def questions(
        self, one: list[documents.StackDocuments]
    ) -> collections.abc.Iterator[collections.abc.Callable[[], object]]:
        index = self.index
        yield index.prepare
        yield lambda: index.put(one)
        yield lambda: index.search(samples.query())
        yield lambda: index.fields(samples.ADMIN, frozenset())
        yield lambda: index.load("x")
        yield lambda: index.save("x", "y")
        yield lambda: index.stack_ids("", 5)
        yield lambda: index.forget_history(samples.at(0))
        yield index.clear
        yield index.counts

    def test_a_service_that_is_busy_or_refuses_us(self) -> None:
        self.index.put([stacked(resource("kept"))])
        for status in (401, 403, 429, 500, 503):
            self.server.refused = status
            self.check_unavailable()
        self.server.refused = 0

        self.assertEqual(["kept"], self.ids())

    def test_a_service_that_is_not_there(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            number = taken.getsockname()[1]
            self.index = self.open(f"opensearch://127.0.0.1:{number}/x")
            self.check_unavailable()

    def test_s5_an_index_that_got_lost_is_not_made_by_writing(self) -> None:
        names = ("orch-search-documents", "orch-search-stacks")
        for name in names:
            self.index.put([stacked(resource("a"), version=3)])
            self.index.save("x", "y")
            self.server.lose(name)
            put = [stacked(resource("b"), version=4)]

            error = self.assertRaises(errors.Unavailable, self.index.put, put)
            self.assertIn("Fill it again", error.message)
            self.index.prepare()

            self.assertEqual([], self.ids())
            self.assertIsNone(self.index.load("x"))
            self.assertEqual(1, self.index.put(put))
            self.assertEqual(["b"], self.ids())
            self.index.clear()

    def test_texts_are_not_kept_where_nobody_finds_them(
        self,
    ) -> None:
        self.index.put([stacked(resource("a"))])
        self.server.lose("orch-search-notes")

        self.assertRaises(errors.Unavailable, self.index.save, "x", "y")
        self.assertRaises(errors.Unavailable, self.index.load, "x")
        self.index.prepare()
        self.assertEqual([], self.ids())

    def test_an_index_of_another_format_is_forgotten(self) -> None:
        self.index.put([stacked(resource("a"))])
        made = self.server.body_of("orch-search-documents")
        made["mappings"]["_meta"]["format"] = 0

        self.index.prepare()

        self.assertEqual([], self.ids())
        self.assertEqual(
            rows.FORMAT,
            self.server.body_of("orch-search-documents")["mappings"]["_meta"][
                "format"
            ],
        )

    def test_s5_what_died_before_it_was_whole_is_written_again(self) -> None:
        self.index.put([stacked(resource("a"), resource("b"))])
        newer = stacked(
            resource("a", description="new"), resource("c"), version=2
        )
        for failing in ("POST /orch-search-documents/_mget", "POST /_bulk"):
            self.server.refuse_after(failing, 1 if "bulk" in failing else 0)
            self.assertRaises(errors.Unavailable, self.index.put, [newer])
            self.server.refuse_after("", 0)
            self.assertEqual(["a", "b"], self.ids())

        self.assertEqual(1, self.index.put([newer]))
        self.assertEqual(["a", "c"], self.ids())
        found = self.index.search(samples.query(samples.words("new")))
        self.assertEqual(1, found.total)
        self.assertEqual(0, self.index.put([newer]))

    def test_s5_a_slower_writer_with_an_older_claim_is_refused(self) -> None:
        self.index.put([stacked(resource("a"), read_at=1)])
        other = self.open(self.server.url())
        older = stacked(resource("old"), resource("a"), version=2, read_at=2)
        newer = stacked(resource("new"), version=3, read_at=3)

        overtaken = []

        def overtake() -> None:
            overtaken.append(other.put([newer]))

        self.server.before("POST /orch-search-documents/_mget", overtake)
        self.index.put([older])

        self.assertEqual([1], overtaken)
        self.assertEqual(["new"], self.ids())
        self.assertEqual(0, self.index.put([older]))
        self.assertEqual(["new"], self.ids())

    def overtaken_by(self, newer: documents.StackDocuments) -> list[int]:
        """Let another one put this once the next has read documents."""
        other = self.open(self.server.url())
        overtaken: list[int] = []
        self.server.before(
            "POST /orch-search-documents/_mget",
            lambda: self.server.before(
                "POST /_bulk", lambda: overtaken.append(other.put([newer]))
            ),
        )
        return overtaken

    def test_s5_a_slower_writer_changes_nothing_that_stayed(self) -> None:
        first = resource("a", tags=("first",))
        self.index.put([stacked(first, read_at=1)])
        newer = stacked(first, resource("new"), version=3, read_at=3)
        overtaken = self.overtaken_by(newer)

        self.index.put(
            [stacked(resource("a", tags=("no",)), version=2, read_at=2)]
        )

        self.assertEqual([1], overtaken)
        self.assertEqual(["a", "new"], self.ids())
        found = self.index.search(samples.query(nodes.Term("tags", "first")))
        self.assertEqual(1, found.total)
        found = self.index.search(samples.query(as_of=samples.at(2)))
        self.assertEqual(1, found.total)

    def test_s3_a_slower_writer_brings_back_nothing_of_before(self) -> None:
        plain = resource("a", tags=("canary",))
        self.index.put([stacked(plain, read_at=1)])
        hidden = stacked(
            resource("a"), version=3, read_at=3, redacted={"a.tags"}
        )
        overtaken = self.overtaken_by(hidden)

        self.index.put(
            [stacked(resource("a", tags=("b",)), version=2, read_at=2)]
        )
        self.index.forget_history(samples.at(-1))

        self.assertEqual([1], overtaken)
        for moment in (1, 2, 2.5):
            found = self.index.search(samples.query(as_of=samples.at(moment)))
            self.assertEqual(0, found.total)
        self.assertEqual(["a"], self.ids())

    def test_s3_what_died_before_it_was_whole_forgets_again(self) -> None:
        plain = resource("a", tags=("canary",))
        hidden = resource("a", description="new")
        requests = (
            ("POST /orch-search-documents/_delete_by_query", 0),
            ("POST /_bulk", 1),
            ("POST /_bulk", 2),
        )
        for number, (failing, count) in enumerate(requests):
            start = number * 10
            for later in (1, 2):
                tags = (f"t{later}", "canary")
                self.index.put(
                    [
                        stacked(
                            dataclasses.replace(plain, tags=tags),
                            version=start + later,
                            read_at=start + later,
                        )
                    ]
                )
            put = [
                stacked(
                    hidden,
                    version=start + 3,
                    read_at=start + 3,
                    redacted={"a.tags"},
                )
            ]
            self.server.refuse_after(failing, count)
            self.assertRaises(errors.Unavailable, self.index.put, put)
            self.server.refuse_after("", 0)

            self.assertEqual(1, self.index.put(put))

            for moment in (1, 1.5, 2, 2.5, 3):
                found = self.index.search(
                    samples.query(
                        nodes.Term("tags", "canary"),
                        as_of=samples.at(start + moment),
                    )
                )
                self.assertEqual(0, found.total, (failing, count, moment))
            self.assertEqual(0, self.index.put(put))

    def test_s3_what_died_before_it_was_seen_is_forgotten_too(self) -> None:
        for version in (1, 2):
            failing = "POST /orch-search-documents/_refresh"
            self.server.refuse_after(failing if version == 2 else "", 0)
            tags = (f"t{version}", "canary")
            put = stacked(
                resource("a", tags=tags), version=version, read_at=version
            )
            if version == 2:
                self.assertRaises(errors.Unavailable, self.index.put, [put])
            else:
                self.index.put([put])
        self.server.refuse_after("", 0)

        self.index.put(
            [stacked(resource("a"), version=3, read_at=3, redacted={"a.tags"})]
        )

        for moment in (1, 1.5, 2, 2.5, 3):
            found = self.index.search(
                samples.query(
                    nodes.Term("tags", "canary"), as_of=samples.at(moment)
                )
            )
            self.assertEqual(0, found.total)

    def test_s3_what_died_while_it_showed_more_is_not_kept(self) -> None:
        """Half of what is shown again may become a former state."""
        names = ("a.tags", "b.tags")
        masked = (resource("a"), resource("b"))
        self.index.put([stacked(*masked, read_at=1, redacted=names)])
        shown = stacked(
            resource("a", tags=("canary",)),
            resource("b", tags=("canary",)),
            version=2,
            read_at=2,
        )
        self.server.refuse_after("POST /_bulk", 2)
        self.assertRaises(errors.Unavailable, self.index.put, [shown])
        self.server.refuse_after("", 0)

        self.index.put(
            [stacked(*masked, version=3, read_at=3, redacted=names)]
        )

        for moment in (1, 2, 2.5, 3):
            found = self.index.search(
                samples.query(
                    nodes.Term("tags", "canary"), as_of=samples.at(moment)
                )
            )
            self.assertEqual(0, found.total)

    def test_s5_of_two_at_once_one_claims_and_the_other_looks_again(
        self,
    ) -> None:
        other = self.open(self.server.url())
        older = stacked(resource("old"), version=1)
        newer = stacked(resource("new"), version=2)

        overtaken = []

        def overtake() -> None:
            overtaken.append(other.put([newer]))

        self.server.before("POST /_bulk", overtake)

        self.assertEqual(0, self.index.put([older]))
        self.assertEqual([1], overtaken)
        self.assertEqual(["new"], self.ids())

    def test_a_row_that_is_refused_does_not_stop_the_rest(self) -> None:
        made = self.server.body_of("orch-search-documents")
        fields: dict[str, typing.Any] = made["mappings"]["properties"]
        fields["kind"] = {"type": "boolean"}

        put = self.index.put([stacked(resource("a"))])
        fields["kind"] = {"type": "keyword"}
        self.index.put([stacked(resource("b"), version=2)])

        self.assertEqual(1, put)
        self.assertEqual(["b"], self.ids())

    def test_hits_too_far_behind_need_a_cursor(self) -> None:
        error = self.assertRaises(
            errors.Invalid, self.index.search, samples.query(offset=100_000)
        )
        self.assertIn("cursor", error.message)

    def test_urls(self) -> None:
        conf = cfg.ConfigOpts()
        options.SECTION.register(conf)
        for url in ("opensearch://", "opensearch://host:port/x"):
            self.assertRaises(
                errors.Invalid, opensearch_index.from_url, url, conf
            )
        other = self.open(self.server.url("other"))
        other.prepare()
        self.index.put([stacked(resource("a"))])

        self.assertEqual(0, other.counts().documents)
        self.assertEqual(1, self.index.counts().documents)
