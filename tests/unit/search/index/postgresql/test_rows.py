"""What a document becomes in PostgreSQL."""

import dataclasses

from orch.search import document as documents
from orch.search import tokenizer
from orch.search.index.postgresql import bodies
from orch.search.index.postgresql import rows
from orch.search.index.postgresql import schema as tables
from orch.search.index.postgresql import terms
from orch.search.index.postgresql import tokens as cutting
from tests import base
from tests.contract.search import samples

_FIELD = "properties.it"


def _pieces(value: documents.Scalar) -> list[str]:
    """Return the pieces of a value, as they stand, behind its mark."""
    content = rows.Content()
    content.add(_FIELD, value, False)
    whole = content.text().split(terms.VALUE)[1].split(tables.BREAK)
    return whole[1:-1]


def _unescaped(column: str) -> str:
    """Return a column as COPY reads it."""
    return column.encode("latin-1", "backslashreplace").decode(
        "unicode_escape"
    )


class ContentTest(base.TestCase):
    def test_words_and_what_is_between_them_stand_in_their_places(
        self,
    ) -> None:
        for value in (
            "active",
            "a-b",
            "red pump",
            "10.0.0.1",
            "a--b",
            "-a",
            "a-",
            "::",
            "x_y/z 1",
            "ünï-cödé",
            "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
            "a sentence that is longer than one word of it may ever be, yes",
            " ".join(["word"] * 40),
            "-".join(["x" * 30] * 4),
        ):
            found = _pieces(value)

            bare = [each.lstrip(terms.WORD) for each in found]
            self.assertEqual(tokenizer.fold_value(value), "".join(bare))
            self.assertEqual(
                tokenizer.split_words(value),
                [each[1:] for each in found if each[0] == terms.WORD],
            )

    def test_long_words_go_on_behind_their_beginning(self) -> None:
        word = "x" * 64
        for value in (f"{word}yz", f"a-{word}yz-b", f"a {word}yz b"):
            found = _pieces(value)

            at = found.index(terms.WORD + word)
            self.assertEqual(f"{cutting.REST}yz", found[at + 1])

    def test_long_signs_are_cut(self) -> None:
        found = _pieces("a" + "-" * 500 + "b")

        self.assertEqual([200, 200, 100], [len(x) for x in found[1:-1]])

    def test_signs_of_its_own_are_not_in_it(self) -> None:
        self.assertEqual(
            [f"{terms.WORD}a", " ", f"{terms.WORD}b", "  ", f"{terms.WORD}e"],
            _pieces("a\nb\x01\x05é"),
        )

    def test_numbers_and_moments_are_told_and_nothing_else(self) -> None:
        for value, number in (
            (5, 5.0),
            ("5", 5.0),
            ("-1.5E3", -1500.0),
            ("1970-01-02T00:00:00Z", 86400.0),
            ("1970-01-02", 86400.0),
            ("5 GiB", None),
            ("10.0.0.1", None),
            ("f5", None),
            (True, None),
            ("", None),
        ):
            content = rows.Content()
            content.add(_FIELD, value, False)

            expected = {} if number is None else {f".{_FIELD}": [number]}
            self.assertEqual(expected, content.numbers, repr(value))

    def test_what_is_empty_is_not_there(self) -> None:
        empty = rows.Content().text()
        for value in ("", "  ", "\t\n"):
            content = rows.Content()
            content.add(_FIELD, value, False)
            self.assertEqual(empty, content.text())

    def test_one_value_of_two_types_is_two(self) -> None:
        found = [_pieces(value) for value in (1, True, 1.0, "1")]

        one, yes = [f"{terms.WORD}1"], [f"{terms.WORD}true"]
        self.assertEqual([one, yes, one, one], found)


class RowTest(base.TestCase):
    def row(self, document: documents.Document) -> rows.Row:
        return rows.row_of(document, "s1", 10.5, bodies.body_of(document), 7)

    def test_columns_are_those_that_are_copied(self) -> None:
        row = self.row(samples.resource("a"))

        for line, columns in (
            (row.searched, tables.SEARCHED),
            (row.details, tables.DETAILS),
        ):
            self.assertTrue(line.endswith("\n"))
            self.assertEqual(len(columns), len(line.split("\t")))

    def test_lines_are_lines_whatever_is_in_them(self) -> None:
        odd = 'tab\t, line\n, return\r, "quote" and \\back\\n'
        document = samples.resource(
            "a", name=odd, path=odd, fields={"properties.x": (odd, 1.5)}
        )

        row = self.row(document)

        for line in row:
            self.assertEqual(1, line.count("\n"))
            self.assertNotIn("\r", line)
        column = row.searched.rstrip("\n").split("\t")[-1]
        body = _unescaped(column).partition(terms.BODY)[2]
        self.assertEqual(document, bodies.document_of(body))

    def test_content_is_so_long_that_it_stands_out_of_line(self) -> None:
        short = samples.resource("a")
        long = dataclasses.replace(short, description="pump " * 2000)
        for document in (short, long):
            column = self.row(document).searched.split("\t")[-1]
            self.assertGreaterEqual(len(column), tables.OUT_OF_LINE)
