"""Queries as conditions of PostgreSQL.

A node becomes a :class:`Part`: what the inverted index over ``content`` can
answer (a ``tsquery``), and what has to be looked at in each row that is left.
Many nodes need no look at all.
"""

import collections.abc
import dataclasses
import re
import typing

from orch.search import words
from orch.search.index import port
from orch.search.index import postgresql_bodies as bodies
from orch.search.index import postgresql_patterns as patterns
from orch.search.index import postgresql_rows as rows
from orch.search.index import postgresql_tables as tables
from orch.search.query import nodes
from orch.search.query import values

PIECES: typing.Final = tables.PIECES.format("d.")
BODY_TEXT: typing.Final = tables.BODY
BODY: typing.Final = f"{tables.BODY.format('d.')}::jsonb"

DETAILED: typing.Final = frozenset({"name", "path", "physical_id"})
_SHAPED = frozenset(rows.SHAPED)
_MOST_PROJECTS = 50
_NEVER = "FALSE"
_DETAIL = re.compile(r"\br\.")
_SHAPE = re.compile(r"\bs\.")
_NAMED = tables.NAMED.format("r.")


class Values:
    """Collects the values of a statement, each under a name of its own."""

    def __init__(self) -> None:
        self.all: dict[str, object] = {}

    def add(self, value: object) -> str:
        """Return what stands for a value in the statement."""
        name = f"v{len(self.all)}"
        self.all[name] = value
        return f"%({name})s"


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """A node, as far as it was understood.

    :ivar pieces: a ``tsquery``: what has to be among the pieces of a row
    :ivar check: SQL that has to hold as well, on the row ``d``, its shape
        ``s`` and its details ``r``
    :ivar is_negative: ``pieces`` only say what must not be there
    """

    pieces: str = ""
    check: str = ""
    is_negative: bool = False

    @property
    def is_indexed(self) -> bool:
        """Return whether the inverted index tells all of it."""
        return bool(self.pieces) and not self.check

    @property
    def positive(self) -> str:
        """Return the pieces so that they name something that is there."""
        if not self.is_negative:
            return self.pieces
        return f"({quoted(rows.EVERY)} & {self.pieces})"

    def sql(self, given: Values) -> str:
        """Return the whole condition."""
        checks = [self.check] if self.check else []
        if self.pieces:
            told = given.add(self.positive)
            checks.insert(0, f"{PIECES} @@ {told}::tsquery")
        return f"({' AND '.join(checks)})" if checks else "TRUE"


def quoted(piece: str, is_prefix: bool = False) -> str:
    """Return a piece as it is written in a ``tsquery``."""
    text = piece.replace("\\", "\\\\").replace("'", "''")
    return f"'{text}'{':*' if is_prefix else ''}"


def source_sql(told: str) -> str:
    """Return documents ``d``, with their shapes and details where needed.

    :param told: SQL that may say something of shapes ``s`` and details ``r``
    """
    source = f"search_documents d{_shapes_sql(told)}"
    if _DETAIL.search(told):
        # With pieces an expression, so that nothing goes through all contents
        # in the order of ids: what that takes the planner does not know. By
        # trigrams details are found first, and then their documents.
        is_guided = PIECES in told and _NAMED not in told
        told_id = "(d.id || '')" if is_guided else "d.id"
        source += f" JOIN search_details r ON r.id = {told_id}"
    return source


def near_sql(told: str, few: str) -> str:
    """Return the same of few documents; only their details are looked at.

    :param few: the query of the documents
    """
    source = f"({few}) d{_shapes_sql(told)}"
    if _DETAIL.search(told):
        # With an offset it is no join that could begin with all details.
        source += (
            " CROSS JOIN LATERAL (SELECT * FROM search_details"
            " WHERE id = d.id OFFSET 0) r"
        )
    return source


def _shapes_sql(told: str) -> str:
    if _SHAPE.search(told):
        return " JOIN search_shapes s ON s.number = d.shape"
    return ""


def scope_part(scope: port.Scope) -> Part:
    """Return what of a scope the pieces tell; the shapes tell the rest."""
    told = []
    projects = scope.project_ids
    if projects is not None and 0 < len(projects) <= _MOST_PROJECTS:
        terms = (
            quoted(rows.term("project_id", each, False, False))
            for each in sorted(projects)
        )
        told.append(f"({' | '.join(terms)})")
    if not scope.is_admin:
        told.append(f"!{quoted(rows.HIDDEN)}")
    return Part(" & ".join(told), is_negative=len(told) == 1 and not projects)


