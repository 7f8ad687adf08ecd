"""Replaces the documents of stacks, in one transaction."""

import collections
import collections.abc
import json
import typing

import sqlalchemy as sa

from orch.search import document as documents
from orch.search.index import port
from orch.search.index.postgresql import bodies
from orch.search.index.postgresql import connection as server
from orch.search.index.postgresql import field_names
from orch.search.index.postgresql import rows
from orch.search.index.postgresql import schema as tables
from orch.search.index.postgresql import terms

_SEARCHED = ", ".join(tables.SEARCHED)
_DETAILS = ", ".join(tables.DETAILS)
_BESIDE = ", ".join(tables.DETAILS[1:])


_Shaped: typing.TypeAlias = tuple[str, rows.Shape]
_Named: typing.TypeAlias = tuple[str, field_names.NameSet]


class _Wanted(typing.NamedTuple):
    """A document that has to be there.

    :ivar change: what it came with
    """

    document: documents.Document
    change: documents.StackDocuments
    body: str
    digest: int


def newest_of(
    changes: collections.abc.Iterable[documents.StackDocuments],
) -> dict[str, documents.StackDocuments]:
    """Return the newest of each stack, in the order of their ids."""
    newest: dict[str, documents.StackDocuments] = {}
    for each in changes:
        stack_id = terms.clean(each.stack_id)
        known = newest.get(stack_id)
        if known is None or _age(known) < _age(each):
            newest[stack_id] = each
    return dict(sorted(newest.items()))


def _age(change: documents.StackDocuments) -> tuple[int, float]:
    return (change.version, change.read_at)


def _covered(change: documents.StackDocuments) -> str:
    """Return numbers that stand for what is covered, as an array."""
    numbers = sorted(map(terms.number_of_text, change.redacted))
    return f"{{{','.join(map(str, numbers))}}}"


def _size_of(body: str) -> int:
    return len(body.rstrip(" ").encode()) + bodies.BYTES_OF_NAMES


