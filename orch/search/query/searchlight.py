"""Queries as Searchlight takes them: a part of Elasticsearch's language.

What its documents show is understood; of the rest each refusal says where
and what to write instead. Weights (``boost``) are read over. See
https://docs.openstack.org/searchlight/latest/user/searchlightapi.html.
"""

import collections.abc
import difflib
import functools
import typing

from orch import clock
from orch import errors
from orch.search import tokenizer
from orch.search.query import dsl_checks
from orch.search.query import fields as query_fields
from orch.search.query import language
from orch.search.query import nodes
from orch.search.query import query_strings
from orch.search.query import values

_UNSUPPORTED: typing.Final = {
    "regexp": "write wildcard, or prefix",
    "fuzzy": "write wildcard, or prefix",
    "script": "write range or term on a field",
    "more_like_this": "write match on a field",
    "has_child": "search for the children themselves, by stack_id",
    "has_parent": "search by stack_id, root_id or path",
    "function_score": "sort by a field instead",
}
_MATCHES: typing.Final = ("boolean", "phrase", "phrase_prefix")
_MULTI_MATCHES: typing.Final = (
    *("best_fields", "most_fields", "cross_fields"),
    *_MATCHES[1:],
)


def parse_searchlight(
    query: dsl_checks.Map,
    now: clock.Timestamp,
    known: query_fields.KnownNames = query_fields.NO_NAMES,
) -> nodes.Node:
    """Return what the query asks for; all, where it is empty.

    :param query: the value of ``query`` in a request
    :param now: what ``now`` in it means
    :param known: as for :func:`fields.resolve_field`
    :raises orch.errors.Invalid: with the place of what is wrong, and advice
    """
    return _Reader(now, known).read(query, "query", 0)


field_name: typing.Final = query_strings.field_name
"""Names of fields are the same in all of a request of Searchlight."""


