"""What Tantivy and FTS5 take where the index on SQLite takes its time.

``python -m bench.search_engines [--stacks N] [--queries N]`` fills the three
with ``bench.deployments``, asks each the queries of ``bench.search`` with
three facets and 20 hits, and changes 2 of 21 documents of stacks. Tantivy is
asked for orders and given one commit a batch, too. CPU seconds and sizes go
to ``results/search-engines.jsonl``. FTS5 has words and one table of values.
"""

import argparse
import collections.abc
import functools
import itertools
import json
import pathlib
import random
import sqlite3
import tempfile
import time
import typing

import tantivy

from bench import deployments
from bench import machine
from bench import search
from orch.search import document as documents
from orch.search import tokenizer
from orch.search.index.sqlite import index as sqlite_index
from orch.search.index.tantivy import entries
from orch.search.index.tantivy import layout
from orch.search.query import nodes
from orch.search.query import values

_FACETS = ("type", "status", "tags")
_Batch: typing.TypeAlias = list[documents.StackDocuments]


class _Tantivy:
    """The index as ``orch.search.index.tantivy`` writes it, current states.

    The rows beside it are not in the figures.
    """

    name = "tantivy"

    def __init__(self, directory: pathlib.Path) -> None:
        self._path = directory / "tantivy"
        self._path.mkdir()
        self.schema = layout.build_schema()
        self._index = tantivy.Index(self.schema, str(self._path))
        layout.register_tokenizer(self._index)
        self._writer = self._index.writer(64_000_000, 1)
        self._numbers = itertools.count(1)
        self._known: dict[str, int] = {}

    def put(self, batch: _Batch, is_change: bool = False) -> None:
        for stack in batch:
            for each in stack.documents[: 2 if is_change else None]:
                number = next(self._numbers)
                if is_change:
                    self._delete(each.id)
                self._known[each.id] = number
                self._writer.add_document(
                    entries.entry_of(each, number, stack.read_at, None)
                )

    def _delete(self, document_id: str) -> None:
        self._writer.delete_documents_by_query(
            tantivy.Query.term_set_query(
                self.schema, "number", [self._known[document_id]]
            )
        )

    def commit(self) -> None:
        self._writer.commit()
        self._index.reload()

    def ask(self, node: nodes.Node) -> int:
        searcher = self._index.searcher()
        query = self._query(node)
        found = searcher.search(
            query, 20, order_by_field="newest", order=tantivy.Order.Desc
        )
        searcher.aggregate(
            query,
            {
                each: {"terms": {"field": f"shown.u{each}", "size": 10}}
                for each in _FACETS
            },
        )
        return len(found.hits)

    def order(self, field: str) -> int:
        found = self._index.searcher().search(
            self._query(nodes.All()),
            21,
            order_by_field=field,
            order=tantivy.Order.Asc,
        )
        return len(found.hits)

    def _query(self, node: nodes.Node) -> tantivy.Query:
        current = tantivy.Query.term_query(self.schema, "current", 1)
        if isinstance(node, nodes.All):
            return current
        parts = []
        if isinstance(node, nodes.Words):
            for field in ("words", "admin_words", "texts"):
                word = node.words[0]
                parts.append(
                    tantivy.Query.regex_query(self.schema, field, word + ".*")
                    if node.is_prefix
                    else tantivy.Query.term_query(self.schema, field, word)
                )
        else:
            assert isinstance(node, nodes.Term)
            for group in ("", "properties.", "parameters."):
                key = layout.key_of(group + node.field)
                parts.append(
                    tantivy.Query.term_query(
                        self.schema, "terms", f"{key}={node.value.lower()}"
                    )
                )
                parts.append(
                    tantivy.Query.term_query(
                        self.schema,
                        "field_words",
                        f"{key}={node.value.lower()}",
                    )
                )
        some = tantivy.Query.boolean_query(
            [(tantivy.Occur.Should, each) for each in parts]
        )
        return tantivy.Query.boolean_query(
            [(tantivy.Occur.Must, current), (tantivy.Occur.Must, some)]
        )

    def size(self) -> int:
        self._writer.wait_merging_threads()
        self._index = tantivy.Index.open(str(self._path))
        return sum(each.stat().st_size for each in self._path.iterdir())