def scope_sql(query: port.Query, given: Values, row: str) -> str:
    """Return the condition of what somebody may see.

    :param row: what has the project; its shape is ``s``. Where it is ``t``,
        the tallies, it is that of all projects, too
    """
    checks = []
    projects = query.scope.project_ids
    if projects is None and row == "t":
        checks.append(f"t.project = {tables.EVERY_PROJECT}")
    if projects is not None:
        told = given.add(
            [rows.number_of_text(rows.clean(each)) for each in projects]
        )
        checks.append(f"{row}.project = ANY({told}::bigint[])")
    if not query.scope.is_admin:
        checks.append("NOT s.is_hidden")
    if query.kinds:
        told = given.add(sorted(query.kinds))
        checks.append(f"s.kind = ANY({told}::text[])")
    return " AND ".join(checks) or "TRUE"


def shape_sql(node: nodes.Node, given: Values) -> str | None:
    """Return the condition of shapes that a node is, or none.

    Where it is one, no document has to be looked at to count what fits.
    """
    match node:
        case nodes.All():
            return "TRUE"
        case nodes.Term(field, value) if field in _SHAPED:
            told = given.add(rows.folded(value))
            return f"({_shaped(field)} = {told} AND {_shaped(field)} <> '')"
        case nodes.Pattern(field, pattern) if field in _SHAPED:
            return _like(_shaped(field), pattern, given)
        case nodes.Exists(field) if field in _SHAPED:
            return f"{_shaped(field)} <> ''"
        case nodes.Not(inner):
            found = shape_sql(inner, given)
            return None if found is None else f"(NOT {found})"
        case nodes.And(parts) | nodes.Or(parts):
            every = [shape_sql(each, given) for each in parts]
            sign = " AND " if isinstance(node, nodes.And) else " OR "
            told_all = [each for each in every if each is not None]
            if len(told_all) < len(every):
                return None
            return f"({sign.join(told_all)})"
    return None


def _shaped(field: str) -> str:
    return f"(s.folded->>'{field}')"