class _Reader:
    """Descends through a query; ``path`` is where it is."""

    def __init__(
        self, now: clock.Timestamp, known: query_fields.KnownNames
    ) -> None:
        self._now = now
        self._known = known
        self._tally = language.Tally()
        self._readers: dict[
            str, collections.abc.Callable[[object, str, int], nodes.Node]
        ] = {
            "match_all": self._all,
            "match_none": self._none,
            "match": self._match,
            "match_phrase": self._phrase,
            "match_phrase_prefix": self._phrase_prefix,
            "multi_match": self._multi_match,
            "query_string": self._query_string,
            "simple_query_string": self._simple_query_string,
            "term": self._term,
            "terms": self._terms,
            "range": self._range,
            "prefix": self._prefix,
            "wildcard": self._wildcard,
            "exists": self._exists,
            "missing": self._missing,
            "ids": self._ids,
            "bool": self._bool,
            "constant_score": self._query_or_filter,
            "filtered": self._filtered,
            "nested": self._nested,
        }

    def read(self, query: object, path: str, depth: int) -> nodes.Node:
        """Return the node of a query in a query."""
        found = dsl_checks.mapping(query, path)
        if not found:
            return nodes.All()
        if depth > language.MAX_DEPTH:
            raise dsl_checks.invalid(
                f"more than {language.MAX_DEPTH} queries are nested",
                path,
                "expected fewer",
            )
        if len(found) > 1:
            raise dsl_checks.invalid(
                f"several queries are next to each other ({', '.join(found)})",
                path,
                "put them into bool with must",
            )
        ((name, body),) = found.items()
        reader = self._readers.get(name)
        if reader is None:
            raise self._unknown(name, path)
        return reader(body, f"{path}.{name}", depth)

    def _unknown(self, name: str, path: str) -> errors.Invalid:
        close = difflib.get_close_matches(name[:50], self._readers, 1)
        advice = _UNSUPPORTED.get(name, "")
        if not advice and close:
            advice = f"did you mean {close[0]}?"
        return dsl_checks.invalid(
            f"{name[:50]} is no query that is known here",
            path,
            advice or f"expected one of {', '.join(sorted(self._readers))}",
        )

    def _built(
        self, path: str, make: collections.abc.Callable[[], nodes.Node]
    ) -> nodes.Node:
        if self._tally.is_too_many():
            raise dsl_checks.invalid(
                f"the query has more than {language.MAX_CONDITIONS}"
                " conditions",
                path,
                "make two queries of it",
            )
        return self._clear(path, make)

    @staticmethod
    def _clear(
        path: str, make: collections.abc.Callable[[], nodes.Node]
    ) -> nodes.Node:
        """Return what is made, or say where it is unclear."""
        try:
            return make()
        except query_fields.UnclearError as e:
            raise dsl_checks.invalid(e.message, path, e.advice) from e

    def _all(self, body: object, path: str, depth: int) -> nodes.Node:
        dsl_checks.check_known(dsl_checks.mapping(body, path), path, ())
        return nodes.All()

    def _none(self, body: object, path: str, depth: int) -> nodes.Node:
        dsl_checks.check_known(dsl_checks.mapping(body, path), path, ())
        return nodes.Not(nodes.All())

    def _term(self, body: object, path: str, depth: int) -> nodes.Node:
        name, found, path = dsl_checks.single_field(body, path)
        options = dsl_checks.read_options(
            found, path, "value", ("value", "term")
        )
        text = dsl_checks.find_text(options, ("value", "term"), path)
        return self._value(name, text, path)

    def _value(
        self, name: str, text: str, path: str, *, is_checked: bool = True
    ) -> nodes.Node:
        """Return a whole value, as :func:`fields.value_condition` does."""

        def make() -> nodes.Node:
            if name in dsl_checks.EVERYWHERE:
                return query_fields.anywhere_condition(text, False)
            field = self._named(name)
            if field == "id":
                return query_fields.identity_condition(text)
            return query_fields.value_condition(
                field, text, self._now, is_checked=is_checked
            )

        return self._built(path, make)

    def _terms(self, body: object, path: str, depth: int) -> nodes.Node:
        fields = dict(dsl_checks.mapping(body, path))
        for weight in (
            *dsl_checks.WEIGHTS,
            "minimum_should_match",
            "execution",
        ):
            fields.pop(weight, None)
        name, found, path = dsl_checks.single_field(fields, path)
        texts = dsl_checks.sequence(found, path)
        if not texts:
            return nodes.Not(nodes.All())
        return query_fields.any_of(
            [
                self._value(name, dsl_checks.scalar(each, where), where)
                for number, each in enumerate(texts)
                if (where := f"{path}[{number}]")
            ]
        )

    def _match(self, body: object, path: str, depth: int) -> nodes.Node:
        name, found, path = dsl_checks.single_field(body, path)
        options = dsl_checks.read_options(
            found, path, "query", ("query", "operator", "type", "analyzer")
        )
        text = dsl_checks.find_text(options, ("query",), path)
        kind = dsl_checks.find_choice(options, path, "type", _MATCHES)
        if kind in ("phrase", "phrase_prefix"):
            return self._near(name, text, kind == "phrase_prefix", path)
        return self._words(name, text, dsl_checks.is_all(options, path), path)

    def _words(
        self,
        name: str,
        text: str,
        is_all: bool,
        path: str,
        *,
        is_checked: bool = True,
    ) -> nodes.Node:
        """Return any or all of the words, where the field knows words."""
        found = tokenizer.split_words(text)
        is_everywhere = name in dsl_checks.EVERYWHERE
        if not found or not (
            is_everywhere or values.is_worded(self._field(name, path))
        ):
            return self._value(name, text, path, is_checked=is_checked)
        parts = [
            self._built(path, functools.partial(self._word, name, word))
            for word in found
        ]
        return (
            query_fields.all_of(parts)
            if is_all
            else query_fields.any_of(parts)
        )

    def _word(self, name: str, word: str) -> nodes.Node:
        field = "" if name in dsl_checks.EVERYWHERE else self._named(name)
        return nodes.Words((word,), False, field)

    def _named(self, name: str) -> str:
        return field_name(name, self._known)

    def _field(self, name: str, path: str) -> str:
        try:
            return self._named(name)
        except query_fields.UnclearError as e:
            raise dsl_checks.invalid(e.message, path, e.advice) from e

    def _phrase(self, body: object, path: str, depth: int) -> nodes.Node:
        name, found, path = dsl_checks.single_field(body, path)
        options = dsl_checks.read_options(
            found, path, "query", ("query", "slop", "analyzer")
        )
        return self._near(
            name, dsl_checks.find_text(options, ("query",), path), False, path
        )

    def _phrase_prefix(
        self, body: object, path: str, depth: int
    ) -> nodes.Node:
        name, found, path = dsl_checks.single_field(body, path)
        options = dsl_checks.read_options(
            found, path, "query", ("query", "slop", "max_expansions")
        )
        return self._near(
            name, dsl_checks.find_text(options, ("query",), path), True, path
        )

    def _near(
        self,
        name: str,
        text: str,
        is_prefix: bool,
        path: str,
        *,
        is_checked: bool = True,
    ) -> nodes.Node:
        """Return words side by side; a whole value in other fields."""
        if not is_prefix:
            return self._value(name, text, path, is_checked=is_checked)
        if name in dsl_checks.EVERYWHERE:
            return self._built(
                path, lambda: query_fields.anywhere_condition(text, True)
            )
        field = self._field(name, path)
        if values.is_worded(field):
            return self._built(
                path, lambda: query_fields.phrase_prefix(field, text)
            )
        return self._like(field, f"{dsl_checks.escape_wildcards(text)}*", path)

    def _multi_match(self, body: object, path: str, depth: int) -> nodes.Node:
        options = dsl_checks.mapping(body, path)
        known = ("query", "fields", "type", "operator", "tie_breaker")
        dsl_checks.check_known(options, path, known)
        text = dsl_checks.find_text(options, ("query",), path)
        kind = dsl_checks.find_choice(options, path, "type", _MULTI_MATCHES)
        is_all = dsl_checks.is_all(options, path)
        names = dsl_checks.field_names(options, path)
        is_checked = len(names) == 1
        found = []
        for name in names:
            if kind in ("phrase", "phrase_prefix"):
                is_prefix = kind == "phrase_prefix"
                part = self._near(
                    name, text, is_prefix, path, is_checked=is_checked
                )
            else:
                part = self._words(
                    name, text, is_all, path, is_checked=is_checked
                )
            found.append(part)
        return query_fields.any_of(found)

    def _query_string(self, body: object, path: str, depth: int) -> nodes.Node:
        return self._line(body, path, is_simple=False)

    def _simple_query_string(
        self, body: object, path: str, depth: int
    ) -> nodes.Node:
        return self._line(body, path, is_simple=True)

    def _line(self, body: object, path: str, *, is_simple: bool) -> nodes.Node:
        # The line counts its conditions itself.
        return self._clear(
            path,
            lambda: query_strings.read_query_string(
                body,
                path,
                self._now,
                is_simple=is_simple,
                known=self._known,
                tally=self._tally,
            ),
        )

    def _range(self, body: object, path: str, depth: int) -> nodes.Node:
        name, found, path = dsl_checks.single_field(body, path)
        options = dsl_checks.mapping(found, path)
        known = ("gt", "gte", "lt", "lte", "from", "to", "format", "time_zone")
        dsl_checks.check_known(options, path, known)
        for option in ("format", "time_zone"):
            if option in options:
                raise dsl_checks.invalid(
                    f"{option} is not known here",
                    path,
                    "write moments as in 2026-01-31T10:00:00+01:00",
                )
        low = dsl_checks.find_bound(options, ("gt", "gte", "from"), path)
        high = dsl_checks.find_bound(options, ("lt", "lte", "to"), path)

        def make() -> nodes.Node:
            return query_fields.range_condition(
                self._named(name),
                low,
                high,
                "gt" not in options,
                "lt" not in options,
                self._now,
            )

        return self._built(path, make)

    def _prefix(self, body: object, path: str, depth: int) -> nodes.Node:
        name, found, path = dsl_checks.single_field(body, path)
        keys = ("value", "prefix")
        options = dsl_checks.read_options(found, path, "value", keys)
        text = dsl_checks.escape_wildcards(
            dsl_checks.find_text(options, keys, path)
        )
        return self._like(self._field(name, path), f"{text}*", path)

    def _wildcard(self, body: object, path: str, depth: int) -> nodes.Node:
        name, found, path = dsl_checks.single_field(body, path)
        keys = ("value", "wildcard")
        options = dsl_checks.read_options(found, path, "value", keys)
        text = dsl_checks.find_text(options, keys, path)
        return self._like(self._field(name, path), text, path)

    def _like(self, field: str, text: str, path: str) -> nodes.Node:
        def make() -> nodes.Node:
            if any(each in text for each in query_fields.WILDCARDS):
                return query_fields.pattern_condition(field, text)
            return query_fields.value_condition(field, text, self._now)

        return self._built(path, make)

    def _exists(self, body: object, path: str, depth: int) -> nodes.Node:
        options = dsl_checks.mapping(body, path)
        dsl_checks.check_known(options, path, ("field",))
        field = self._field(
            dsl_checks.find_text(options, ("field",), path), path
        )
        return self._built(path, lambda: query_fields.exists_condition(field))

    def _missing(self, body: object, path: str, depth: int) -> nodes.Node:
        return nodes.Not(self._exists(body, path, depth))

    def _ids(self, body: object, path: str, depth: int) -> nodes.Node:
        options = dsl_checks.mapping(body, path)
        dsl_checks.check_known(options, path, ("values", "type"))
        found = dsl_checks.sequence(options.get("values"), f"{path}.values")
        parts = [
            self._built(
                path, functools.partial(query_fields.identity_condition, text)
            )
            for text in (
                dsl_checks.scalar(each, f"{path}.values") for each in found
            )
        ]
        return query_fields.any_of(parts) if parts else nodes.Not(nodes.All())

    def _query_or_filter(
        self, body: object, path: str, depth: int
    ) -> nodes.Node:
        options = dsl_checks.mapping(body, path)
        dsl_checks.check_known(options, path, ("filter", "query"))
        return query_fields.all_of(
            [
                self.read(each, f"{path}.{name}", depth + 1)
                for name, each in options.items()
                if name not in dsl_checks.WEIGHTS
            ]
            or [nodes.All()]
        )

    def _filtered(self, body: object, path: str, depth: int) -> nodes.Node:
        return self._query_or_filter(body, path, depth)

    def _nested(self, body: object, path: str, depth: int) -> nodes.Node:
        options = dsl_checks.mapping(body, path)
        known = ("path", "query", "filter", "score_mode", "ignore_unmapped")
        dsl_checks.check_known(options, path, known)
        dsl_checks.find_text(options, ("path",), path)
        inner = "query" if "query" in options else "filter"
        return self.read(options.get(inner), f"{path}.{inner}", depth + 1)

    def _bool(self, body: object, path: str, depth: int) -> nodes.Node:
        options = dsl_checks.mapping(body, path)
        known = ("must", "filter", "must_not", "should")
        dsl_checks.check_known(
            options, path, (*known, "minimum_should_match", "adjust_pure")
        )
        parts = {
            name: self._several(options.get(name), f"{path}.{name}", depth)
            for name in known
        }
        found = parts["must"] + parts["filter"]
        found += _chosen(parts["should"], bool(found), options, path)
        found += [nodes.Not(each) for each in parts["must_not"]]
        return query_fields.all_of(found) if found else nodes.All()

    def _several(
        self, body: object, path: str, depth: int
    ) -> list[nodes.Node]:
        if body is None:
            return []
        if isinstance(body, collections.abc.Mapping):
            return [self.read(body, path, depth + 1)]
        return [
            self.read(each, f"{path}[{number}]", depth + 1)
            for number, each in enumerate(dsl_checks.sequence(body, path))
        ]


def _chosen(
    should: list[nodes.Node],
    has_more: bool,
    options: dsl_checks.Map,
    path: str,
) -> list[nodes.Node]:
    """Return what of the alternatives is demanded, or counts at least."""
    least = str(options.get("minimum_should_match", 0 if has_more else 1))
    if not should:
        return []
    if least == "0":
        return query_fields.optional_condition(should)
    if least == "1":
        return [query_fields.any_of(should)]
    if least in (str(len(should)), "100%"):
        return should
    raise dsl_checks.invalid(
        f"minimum_should_match is {least[:50]}",
        path,
        f"expected 0, 1, or {len(should)} for all of them",
    )
