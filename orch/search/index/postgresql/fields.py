"""Where the values of fields stand, and what reads them there."""

import typing

from orch.search.index import ordering
from orch.search.index.postgresql import bodies
from orch.search.index.postgresql import schema as tables
from orch.search.index.postgresql import statements
from orch.search.index.postgresql import terms
from orch.search.index.postgresql import wildcards as patterns
from orch.search.query import values

BODY_TEXT: typing.Final = tables.BODY
BODY: typing.Final = f"{tables.BODY.format('d.')}::jsonb"
DETAILED: typing.Final = frozenset({"name", "path", "physical_id"})
SHAPED = frozenset(terms.SHAPED)


def shaped(field: str) -> str:
    """Return what has the folded value of a field of shapes."""
    return f"(s.folded->>'{field}')"


def keys_sql(
    column: str,
    field: str,
    is_admin: bool,
    given: statements.Values,
    marked: bool,
) -> str:
    """Return the condition of keys that a field means.

    :param marked: keys are those of ``terms.number_key_of``
    """
    name = terms.clean(field)
    checks = []
    for sign in (".", "!")[: 1 + is_admin] if marked else ("",):
        told = given.add(sign + name)
        checks.append(f"{column} = {told}")
        if is_last(field):
            ending = given.add(f"{sign}%.{patterns.escaped(name)}")
            checks.append(f"{column} LIKE {ending}")
    return f"({' OR '.join(checks)})"


def numbers_sql(field: str, is_admin: bool, given: statements.Values) -> str:
    """Return what yields each number of a field as ``n.value``."""
    keys = keys_sql("k.key", field, is_admin, given, True)
    return (
        "jsonb_each(r.numbers) AS k(key, list),"
        f" jsonb_array_elements(CASE WHEN {keys} THEN k.list END)"
        " AS n(value)"
    )


def body_field(field: str, operator: str = "->>") -> str:
    """Return what has a field of the document itself, as text or JSON."""
    return f"({BODY}{operator}{bodies.FIELDS.index(field)})"


def written_field(field: str) -> str:
    """Return the same as JSON, with numbers as they were written."""
    return f"({BODY_TEXT.format('d.')}::json->{bodies.FIELDS.index(field)})"


def plain_value(field: str) -> str:
    """Return what has the folded value of a field that has one at most."""
    if field in DETAILED:
        return f"r.{field}"
    if field in SHAPED:
        return shaped(field)
    column = "d.id" if field == "id" else body_field(field)
    return f'({folded_sql(column, column)} COLLATE "C")'


def folded_sql(column: str, plain: str) -> str:
    """Return what has a value as it is compared.

    :param plain: SQL of the value that is enough for one of ASCII
    """
    kept = (
        f"r.numbers->'{terms.FOLDS}'->>left({column},"
        f" {ordering.MAX_KEY_LENGTH})"
    )
    return f"coalesce({kept}, lower({plain}))"


def is_last(field: str) -> bool:
    """Answer whether it means all fields whose names end with it."""
    return "." not in field and not values.is_native(field)


def like(column: str, pattern: str, given: statements.Values) -> str:
    """Return the condition that a value is there and fits a pattern."""
    told = given.add(patterns.like(pattern))
    return f"({column} LIKE {told} AND {column} <> '')"