class Conditions:
    """Makes parts of nodes, for users or for administrators."""

    def __init__(self, given: Values, is_admin: bool) -> None:
        self._given = given
        self._is_admin = is_admin
        self._sign = "[\x04\x05]" if is_admin else "\x05"

    def part(self, node: nodes.Node) -> Part:
        """Return what a node becomes."""
        match node:
            case nodes.All():
                return Part(quoted(rows.EVERY))
            case nodes.And(parts):
                return self.all_of([self.part(each) for each in parts])
            case nodes.Or(parts):
                return self._any_of([self.part(each) for each in parts])
            case nodes.Not(inner):
                return self.none_of(self.part(inner))
            case nodes.Words(found, is_prefix, field):
                return self.words(found, is_prefix, field)
            case nodes.Term(field, value):
                return self._term(field, value)
            case nodes.Pattern(field, pattern):
                return self._pattern(field, pattern)
            case nodes.Exists(field):
                return self._exists(field)
            case nodes.Range():
                return self._range(node)

    def all_of(self, parts: collections.abc.Sequence[Part]) -> Part:
        """Return the part that all of these are."""
        pieces = [each.pieces for each in parts if each.pieces]
        checks = [each.check for each in parts if each.check]
        negative = all(each.is_negative for each in parts if each.pieces)
        return Part(
            f"({' & '.join(pieces)})" if pieces else "",
            f"({' AND '.join(checks)})" if checks else "",
            bool(pieces) and negative,
        )

    def _any_of(self, parts: collections.abc.Sequence[Part]) -> Part:
        pieces = ""
        if all(each.pieces for each in parts):
            pieces = f"({' | '.join(each.positive for each in parts)})"
        if not any(each.check for each in parts):
            return Part(pieces)
        checks = (each.sql(self._given) for each in parts)
        return Part(pieces, f"({' OR '.join(checks)})")

    def none_of(self, part: Part) -> Part:
        """Return the part of everything else."""
        if part.check:
            return Part("", f"(NOT {part.sql(self._given)})")
        return Part(f"!({part.positive})", is_negative=True)

    def words(
        self, found: collections.abc.Sequence[str], is_prefix: bool, field: str
    ) -> Part:
        """Return the part of words that stand side by side."""
        if field in values.MOMENTS:
            return Part("", _NEVER)
        if field in rows.TERMS_ONLY:
            return Part("", self._plain_words(found, is_prefix, field))
        last = len(found) - 1
        signs = (rows.WORD, rows.WORD_ADMIN)[: 1 + self._is_admin]
        if field in rows.FAST:
            signs = (f"{rows.WORD_OF}{field}=",)
        pieces = [
            _either(
                quoted(sign + word, is_prefix and number == last)
                for sign in signs
            )
            for number, word in enumerate(found)
        ]
        if field in rows.FAST or not field:
            if not last:
                return Part(pieces[0])
        else:
            pieces.append(self._marks(field))
        lead = self._lead(field) + "[^\x0e]*" if field else ""
        told = self._given.add(lead + self._phrase(found, is_prefix))
        return Part(f"({' & '.join(pieces)})", f"d.content ~ {told}")

    def contains(self, word: str, is_prefix: bool) -> str:
        """Return the condition of rows that have a word anywhere.

        It says what the pieces say. To look at each row it is sooner done
        than to make its pieces again.
        """
        signs = (rows.WORD, rows.WORD_ADMIN)[: 1 + self._is_admin]
        end = "" if is_prefix else tables.BREAK
        told = (
            self._given.add(f"{tables.BREAK}{sign}{word}{end}")
            for sign in signs
        )
        checks = (f"strpos(d.content, {each}) > 0" for each in told)
        return f"({' OR '.join(checks)})"

    def _phrase(
        self, found: collections.abc.Sequence[str], is_prefix: bool
    ) -> str:
        between = "\x01[^\x04\x05\x0e]*"
        every = (self._sign + re.escape(word) for word in found)
        return between.join(every) + ("" if is_prefix else "\x01")

    def _plain_words(
        self, found: collections.abc.Sequence[str], is_prefix: bool, field: str
    ) -> str:
        told = self._given.add(plain_phrase(found, is_prefix))
        return f"{plain_value(field)} ~ {told}"

    def _lead(self, field: str) -> str:
        """Return a regular expression up to where values of a field begin."""
        is_last = _is_last(field)
        mark = re.escape(rows.mark_of(field, False, is_last))
        if self._is_admin and not values.is_native(field):
            mark = f"{mark[0]}{rows.ADMIN}?{mark[1:]}"
        return mark + ("[^\x01]*\x01" if is_last else "\x01")

    def _marks(self, field: str) -> str:
        is_last = _is_last(field)
        return _either(
            quoted(rows.mark_of(field, is_admin, is_last), is_last)
            for is_admin in self._groups(field)
        )

    def _groups(self, field: str) -> tuple[bool, ...]:
        if self._is_admin and not values.is_native(field):
            return (False, True)
        return (False,)

    def _term(self, field: str, value: str) -> Part:
        if field in values.MOMENTS or not words.fold(value):
            return Part("", _NEVER)
        found = words.split(value)
        if values.is_worded(field) and found:
            return self.words(found, False, field)
        is_last = _is_last(field)
        return Part(
            _either(
                quoted(rows.term(field, value, is_admin, is_last), is_last)
                for is_admin in self._groups(field)
            )
        )

    def _pattern(self, field: str, pattern: str) -> Part:
        if field in values.MOMENTS:
            return Part("", _NEVER)
        if not patterns.is_pattern(pattern):
            return self._whole(field, pattern)
        pieces = self._pieces_of(field, words.fold(pattern))
        if field in DETAILED | _SHAPED or field in rows.TERMS_ONLY:
            check = _like(plain_value(field), pattern, self._given)
            if field in DETAILED and patterns.is_for_trigrams(pattern):
                wide = self._given.add(f"%{patterns.like(pattern)}%")
                check = f"({check} AND {_NAMED} LIKE {wide})"
            return Part(pieces, check)
        told = patterns.regular(pattern)
        whole = f"{self._lead(field)}{patterns.SIGNS}{told}\x0e"
        return Part(
            pieces or self._marks(field),
            f"d.content ~ {self._given.add(whole)}",
        )

    def _whole(self, field: str, value: str) -> Part:
        if not words.fold(value):
            return Part("", _NEVER)
        is_last = _is_last(field)
        return Part(
            _either(
                quoted(rows.term(field, value, is_admin, is_last), is_last)
                for is_admin in self._groups(field)
            )
        )

    def _pieces_of(self, field: str, pattern: str) -> str:
        """Return words that whatever fits a pattern has in the field."""
        if field in rows.TERMS_ONLY:
            return ""
        signs = (rows.WORD, rows.WORD_ADMIN)[: 1 + self._is_admin]
        if field in rows.FAST:
            signs = (f"{rows.WORD_OF}{field}=",)
        return " & ".join(
            _either(quoted(sign + word, is_prefix) for sign in signs)
            for word, is_prefix in patterns.words_of(pattern)
        )

    def _exists(self, field: str) -> Part:
        if field in values.MOMENTS:
            return Part("", f"d.{field} IS NOT NULL")
        if field in rows.TERMS_ONLY:
            return Part("", f"{plain_value(field)} <> ''")
        return Part(self._marks(field))

    def _range(self, node: nodes.Range) -> Part:
        bounds = []
        for bound, sign, is_in in (
            (node.low, ">", node.has_low),
            (node.high, "<", node.has_high),
        ):
            if bound is not None:
                told = self._given.add(float(bound))
                bounds.append(f"{sign}{'=' if is_in else ''} {told}")
        if node.field in values.MOMENTS:
            column = f"d.{node.field}"
            checks = [f"{column} IS NOT NULL"]
            checks += [f"{column} {each}" for each in bounds]
            return Part("", f"({' AND '.join(checks)})")
        is_last = _is_last(node.field)
        marks = _either(
            quoted(rows.number_mark_of(node.field, is_admin, is_last), is_last)
            for is_admin in self._groups(node.field)
        )
        if not bounds:
            return Part(marks)
        checks = [f"n.value::float8 {each}" for each in bounds]
        source = numbers_sql(node.field, self._is_admin, self._given)
        return Part(
            marks,
            f"EXISTS (SELECT FROM {source} WHERE {' AND '.join(checks)})",
        )


