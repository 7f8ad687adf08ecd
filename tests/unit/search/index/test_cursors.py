import dataclasses
import typing

import hypothesis
from hypothesis import strategies

from orch import clock
from orch import errors
from orch.search.index import cursors
from orch.search.index import port
from orch.search.query import nodes
from tests import base

_QUERY = port.Query(
    node=nodes.Range("updated_at", low=1.0),
    scope=port.Scope(None),
    sort=(port.Sort("name"),),
)
_MIXED = dataclasses.replace(
    _QUERY,
    sort=(
        port.Sort("name"),
        port.Sort("properties.x"),
        port.Sort("created_at"),
        port.Sort("score", True),
    ),
)
_TEXT = strategies.text(strategies.characters(codec="utf-8"))
_NUMBER = strategies.floats(allow_nan=False, allow_infinity=False)
_KEYS = strategies.tuples(
    strategies.none() | _TEXT,
    strategies.none() | _TEXT | _NUMBER,
    strategies.none() | _NUMBER,
    _NUMBER,
)


def _forged(query: port.Query, keys: object) -> port.Query:
    """Return the query with a cursor that has the right form but its keys."""
    position = cursors.Position(typing.cast(typing.Any, keys), "stack/1")
    return dataclasses.replace(
        query, after=cursors.encode_cursor(query, position)
    )


class CursorsTest(base.TestCase):
    @hypothesis.given(_KEYS, _TEXT)
    def test_a_position_comes_back(
        self, keys: list[cursors.Key], document_id: str
    ) -> None:
        position = cursors.Position(tuple(keys), document_id)
        query = dataclasses.replace(
            _MIXED, after=cursors.encode_cursor(_MIXED, position)
        )

        self.assertEqual(position, cursors.decode_cursor(query))

    @hypothesis.given(strategies.text())
    def test_any_text_is_refused(self, text: str) -> None:
        query = dataclasses.replace(_QUERY, after=text)
        self.assertRaises(errors.Invalid, cursors.decode_cursor, query)

    def test_keys_that_no_document_has_are_refused(self) -> None:
        right = ["a", 1.5, 2.5, 3.0]
        self.assertEqual(
            cursors.Position(tuple(right), "stack/1"),
            cursors.decode_cursor(_forged(_MIXED, right)),
        )
        for place, wrong in (
            (0, 5),
            (0, True),
            (0, ["a"]),
            (1, False),
            (1, {"a": 1}),
            (2, "yesterday"),
            (2, True),
            (3, None),
            (3, "a"),
            (3, True),
        ):
            keys: list[object] = [*right]
            keys[place] = wrong
            with self.subTest(place=place, wrong=wrong):
                self.assertRaises(
                    errors.Invalid,
                    cursors.decode_cursor,
                    _forged(_MIXED, keys),
                )
        counts: list[object] = [[], right[:3], [*right, "a"], "abcd", {}, 5]
        for count in counts:
            with self.subTest(count=count):
                self.assertRaises(
                    errors.Invalid,
                    cursors.decode_cursor,
                    _forged(_MIXED, count),
                )

    def test_where_all_is_text_numbers_are_none(self) -> None:
        for keys, is_fine in (
            (["a", "1x", "0f", 3.0], True),
            ([None, None, None, 3.0], True),
            (["a", 1.5, "0f", 3.0], False),
            (["a", "1x", 2.5, 3.0], False),
        ):
            query = _forged(_MIXED, keys)
            with self.subTest(keys=keys):
                if is_fine:
                    self.assertEqual(
                        cursors.Position(tuple(keys), "stack/1"),
                        cursors.decode_cursor(query, is_all_text=True),
                    )
                else:
                    self.assertRaises(
                        errors.Invalid,
                        cursors.decode_cursor,
                        query,
                        is_all_text=True,
                    )

    def test_numbers_are_of_64_bits(self) -> None:
        found = cursors.decode_cursor(_forged(_MIXED, ["a", 1, 2**64 - 1, 3]))
        assert found is not None
        self.assertEqual(("a", 1.0, float(2**64), 3.0), found.keys)
        self.assertEqual({str, float}, set(map(type, found.keys)))

    def test_without_a_cursor_it_is_the_beginning(self) -> None:
        self.assertIsNone(cursors.decode_cursor(_QUERY))

    def test_bounds_may_move_on(self) -> None:
        position = cursors.Position(("x",), "stack/1")
        cursor = cursors.encode_cursor(_QUERY, position)
        later = dataclasses.replace(
            _QUERY, node=nodes.Range("updated_at", low=9.0), after=cursor
        )
        self.assertEqual(position, cursors.decode_cursor(later))

    def test_another_order_or_moment_is_refused(self) -> None:
        cursor = cursors.encode_cursor(
            _QUERY, cursors.Position(("x",), "stack/1")
        )
        for change in (
            {"sort": (port.Sort("name", True),)},
            {"as_of": clock.Timestamp(5)},
            {"kinds": frozenset({"stack"})},
            {"scope": port.Scope(None, is_admin=True)},
            {"node": nodes.Range("created_at", low=1.0)},
        ):
            other = dataclasses.replace(_QUERY, after=cursor, **change)
            self.assertRaises(errors.Invalid, cursors.decode_cursor, other)