class Putting:
    """One put, on one connection, in one transaction.

    :ivar added: rows that were added to tallies
    """

    def __init__(
        self,
        connection: sa.Connection,
        changes: collections.abc.Mapping[str, documents.StackDocuments],
    ) -> None:
        self._connection = connection
        self._changes = changes
        self._shapes: collections.Counter[_Shaped] = collections.Counter()
        self._names: collections.Counter[_Named] = collections.Counter()
        self._ids: set[str] = set()
        self._base_bytes: dict[str, int] = {}
        self.added = 0

    def put(self) -> int:
        """Write what is newer; return of how many stacks it was.

        :raises port.StaleBaseError: a stack is not there as its base says
        """
        self._check_bases()
        wanted = self._wanted()
        newer, bared = self._lock(wanted)
        wanted = {
            each: found
            for each, found in wanted.items()
            if terms.clean(found.change.stack_id) in newer
        }
        if not newer:
            return 0
        known = self._known(newer, wanted)
        self._leave_unchanged(newer, known)
        surplus: collections.Counter[str] = collections.Counter()
        gone = []
        for document_id, (group_id, digest) in known.items():
            found = wanted.get(document_id)
            if (
                found is not None
                and found.digest == digest
                and terms.clean(found.change.stack_id) == group_id
            ):
                del wanted[document_id]
                surplus[group_id] += _size_of(found.body)
            else:
                gone.append((document_id, group_id))
        if bared:
            self._forget_former(bared)
        self._remove(gone, newer, bared, wanted, surplus)
        self._write(wanted)
        self._count()
        return len(newer)

    def _check_bases(self) -> None:
        """Lock stacks, and compare those that have a base with it.

        Puts without any base lock them too: all lock in one order.

        :raises port.StaleBaseError: one is not as its base says
        """
        found = self._run(
            """
            SELECT stack_id, version, read_at, text_bytes FROM search_stacks
            WHERE stack_id = ANY(%(ids)s::text[])
            ORDER BY stack_id COLLATE "C" FOR UPDATE
            """,
            {"ids": list(self._changes)},
        )
        there = {each[0]: tuple(each[1:3]) for each in found}
        self._base_bytes = {
            each[0]: each[3]
            for each in found
            if self._changes[each[0]].base is not None
        }
        for stack_id, change in self._changes.items():
            known = there.get(stack_id)
            if known is not None and known >= _age(change):
                continue
            base = change.base
            if base and known != (base.version, float(base.read_at)):
                raise port.StaleBaseError(stack_id)

    def _leave_unchanged(
        self,
        newer: frozenset[str],
        known: dict[str, tuple[str, int]],
    ) -> None:
        """Take what has not changed out of what is there.

        :raises port.StaleBaseError: it is not there, or of another stack
        """
        for stack_id in newer:
            for each in self._changes[stack_id].unchanged:
                group_id, _ = known.pop(terms.clean(each), ("", 0))
                if group_id != stack_id:
                    raise port.StaleBaseError(stack_id)

    def _wanted(self) -> dict[str, _Wanted]:
        wanted = {}
        for change in self._changes.values():
            for each in change.documents:
                body = bodies.body_of(each)
                wanted[terms.clean(each.id)] = _Wanted(
                    each, change, body, rows.digest_of(body)
                )
        return wanted

    def _lock(
        self, wanted: dict[str, _Wanted]
    ) -> tuple[frozenset[str], frozenset[str]]:
        """Return stacks that are newer than what is there, locked.

        :returns: all of them, and those whose former states may show what is
            hidden now
        """
        counts: collections.Counter[str] = collections.Counter()
        sizes: collections.Counter[str] = collections.Counter()
        for each in wanted.values():
            group_id = terms.clean(each.change.stack_id)
            counts[group_id] += 1
            sizes[group_id] += _size_of(each.body)
        changes = self._changes
        for group_id, change in changes.items():
            counts[group_id] += len(change.unchanged)
            sizes[group_id] += self._base_bytes.get(group_id, 0)
        found = self._run(
            """
            INSERT INTO search_stacks AS t
                (stack_id, version, read_at, documents, text_bytes, covered)
            SELECT stack_id, version, read_at, documents, text_bytes,
                covered::bigint[]
            FROM unnest(
                %(ids)s::text[], %(versions)s::bigint[],
                %(read)s::double precision[], %(counts)s::integer[],
                %(sizes)s::bigint[], %(covered)s::text[]
            ) AS g(stack_id, version, read_at, documents, text_bytes, covered)
            ORDER BY g.stack_id COLLATE "C"
            ON CONFLICT (stack_id) DO UPDATE SET
                version = excluded.version,
                read_at = excluded.read_at,
                documents = excluded.documents,
                text_bytes = excluded.text_bytes,
                covered = excluded.covered,
                has_covered_more = NOT excluded.covered <@ t.covered
            WHERE (t.version, t.read_at)
                < (excluded.version, excluded.read_at)
            RETURNING stack_id, has_covered_more
            """,
            {
                "ids": list(changes),
                "versions": [each.version for each in changes.values()],
                "read": [float(each.read_at) for each in changes.values()],
                "counts": [counts[each] for each in changes],
                "sizes": [sizes[each] for each in changes],
                "covered": [_covered(each) for each in changes.values()],
            },
        )
        return (
            frozenset(stack_id for stack_id, _ in found),
            frozenset(stack_id for stack_id, is_bared in found if is_bared),
        )

    def _known(
        self, newer: frozenset[str], wanted: dict[str, _Wanted]
    ) -> dict[str, tuple[str, int]]:
        """Return what is there of the stacks, or under the same ids."""
        found = self._run(
            """
            SELECT id, group_id, digest FROM search_details
            WHERE group_id = ANY(%(groups)s::text[])
            UNION
            SELECT id, group_id, digest FROM search_details
            WHERE id = ANY(%(ids)s::text[])
            """,
            {"groups": sorted(newer), "ids": list(wanted)},
        )
        return {each[0]: (each[1], each[2]) for each in found}

    def _forget_former(self, bared: frozenset[str]) -> None:
        """Forget all that these stacks were."""
        self._connection.exec_driver_sql(
            "DELETE FROM search_former WHERE group_id = ANY(%(groups)s)",
            {"groups": sorted(bared)},
        )

    def _remove(
        self,
        gone: list[tuple[str, str]],
        newer: frozenset[str],
        bared: frozenset[str],
        wanted: dict[str, _Wanted],
        surplus: collections.Counter[str],
    ) -> None:
        """Move documents to the former ones.

        :param bared: stacks of which nothing is kept
        :param surplus: bytes of documents that are there already, by stack
        """
        if not gone:
            self._count_less(collections.Counter(), surplus)
            return
        moments = []
        for document_id, group_id in gone:
            if group_id in newer:
                moments.append(float(self._changes[group_id].read_at))
            else:
                moments.append(float(wanted[document_id].change.read_at))
        found = self._run(
            f"""
            WITH given AS (
                SELECT * FROM unnest(
                    %(ids)s::text[], %(moments)s::double precision[]
                ) AS g(id, moment)
            ), gone AS (
                DELETE FROM search_documents
                WHERE id = ANY(%(ids)s::text[]) RETURNING {_SEARCHED}
            ), details AS (
                DELETE FROM search_details
                WHERE id = ANY(%(ids)s::text[]) RETURNING {_DETAILS}
            ), former AS (
                INSERT INTO search_former ({_SEARCHED}, {_BESIDE}, valid_to)
                SELECT {", ".join(f"x.{each}" for each in tables.SEARCHED)},
                    {", ".join(f"r.{each}" for each in tables.DETAILS[1:])},
                    greatest(g.moment, r.valid_from)
                FROM gone x JOIN details r ON r.id = x.id
                JOIN given g ON g.id = x.id
                WHERE r.group_id <> ALL(%(bared)s::text[])
            )
            SELECT r.group_id, {tables.BODY.format("x.")}
            FROM gone x JOIN details r ON r.id = x.id
            """,  # noqa: S608 - names of columns
            {
                "ids": [each[0] for each in gone],
                "moments": moments,
                "bared": sorted(bared),
            },
        )
        elsewhere: collections.Counter[str] = collections.Counter()
        for group_id, body in found:
            self._tally(bodies.document_of(body), -1)
            if group_id not in newer:
                elsewhere[group_id] += 1
            surplus[group_id] += _size_of(body)
        self._count_less(elsewhere, surplus)

    def _count_less(
        self,
        elsewhere: collections.Counter[str],
        surplus: collections.Counter[str],
    ) -> None:
        """Count less of stacks that lost documents, or were added up twice.

        :param elsewhere: documents of stacks that were not put
        :param surplus: bytes of documents, by stack
        """
        for group_id in sorted({*elsewhere, *self._base_bytes}):
            self._connection.exec_driver_sql(
                "UPDATE search_stacks SET documents = documents - %(count)s,"
                " text_bytes = greatest(0, text_bytes - %(size)s)"
                " WHERE stack_id = %(group)s",
                {
                    "count": elsewhere[group_id],
                    "size": surplus[group_id],
                    "group": group_id,
                },
            )

    def _write(self, wanted: dict[str, _Wanted]) -> None:
        if not wanted:
            return
        searched, details = [], []
        for document_id in sorted(wanted):
            each = wanted[document_id]
            row = rows.row_of(
                each.document,
                each.change.stack_id,
                each.change.read_at,
                each.body,
                each.digest,
            )
            searched.append(row.searched)
            details.append(row.details)
            self._tally(each.document, 1)
        for name, columns, lines in (
            ("search_documents", _SEARCHED, searched),
            ("search_details", _DETAILS, details),
        ):
            server.copy_in(
                self._connection,
                f"COPY {name} ({columns}) FROM STDIN",
                "".join(lines).encode(),
            )

    def _tally(self, document: documents.Document, sign: int) -> None:
        project_id = terms.clean(document.project_id)
        self._names[project_id, field_names.names_of(document)] += sign
        self._shapes[project_id, rows.shape_of(document)] += sign
        self._ids.add(project_id)
        self._ids.add(terms.clean(document.owner))

    def _count(self) -> None:
        """Write the shapes and ids that are new, and what was counted."""
        if self._shapes:
            self._count_shapes()
            ids = sorted(self._ids)
            numbers = [terms.number_of_text(each) for each in ids]
            self._connection.exec_driver_sql(
                _IDS, {"numbers": numbers, "values": ids}
            )
        if any(self._names.values()):
            self._count_names()

    def _count_names(self) -> None:
        """Write which sets of fields are new, and how many have each."""
        sets = sorted(
            {found for _, found in self._names},
            key=lambda each: each.number,
        )
        counted = sorted(
            (project_id, found.number, count)
            for (project_id, found), count in self._names.items()
            if count
        )
        projects, numbers, counts = zip(*counted, strict=True)
        self._connection.exec_driver_sql(
            _NAMES,
            {
                "sets": [each.number for each in sets],
                "is_hidden": [each.is_hidden for each in sets],
                "kinds": [each.kind for each in sets],
                "types": [each.of_type for each in sets],
                "names": [each.text for each in sets],
                "projects": list(projects),
                "numbers": list(numbers),
                "counts": list(counts),
            },
        )

    def _count_shapes(self) -> None:
        shapes = sorted({shape for _, shape in self._shapes})
        given: dict[str, object] = _columns_of(rows.Shape._fields, shapes)
        given["numbers"] = [each.number for each in shapes]
        given["folded"] = [json.dumps(each.folded()) for each in shapes]
        tallied: collections.Counter[tuple[int, int]] = collections.Counter()
        for (project_id, shape), count in self._shapes.items():
            tallied[terms.number_of_text(project_id), shape.number] += count
            tallied[tables.EVERY_PROJECT, shape.number] += count
        tallies = sorted(
            (*key, count) for key, count in tallied.items() if count
        )
        given["projects"] = [each[0] for each in tallies]
        given["shapes"] = [each[1] for each in tallies]
        given["counts"] = [each[2] for each in tallies]
        self._connection.exec_driver_sql(_SHAPES, given)
        self.added += len(tallies)

    def _run(
        self, sql: str, given: dict[str, typing.Any]
    ) -> collections.abc.Sequence[typing.Any]:
        return self._connection.exec_driver_sql(sql, given).all()