def keys_sql(
    column: str, field: str, is_admin: bool, given: Values, marked: bool
) -> str:
    """Return the condition of keys that a field means.

    :param marked: keys are those of ``rows.number_key_of``
    """
    name = rows.clean(field)
    checks = []
    for sign in (".", "!")[: 1 + is_admin] if marked else ("",):
        told = given.add(sign + name)
        checks.append(f"{column} = {told}")
        if _is_last(field):
            ending = given.add(f"{sign}%.{patterns.escaped(name)}")
            checks.append(f"{column} LIKE {ending}")
    return f"({' OR '.join(checks)})"


def numbers_sql(field: str, is_admin: bool, given: Values) -> str:
    """Return what yields each number of a field as ``n.value``."""
    keys = keys_sql("k.key", field, is_admin, given, True)
    return (
        "jsonb_each(r.numbers) AS k(key, list),"
        f" jsonb_array_elements(CASE WHEN {keys} THEN k.list END)"
        " AS n(value)"
    )


def plain_phrase(found: collections.abc.Sequence[str], is_prefix: bool) -> str:
    """Return a regular expression of words in a text that is not cut."""
    text = "[^[:alnum:]]+".join(map(re.escape, found))
    end = "" if is_prefix else "([^[:alnum:]]|$)"
    return f"(^|[^[:alnum:]]){text}{end}"


def stands_in(column: str, node: nodes.Words, given: Values) -> str:
    """Return the condition that a plain text has words side by side."""
    first = given.add(f"%{node.words[0]}%")
    told = given.add(plain_phrase(node.words, node.is_prefix))
    return f"{column} LIKE {first} AND {column} ~ {told}"


def body_field(field: str, operator: str = "->>") -> str:
    """Return what has a field of the document itself, as text or JSON."""
    return f"({BODY}{operator}{bodies.FIELDS.index(field)})"


def written_field(field: str) -> str:
    """Return the same as JSON, with numbers as they were written."""
    return f"({BODY_TEXT.format('d.')}::json->{bodies.FIELDS.index(field)})"


def plain_value(field: str) -> str:
    """Return what has the folded value of a field that has one at most."""
    if field in DETAILED or field == "id":
        return "lower(d.id)" if field == "id" else f"r.{field}"
    if field in _SHAPED:
        return _shaped(field)
    return f"lower({body_field(field)})"


def _is_last(field: str) -> bool:
    return "." not in field and not values.is_native(field)


def _either(pieces: collections.abc.Iterable[str]) -> str:
    found = list(pieces)
    return found[0] if len(found) == 1 else f"({' | '.join(found)})"


def _like(column: str, pattern: str, given: Values) -> str:
    told = given.add(patterns.like(pattern))
    return f"({column} LIKE {told} AND {column} <> '')"
