"""Facets and statistics of a set of documents in SQLite."""

import collections
import collections.abc

from orch.search.index import bodies
from orch.search.index import port
from orch.search.index.sqlite import bitmaps
from orch.search.index.sqlite import entries
from orch.search.index.sqlite import evaluate as evaluating
from orch.search.query import values


class Tally:
    """Counts what documents of one set have in common."""

    def __init__(self, evaluation: evaluating.Evaluation, hits: int) -> None:
        self._evaluation = evaluation
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
            for folded, text, chunk, bits in self._evaluation.run(
                "SELECT v.folded, v.text, p.chunk, p.bits FROM vals AS v"
                " JOIN postings AS p ON p.id = v.id"
                " WHERE v.field = ? AND v.one IS NULL AND v.text != ?",
                (number, bodies.LONG),
            ):
                count = self._count(chunk, bits)
                if count:
                    counts[text or folded] += count
            if sum(count > 1 for count in counts.values()) >= size:
                continue  # what one document alone has is not among these
            for text, one in self._ones(number):
                if self._has(one):
                    counts[text] += 1
        return counts

    def _merged(self, numbers: list[int]) -> dict[str, int]:
        """Count values that a document may have in several fields."""
        found: dict[str, dict[int, int]] = collections.defaultdict(dict)
        for number in numbers:
            for folded, text, chunk, bits in self._evaluation.run(
                "SELECT v.folded, v.text, p.chunk, p.bits FROM vals AS v"
                " JOIN postings AS p ON p.id = v.id"
                " WHERE v.field = ? AND v.one IS NULL AND v.text != ?",
                (number, bodies.LONG),
            ):
                chunks = found[text or folded]
                both = self._chunks.get(chunk, 0) & bitmaps.decode(bits)
                chunks[chunk] = chunks.get(chunk, 0) | both
            for text, one in self._ones(number):
                if self._has(one):
                    chunk = one >> bitmaps.SHIFT
                    chunks = found[text]
                    bit = 1 << one % bitmaps.CHUNK
                    chunks[chunk] = chunks.get(chunk, 0) | bit
        counts = {
            text: sum(map(int.bit_count, chunks.values()))
            for text, chunks in found.items()
        }
        return {text: count for text, count in counts.items() if count}

    def _ones(self, number: int) -> list[tuple[str, int]]:
        return self._evaluation.run(
            "SELECT CASE text WHEN '' THEN folded ELSE text END, one"
            " FROM vals"
            " WHERE field = ? AND one IS NOT NULL AND text != ?",
            (number, bodies.LONG),
        ).fetchall()

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
        self, field: int
    ) -> collections.abc.Iterator[tuple[float, int, str]]:
        for amount, value, one, folded in self._evaluation.run(
            "SELECT number, id, one, folded FROM vals"
            " WHERE field = ? AND number IS NOT NULL ORDER BY number",
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
