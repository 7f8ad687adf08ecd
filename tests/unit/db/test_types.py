"""How values stand in the database."""

import enum
import types as python_types

import sqlalchemy as sa
import testtools
from sqlalchemy.dialects import mysql
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite

from orch.db import encryption
from orch.db import types
from orch.model import marked


def store(column: types.Json, value: object, dialect: sa.Dialect) -> object:
    return column.bind_processor(dialect)(value)


def load(column: types.Json, text: object, dialect: sa.Dialect) -> object:
    return column.result_processor(dialect, None)(text)


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
        text = store(column, ("a", "b"), sqlite.dialect())

        self.assertEqual('["a","b"]', text)
        self.assertEqual(("a", "b"), load(column, text, sqlite.dialect()))

    def test_null_stays_null(self) -> None:
        dialect = sqlite.dialect()
        for column in (types.Json(), types.JsonList()):
            self.assertIsNone(store(column, None, dialect))
            self.assertIsNone(load(column, None, dialect))
        self.assertIsNone(types.FreeText().process_bind_param(None, dialect))
        self.assertIsNone(
            types.Word(Colour).result_processor(dialect, 0)(None)
        )


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
        read = types.Word(Colour).result_processor(sqlite.dialect(), 0)

        self.assertIs(Colour.RED, read("red"))

    def test_a_word_that_is_no_member_is_refused(self) -> None:
        read = types.Word(Colour).result_processor(sqlite.dialect(), 0)

        self.assertRaises(ValueError, read, "blue")


class MarkedJsonTest(testtools.TestCase):
    KEYS = ("YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE=",)

    def setUp(self) -> None:
        super().setUp()
        self.column = types.MarkedJson()
        self.dialect = sqlite.dialect()

    def round_trip(self, value: object) -> object:
        return self.load(self.store(value))

    def store(self, value: object) -> object:
        return store(self.column, value, self.dialect)

    def load(self, text: object) -> object:
        return load(self.column, text, self.dialect)

    def test_marks_are_read_back_with_the_map(self) -> None:
        for paths in (
            (("a",),),
            (("a", 0, "b"), ("c",)),
        ):
            value = marked.Marked({"a": [{"b": 1}], "c": None}, paths)

            found = self.round_trip(value)

            self.assertEqual(value, found)
            self.assertEqual(paths, marked.paths_of(found))

    def test_marks_are_stored_beside_the_map(self) -> None:
        value = marked.Marked({"a": ["x"]}, [("a", 0), ("b",)])

        self.assertEqual(
            '[{"a":["x"]},[["a",0],["b"]]]',
            self.store(value),
        )

    def test_a_map_without_marks_is_stored_as_it_is(self) -> None:
        for value in ({"a": 1}, marked.Marked({"a": 1}), {}):
            text = self.store(value)
            found = self.round_trip(value)

            self.assertEqual(types.dump(value), text)
            self.assertEqual(value, found)
            self.assertEqual((), marked.paths_of(found))

    def test_what_the_fast_parser_refuses_has_marks_too(self) -> None:
        value = marked.Marked({"big": 2**80, "a": "\ud800"}, [("a",)])

        found = self.round_trip(value)

        self.assertEqual(value, found)
        self.assertEqual((("a",),), marked.paths_of(found))

    def test_an_empty_path_is_one_to_each_value(self) -> None:
        found = self.load('[{"a":1,"b":{}},[[]]]')

        self.assertEqual({"a": 1, "b": {}}, found)
        self.assertEqual((("a",), ("b",)), marked.paths_of(found))

    def test_null_stays_null(self) -> None:
        self.assertIsNone(self.round_trip(None))

    def test_both_are_sealed(self) -> None:
        encryption.attach(
            self.dialect, encryption.Cipher(self.KEYS, seals=True)
        )
        for value in ({"a": 1}, marked.Marked({"a": 1}, [("a",)])):
            text = self.store(value)
            found = self.load(text)

            self.assertTrue(str(text).startswith(encryption.PREFIX))
            self.assertEqual(value, found)
            self.assertEqual(marked.paths_of(value), marked.paths_of(found))

    def test_an_empty_map_is_another_one_each_time(self) -> None:
        found = self.load(self.store({}))

        self.assertEqual({}, found)
        self.assertIsNot(found, self.load("{}"))

    def test_marks_of_an_empty_map_are_kept(self) -> None:
        found = self.round_trip(marked.Marked({}, [("a",)]))

        self.assertEqual((("a",),), marked.paths_of(found))


class SealedJsonListTest(testtools.TestCase):
    def test_a_sealed_list_is_a_tuple_in_the_model(self) -> None:
        dialect = sqlite.dialect()
        encryption.attach(
            dialect, encryption.Cipher(MarkedJsonTest.KEYS, seals=True)
        )
        column = types.SealedJsonList()

        text = store(column, ("a",), dialect)

        self.assertTrue(str(text).startswith(encryption.PREFIX))
        self.assertEqual(("a",), load(column, text, dialect))
