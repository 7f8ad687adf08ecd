"""How values stand in the database."""

import enum
import types as python_types

import testtools
from sqlalchemy.dialects import mysql
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite

from orch.db import types


class Colour(enum.StrEnum):
    RED = "red"


class JsonTest(testtools.TestCase):
    def test_what_is_dumped_is_loaded(self) -> None:
        for value in (
            None,
            {},
            [],
            "é\x00\u2028\U0001f600",
            {"a": [1, 2.5, True, None, {"b": "c"}]},
            2**63,
            -(2**80),
            {"deep": [2**64, "text"]},
            "lone \ud800 surrogate",
            {"key \udfff": 1},
        ):
            text = types.dump(value)
            self.assertEqual(value, types.load(text))
            text.encode("utf-8")

    def test_containers_become_those_of_json(self) -> None:
        frozen = python_types.MappingProxyType({"a": (1, 2)})

        self.assertEqual({"a": [1, 2]}, types.load(types.dump(frozen)))
        self.assertEqual(["a", "b"], types.load(types.dump({"b", "a"})))
        self.assertEqual(["red"], types.load(types.dump([Colour.RED])))

    def test_what_has_no_form_is_refused(self) -> None:
        self.assertRaises(TypeError, types.dump, {"a": object()})

    def test_a_list_is_a_tuple_in_the_model(self) -> None:
        column = types.JsonList()
        text = column.process_bind_param(("a", "b"), sqlite.dialect())

        self.assertEqual('["a","b"]', text)
        self.assertEqual(
            ("a", "b"), column.process_result_value(text, sqlite.dialect())
        )

    def test_null_stays_null(self) -> None:
        dialect = sqlite.dialect()
        for column in (types.Json(), types.JsonList(), types.FreeText()):
            self.assertIsNone(column.process_bind_param(None, dialect))
        for column in (types.Json(), types.JsonList(), types.Word(Colour)):
            self.assertIsNone(column.process_result_value(None, dialect))


class TextTest(testtools.TestCase):
    def test_what_databases_take_stays_as_it_is(self) -> None:
        for text in ("", "plain", "é\U0001f600\n\t\x01"):
            self.assertEqual(text, types.storable(text))

    def test_what_they_refuse_is_replaced(self) -> None:
        self.assertEqual("a\ufffdb", types.storable("a\x00b"))
        self.assertEqual(
            "é\ufffdb\ufffd\U0001f600",
            types.storable("é\ud800b\udc00\U0001f600"),
        )

    def test_long_text_has_room_on_each_database(self) -> None:
        for column in (types.Json(), types.JsonList(), types.FreeText()):
            for dialect, expected in (
                (mysql.dialect(), "LONGTEXT"),
                (postgresql.dialect(), "TEXT"),
                (sqlite.dialect(), "TEXT"),
            ):
                self.assertEqual(expected, column.compile(dialect=dialect))
        self.assertEqual(
            "LONGBLOB", types.blob().compile(dialect=mysql.dialect())
        )


class WordTest(testtools.TestCase):
    def test_a_member_is_read_back(self) -> None:
        word = types.Word(Colour)

        found = word.process_result_value("red", sqlite.dialect())

        self.assertIs(Colour.RED, found)

    def test_a_word_that_is_no_member_is_refused(self) -> None:
        word = types.Word(Colour)

        self.assertRaises(
            ValueError, word.process_result_value, "blue", sqlite.dialect()
        )