def _columns_of(
    names: collections.abc.Sequence[str],
    found: collections.abc.Sequence[tuple[object, ...]],
) -> dict[str, object]:
    columns = (list(each) for each in zip(*found, strict=True))
    return dict(zip(names, columns, strict=True))


_SHAPES = """
    WITH tallied AS (
        INSERT INTO search_tallies (project, shape, count)
        SELECT * FROM unnest(
            %(projects)s::bigint[], %(shapes)s::bigint[], %(counts)s::bigint[]
        )
    )
    INSERT INTO search_shapes
        (number, is_hidden, kind, type, action, status, drift, tags, folded)
    SELECT number, is_hidden, kind, type, action, status, drift, tags::jsonb,
        folded::jsonb
    FROM unnest(
        %(numbers)s::bigint[], %(is_hidden)s::boolean[], %(kind)s::text[],
        %(type)s::text[], %(action)s::text[], %(status)s::text[],
        %(drift)s::text[], %(tags)s::text[], %(folded)s::text[]
    ) AS g(number, is_hidden, kind, type, action, status, drift, tags, folded)
    ORDER BY number
    ON CONFLICT (number) DO NOTHING
"""

_IDS = """
    INSERT INTO search_ids (number, value)
    SELECT * FROM unnest(%(numbers)s::bigint[], %(values)s::text[])
        AS g(number, value)
    ORDER BY number
    ON CONFLICT (number) DO NOTHING
"""

_NAMES = """
    WITH named AS (
        INSERT INTO search_name_sets
            (number, is_hidden, kind, of_type, names)
        SELECT number, is_hidden, kind, of_type, names::jsonb FROM unnest(
            %(sets)s::bigint[], %(is_hidden)s::boolean[], %(kinds)s::text[],
            %(types)s::text[], %(names)s::text[]
        ) AS g(number, is_hidden, kind, of_type, names)
        ORDER BY number
        ON CONFLICT (number) DO NOTHING
    )
    INSERT INTO search_names AS t (project_id, number, count)
    SELECT * FROM unnest(
        %(projects)s::text[], %(numbers)s::bigint[], %(counts)s::bigint[]
    ) AS g(project_id, number, count)
    ORDER BY g.project_id COLLATE "C", g.number
    ON CONFLICT (project_id, number) DO UPDATE
        SET count = t.count + excluded.count
"""