class _FTS5:
    """Words in FTS5, and a row for each value of each document."""

    name = "fts5"

    def __init__(self, directory: pathlib.Path) -> None:
        self._path = directory / "fts5.db"
        self._db = sqlite3.connect(self._path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = wal")
        self._db.execute("PRAGMA synchronous = normal")
        for each in (
            "CREATE VIRTUAL TABLE words USING fts5"
            " (all_words, tokenize = 'ascii', prefix = '2 3')",
            "CREATE TABLE vals (field TEXT, folded TEXT, number INTEGER,"
            " PRIMARY KEY (field, folded, number)) WITHOUT ROWID",
            "CREATE INDEX vals_of ON vals (number, field)",
            "CREATE TABLE docs (number INTEGER PRIMARY KEY, id TEXT,"
            " newest REAL)",
            "CREATE INDEX docs_of ON docs (id)",
            "CREATE INDEX docs_by ON docs (newest)",
        ):
            self._db.execute(each)
        self._numbers = itertools.count(1)
        self._db.execute("BEGIN")

    def put(self, batch: _Batch, is_change: bool = False) -> None:
        for stack in batch:
            for each in stack.documents[: 2 if is_change else None]:
                if is_change:
                    self._remove(each.id)
                self._put(next(self._numbers), each)

    def _remove(self, document_id: str) -> None:
        for table, column in (
            ("words", "rowid"),
            ("vals", "number"),
            ("docs", "number"),
        ):
            self._db.execute(
                f"DELETE FROM {table} WHERE {column} ="
                " (SELECT number FROM docs WHERE id = ?)",
                (document_id,),
            )

    def _put(self, number: int, document: documents.Document) -> None:
        rows = set()
        for field in sorted(values.NATIVE):
            for _, value in values.find_values(document, field, True):
                rows.add((field, tokenizer.fold_case(str(value)), number))
        for group in (document.fields, document.admin):
            for field, several in group.items():
                for value in several:
                    text = tokenizer.fold_case(values.text_of(value))
                    rows.add((field, text, number))
        words = " ".join(
            word
            for _, value in values.find_anywhere(document, True)
            for word in tokenizer.split_words(values.text_of(value))
        )
        self._db.execute(
            "INSERT INTO words (rowid, all_words) VALUES (?, ?)",
            (number, words),
        )
        self._db.executemany("INSERT INTO vals VALUES (?, ?, ?)", rows)
        self._db.execute(
            "INSERT INTO docs VALUES (?, ?, ?)",
            (number, document.id, document.updated_at),
        )

    def commit(self) -> None:
        self._db.execute("COMMIT")
        self._db.execute("BEGIN")

    def ask(self, node: nodes.Node) -> int:
        given: tuple[str, ...] = ()
        hits = "SELECT number FROM docs"
        if isinstance(node, nodes.Words):
            hits = "SELECT rowid AS number FROM words WHERE words MATCH ?"
            given = (f'"{node.words[0]}"' + " *" * node.is_prefix,)
        elif isinstance(node, nodes.Term):
            hits = (
                "SELECT DISTINCT number FROM vals WHERE field IN"
                " (?, 'properties.' || ?, 'parameters.' || ?) AND folded = ?"
            )
            given = (*(node.field,) * 3, node.value.lower())
        self._db.execute("DROP TABLE IF EXISTS temp.hits")
        self._db.execute("CREATE TEMP TABLE hits (number INTEGER PRIMARY KEY)")
        self._db.execute(f"INSERT INTO hits {hits}", given)
        for field in _FACETS:
            self._db.execute(
                "SELECT folded, count(*) FROM vals JOIN hits USING (number)"
                " WHERE field = ? GROUP BY folded ORDER BY 2 DESC LIMIT 10",
                (field,),
            ).fetchall()
        self._db.execute(
            "SELECT number FROM docs JOIN hits USING (number)"
            " ORDER BY newest DESC LIMIT 20"
        ).fetchall()
        (total,) = self._db.execute("SELECT count(*) FROM hits").fetchone()
        return int(total)

    def size(self) -> int:
        self._db.execute("COMMIT")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return self._path.stat().st_size


class _SQLite:
    """The index on SQLite as it is; it has histories too."""

    name = "sqlite"

    def __init__(self, directory: pathlib.Path) -> None:
        self._index = sqlite_index.SQLiteIndex(directory / "search.db")
        self._index.prepare()

    def put(self, batch: _Batch, is_change: bool = False) -> None:
        self._index.put(batch)

    def commit(self) -> None:
        """Do nothing: each batch was committed."""

    def ask(self, node: nodes.Node) -> int:
        return self._index.search(search.make_query(node)).total

    def size(self) -> int:
        return self._index.counts().stored_bytes


_Engine: typing.TypeAlias = _Tantivy | _FTS5 | _SQLite


def main() -> None:
    """Measure each engine, and store the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.search_engines")
    parser.add_argument("--stacks", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--engines", default="tantivy,fts5,sqlite")
    asked = parser.parse_args()
    lines: list[dict[str, object]] = [machine.describe()]
    for engine in (_Tantivy, _FTS5, _SQLite):
        if engine.name in asked.engines.split(","):
            with tempfile.TemporaryDirectory() as directory:
                made: _Engine = engine(pathlib.Path(directory))
                for line in _measure(made, asked.stacks, asked.queries):
                    lines.append({"engine": engine.name, **line})
                    print(json.dumps(lines[-1]), flush=True)
    target = search.RESULTS / "search-engines.jsonl"
    target.write_text("".join(json.dumps(x) + "\n" for x in lines), "utf-8")


def _measure(
    engine: _Engine, stacks: int, queries: int
) -> collections.abc.Iterator[dict[str, object]]:
    given = deployments.stacks(stacks)
    cpu = 0.0
    while batch := list(itertools.islice(given, search.BATCH)):
        before = time.process_time()
        engine.put(batch)
        cpu += time.process_time() - before
    cpu += _cpu_ms(engine.commit) / 1000
    count = stacks * (1 + deployments.RESOURCES)
    yield {"part": "fill", "ms_a_document": round(1000 * cpu / count, 3)}
    dice = random.Random(7)
    for name, make in search.KINDS.items():
        found = []
        for _ in range(queries // 4):
            node = make(dice)
            found.append(_cpu_ms(functools.partial(engine.ask, node)))
        yield {"part": name, **_spread(found)}
    if isinstance(engine, _Tantivy):
        for field in ("id_0", "name_0", "newest"):
            order = functools.partial(engine.order, field)
            times = [_cpu_ms(order) for _ in range(9)]
            yield {"part": f"everything by {field}", **_spread(times)}
    for size in (1, 20):
        changed = list(search.changes(80))[40 * (size > 1) :]
        times = []
        for first in range(0, 40, size):
            some = changed[first : first + size]
            before = time.process_time()
            engine.put(some, is_change=True)
            engine.commit()
            times.append(1000 * (time.process_time() - before))
        yield {"part": f"change {size} stacks, commit", **_spread(times)}
    yield {"part": "size", "mb": round(engine.size() / 1e6)}


def _cpu_ms(do: collections.abc.Callable[[], object]) -> float:
    before = time.process_time()
    do()
    return 1000 * (time.process_time() - before)


def _spread(found: list[float]) -> dict[str, object]:
    ordered = sorted(found)
    return {
        "cpu_p50_ms": round(ordered[len(ordered) // 2], 1),
        "cpu_max_ms": round(ordered[-1], 1),
    }


if __name__ == "__main__":
    main()
