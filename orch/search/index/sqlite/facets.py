"""Facets and statistics of a set of documents in SQLite."""

import collections
import collections.abc
import sqlite3

from orch.search.index import bodies
from orch.search.index import port
from orch.search.index.sqlite import bitmaps
from orch.search.index.sqlite import entries
from orch.search.index.sqlite import evaluate as evaluating
from orch.search.query import values


class Known:
    """Values of fields that were read, to be counted in several sets.

    :ivar ones: those that one document alone has, by field and document
    :ivar many: all others by field, in chunks of their documents
    """

    def __init__(self) -> None:
        self.ones: dict[int, dict[int, list[str]]] = {}
        self.many: dict[int, list[tuple[str, int, bytes]]] = {}


class Tally:
    """Counts what documents of one set have in common.

    :ivar hits: the set
    """

    def __init__(
        self,
        evaluation: evaluating.Evaluation,
        hits: int,
        known: Known | None = None,
    ) -> None:
        """Count nothing yet.

        :param known: what was read for other sets, and more is added to;
            ``None`` where there are none
        """
        self.hits = hits
        self._evaluation = evaluation
        self._known = known
        self._chunks = bitmaps.cut_chunks(hits)
        self._flags: dict[int, bytes] = {}
        self._signs = hits.to_bytes(hits.bit_length() // 8 + 1, "little")

    def facet(self, request: port.Facet) -> tuple[tuple[str, int], ...]:
        """Return the most frequent values of a field.

        A document counts once for each different value. Long texts, and
        values of more than 200 characters, are in no facet.
        """
        numbers = self._evaluation.field_ids(request.field)
        is_text = request.field.startswith(values.TEXT)
        if is_text or not self._chunks or request.field in values.MOMENTS:
            return ()
        if len(numbers) > 1:
            counts = self._merged(numbers)
        else:
            counts = self._single(numbers, request.size)
        ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        return tuple(ranked[: request.size])

    def _single(self, numbers: list[int], size: int) -> dict[str, int]:
        counts: dict[str, int] = collections.defaultdict(int)
        for number in numbers:
            for text, chunk, bits in self._many(number):
                count = self._count(chunk, bits)
                if count:
                    counts[text] += count
            if sum(count > 1 for count in counts.values()) >= size:
                continue  # what one document alone has is not among these
            for text, _ in self._ones(number):
                counts[text] += 1
        return counts

    def _merged(self, numbers: list[int]) -> dict[str, int]:
        """Count values that a document may have in several fields."""
        found: dict[str, dict[int, int]] = collections.defaultdict(dict)
        for number in numbers:
            for text, chunk, bits in self._many(number):
                chunks = found[text]
                both = self._chunks.get(chunk, 0) & bitmaps.decode(bits)
                chunks[chunk] = chunks.get(chunk, 0) | both
            for text, one in self._ones(number):
                chunk = one >> bitmaps.SHIFT
                chunks = found[text]
                bit = 1 << one % bitmaps.CHUNK
                chunks[chunk] = chunks.get(chunk, 0) | bit
        counts = {
            text: sum(map(int.bit_count, chunks.values()))
            for text, chunks in found.items()
        }
        return {text: count for text, count in counts.items() if count}

    def _ones(self, number: int) -> collections.abc.Iterator[tuple[str, int]]:
        """Return values that one document alone has, and is in the set."""
        if self._known is not None:
            by_document = self._known.ones
            if number not in by_document:
                by_document[number] = collections.defaultdict(list)
                for text, one in self._read_ones(number):
                    by_document[number][one].append(text)
            for one in bitmaps.numbers(self.hits):
                for text in by_document[number].get(one, ()):
                    yield text, one
            return
        for text, one in self._read_ones(number):
            if self._has(one):
                yield text, one

    def _read_ones(self, number: int) -> list[tuple[str, int]]:
        return self._evaluation.run(
            "SELECT CASE text WHEN '' THEN folded ELSE text END, one"
            " FROM vals"
            " WHERE field = ? AND one IS NOT NULL AND text != ?",
            (number, bodies.LONG),
        ).fetchall()

    def _many(
        self, number: int
    ) -> collections.abc.Iterable[tuple[str, int, bytes]]:
        """Return values that several documents have, in chunks of these."""
        if self._known is None:
            return self._read_many(number)
        many = self._known.many
        if number not in many:
            many[number] = self._read_many(number).fetchall()
        return many[number]

    def _read_many(self, number: int) -> sqlite3.Cursor:
        return self._evaluation.run(
            "SELECT CASE v.text WHEN '' THEN v.folded ELSE v.text END,"
            " p.chunk, p.bits FROM vals AS v"
            " JOIN postings AS p ON p.id = v.id"
            " WHERE v.field = ? AND v.one IS NULL AND v.text != ?",
            (number, bodies.LONG),
        )

    def _has(self, one: int) -> bool:
        place = one >> 3
        return place < len(self._signs) and bool(
            self._signs[place] >> (one & 7) & 1
        )

    def _count(self, chunk: int, stored: bytes) -> int:
        wanted = self._chunks.get(chunk)
        if wanted is None:
            return 0
        if not bitmaps.is_listed(stored):
            return (bitmaps.decode(stored) & wanted).bit_count()
        flags = self._flags.get(chunk)
        if flags is None:
            flags = self._flags[chunk] = bitmaps.flags(wanted)
        return sum(map(flags.__getitem__, bitmaps.listed_numbers(stored)))

    def extent(self, field: str) -> port.Extent | None:
        """Return the least and the greatest number of a field.

        They are read from both ends, as far as to the first hit.
        """
        numbers = self._evaluation.field_ids(field)
        least = [self._first(each, "ASC") for each in numbers]
        greatest = [self._first(each, "DESC") for each in numbers]
        found = [each for each in (*least, *greatest) if each is not None]
        return port.Extent(min(found), max(found)) if found else None

    def _first(self, field: int, direction: str) -> float | None:
        found = self._times_of(field, direction)
        return next((amount for amount, _, _ in found), None)

    def statistics(self, field: str) -> port.Statistics:
        """Return what the numbers of a field come to.

        Each entry of a list counts, those that are the same too.
        """
        count, total = 0, 0.0
        least = greatest = None
        for amount, times in self._numbers(field):
            count += times
            total += amount * times
            least = amount if least is None else min(least, amount)
            greatest = amount if greatest is None else max(greatest, amount)
        return port.Statistics(count, least, greatest, total)

    def _numbers(
        self, field: str
    ) -> collections.abc.Iterator[tuple[float, int]]:
        """Return numbers that a field has in the set, and how many times."""
        for number in self._evaluation.field_ids(field):
            for amount, times, _ in self._times_of(number):
                yield amount, times
            for again in self._repeated(number):
                for amount, times, folded in self._times_of(again):
                    yield amount, times * int(folded.partition(" ")[0])

    def _repeated(self, number: int) -> list[int]:
        """Return the field of what stands in a field more than once."""
        name, is_admin = self._evaluation.run(
            "SELECT name, is_admin FROM fields WHERE id = ?", (number,)
        ).fetchone()
        found = self._evaluation.run(
            "SELECT id FROM fields WHERE name = ? AND is_admin = ?",
            (entries.repeated(name), is_admin),
        ).fetchall()
        return [each for (each,) in found]

    def _times_of(
        self, field: int, direction: str = "ASC"
    ) -> collections.abc.Iterator[tuple[float, int, str]]:
        for amount, value, one, folded in self._evaluation.run(
            "SELECT number, id, one, folded FROM vals"  # noqa: S608 (ours)
            " WHERE field = ? AND number IS NOT NULL"
            f" ORDER BY number {direction}",
            (field,),
        ):
            times = (
                int(self._has(one)) if one is not None else self._times(value)
            )
            if times:
                yield amount, times, folded

    def _times(self, value: int) -> int:
        return sum(
            self._count(chunk, bits)
            for chunk, bits in self._evaluation.run(
                "SELECT chunk, bits FROM postings WHERE id = ?", (value,)
            )
        )
