"""What hits are put in order by in PostgreSQL, and the values of a field."""
# ruff: noqa: S608 - values are always given beside the statement

import dataclasses
import typing

from orch.search.index import cursors
from orch.search.index import ordering
from orch.search.index import port
from orch.search.index.postgresql import fields
from orch.search.index.postgresql import statements
from orch.search.index.postgresql import terms
from orch.search.query import values

_LONGEST = ordering.MAX_KEY_LENGTH
_NUMBER = (
    r"^[+-]?[0-9]{1,40}(\.[0-9]{0,40})?([eE][+-]?[0-9]{1,3})?$"
    r"|^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?"
    r"(Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
)

# As ``values.text_of`` writes numbers, of what stands in the body: whole ones
# as they are, others as Python and PostgreSQL both write them, but for those
# of 16 digits, which PostgreSQL gives an exponent.
_WRITTEN = "(n.value #>> '{}')"
_NUMBER_TEXT = (
    f"CASE WHEN {_WRITTEN} ~ '^-?[0-9]+$' THEN {_WRITTEN}"
    f" WHEN {_WRITTEN} ~ '^-?[0-9]{{16}}[.]' THEN {_WRITTEN}"
    f" ELSE ({_WRITTEN}::float8 + 0)::text END"
)

STRIPPED: typing.Final = (
    "btrim(value, E' \\t\\n\\x0b\\f\\r\\x1c\\x1d\\x1e\\x1f')"
)
"""A value without the blanks of ASCII around it, all that Python takes off."""


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """One thing that hits are ordered by; what is null comes last."""

    sql: str
    is_descending: bool
    value: float | str | None = None


def list_sql(
    field: str, is_admin: bool, given: statements.Values
) -> str | None:
    """Return what yields the values of a field as texts."""
    if field == "tags":
        return "jsonb_array_elements_text(s.tags)"
    if field in values.MOMENTS or field.startswith(values.TEXT):
        return None
    if values.is_native(field):
        return f"(VALUES ({fields.body_field(field)}))"
    groups = ["fields", "admin"][: 1 + is_admin]
    keys = fields.keys_sql("k.key", field, False, given, False)
    # Not as jsonb, which makes the same of 1e16 and a whole number.
    sources = " UNION ALL ".join(
        f"SELECT * FROM json_each({fields.written_field(group)})"
        for group in groups
    )
    return (
        "(SELECT CASE json_typeof(n.value) WHEN 'number'"
        f" THEN {_NUMBER_TEXT} ELSE n.value #>> '{{}}' END"
        f" FROM ({sources}) AS k(key, list),"
        f" json_array_elements(CASE WHEN {keys} THEN k.list END)"
        " AS n(value))"
    )


class Order:
    """Makes columns of sorts, and conditions of what comes later."""

    def __init__(
        self, given: statements.Values, is_admin: bool, score: str
    ) -> None:
        """Prepare.

        :param score: SQL of how well a document fits
        """
        self._given = given
        self._is_admin = is_admin
        self._score = score

    def after(self, flat: list[Column], document_id: str) -> str:
        """Return the condition of what comes after a position."""
        found = []
        same: list[str] = []
        for each in flat:
            if each.value is None:
                same.append(f"{each.sql} IS NULL")
                continue
            key = each.value
            told = self._given.add(
                terms.clean(key) if isinstance(key, str) else key
            )
            sign = "<" if each.is_descending else ">"
            later = f"({each.sql} {sign} {told} OR {each.sql} IS NULL)"
            found.append(" AND ".join([*same, later]))
            same.append(f"{each.sql} = {told}")
        told = self._given.add(terms.clean(document_id))
        found.append(" AND ".join([*same, f"d.id > {told}"]))
        return "(" + " OR ".join(f"({each})" for each in found) + ")"

    def columns(
        self,
        sort: port.Sort,
        key: cursors.Key,
        is_walked: bool,
        joins: list[str],
    ) -> list[Column]:
        """Return what a sort compares, one after the other.

        :param key: of the hit to go on after
        :param is_walked: hits are met in this order, by an index
        :param joins: what has to be joined for it is added to these
        """
        field, is_descending = sort.field, sort.is_descending
        if field == ordering.SCORE:
            return [Column(self._score, True, key)]
        if field == ordering.NEWEST:
            # An expression: the index over moments is of no use here.
            column = "coalesce(d.updated_at, d.created_at)"
            column = column if is_walked else f"({column} + 0)"
            return [Column(column, is_descending, key)]
        if field in values.MOMENTS:
            return [Column(f"(d.{field} + 0)", is_descending, key)]
        if field == "id":
            return [Column("d.id", is_descending, key)]
        if field in fields.DETAILED or field in terms.SHAPED:
            plain = fields.plain_value(field)
            column = f"left(NULLIF({plain}, ''), {_LONGEST}) COLLATE \"C\""
            return [Column(column, is_descending, key)]
        return self._columns_of_list(sort, key, joins)

    def _columns_of_list(
        self, sort: port.Sort, key: cursors.Key, joins: list[str]
    ) -> list[Column]:
        field = sort.field
        found = list_sql(field, self._is_admin, self._given)
        if found is None:
            texts = fields.body_field("texts", "->")
            found = f"(VALUES ({texts}->>{self._text_name(field)}))"
        choose = "max" if sort.is_descending else "min"
        name = f"o{len(joins)}"
        is_native = values.is_native(field)
        pattern = self._given.add("$.^" if is_native else _NUMBER)
        folded = fields.folded_sql("value", f'{STRIPPED} COLLATE "C"')
        short = f'left({folded}, {_LONGEST}) COLLATE "C"'
        joins.append(
            f"CROSS JOIN LATERAL (SELECT {choose}({short}) AS text"
            f" FROM {found} AS y(value)"
            f" WHERE {folded} <> '' AND {STRIPPED} !~ {pattern}) {name}"
        )
        text_key = key if isinstance(key, str) else None
        text = f"{name}.text"
        if is_native:
            return [Column(text, sort.is_descending, text_key)]
        number_key = None if isinstance(key, str) else key
        numbers = fields.numbers_sql(field, self._is_admin, self._given)
        joins.append(
            f"CROSS JOIN LATERAL (SELECT {choose}(n.value::float8) AS number"
            f" FROM {numbers}) {name}n"
        )
        number = f"{name}n.number"
        if sort.is_descending:
            number = f"(CASE WHEN {text} IS NULL THEN {number} END)"
            return [
                Column(text, True, text_key),
                Column(number, True, number_key),
            ]
        text = f"(CASE WHEN {number} IS NULL THEN {text} END)"
        return [
            Column(number, False, number_key),
            Column(text, False, text_key),
        ]

    def _text_name(self, field: str) -> str:
        name = terms.clean(field.removeprefix(values.TEXT))
        return self._given.add(name)
