"""Translates queries for OpenSearch, and its answers."""

import collections.abc
import typing

from orch import errors
from orch.search import tokenizer
from orch.search.index import cursors
from orch.search.index import ordering
from orch.search.index import port
from orch.search.index.opensearch import mapping as rows
from orch.search.query import nodes
from orch.search.query import values

WINDOW: typing.Final = 100_000
_EXPANSIONS: typing.Final = 100_000
_FIELDS: typing.Final = 10_000

Clause: typing.TypeAlias = dict[str, typing.Any]
Answer: typing.TypeAlias = collections.abc.Mapping[str, typing.Any]


def request_of(query: port.Query) -> Clause:
    """Return the body of a search.

    :raises orch.errors.Invalid: the cursor is none of this query, or it goes
        further than an offset can
    """
    if query.offset + query.limit > WINDOW:
        raise errors.Invalid(
            f"The hits behind the first {WINDOW} cannot be reached by their"
            " number. Give the cursor of the last hit instead."
        )
    is_admin = query.scope.is_admin
    body: Clause = {
        "query": {
            "bool": {
                "filter": [clause(query.node, is_admin), *_limits(query)],
                "should": _scores(query.node, is_admin),
            }
        },
        "size": query.limit,
        "track_total_hits": True,
        "track_scores": True,
        "_source": ["body"],
        "sort": _sort(query),
    }
    position = cursors.decode_cursor(query, is_all_text=True)
    if position is not None:
        body["search_after"] = [*position.keys, position.id]
    elif query.offset:
        body["from"] = query.offset
    counted = _aggregations(query)
    if counted:
        body["aggs"] = counted
    return body


def clause(node: nodes.Node, is_admin: bool) -> Clause:
    """Return the clause of a node."""
    match node:
        case nodes.All():
            return {"match_all": {}}
        case nodes.And(parts):
            return _all_of([clause(each, is_admin) for each in parts])
        case nodes.Or(parts):
            return _any_of([clause(each, is_admin) for each in parts])
        case nodes.Not(inner):
            return {"bool": {"must_not": [clause(inner, is_admin)]}}
        case nodes.Words(field=""):
            found = [_phrase(node, "words")]
            if is_admin:
                found.append(_phrase(node, "admin_words"))
            return _any_of(found)
        case _:
            return _fact(node.field, is_admin, _condition(node))


def _condition(
    node: nodes.Words
    | nodes.Term
    | nodes.Pattern
    | nodes.Range
    | nodes.Exists,
) -> list[Clause]:
    """Return what a fact of the field must be."""
    match node:
        case nodes.Words():
            return [_phrase(node, "facts.words")]
        case nodes.Term(field, value):
            whole: Clause = {"term": {"facts.term": rows.term_of(value)}}
            parts = tuple(tokenizer.split_words(value))
            if not parts or not values.is_worded(field):
                return [whole]
            near = _phrase(nodes.Words(parts), "facts.words")
            return [_any_of([whole, near])]
        case nodes.Pattern(_, pattern):
            return [_like(tokenizer.fold_value(pattern))]
        case nodes.Range():
            return [_between(node)]
        case nodes.Exists():
            return []


def _like(pattern: str) -> Clause:
    if pattern and not pattern.strip("*"):
        return {"exists": {"field": "facts.term"}}
    literal = rows.clean_text(pattern).replace("\\", "\\\\")
    return {"wildcard": {"facts.value": {"value": literal}}}


def _between(node: nodes.Range) -> Clause:
    bounds = {}
    if node.low is not None:
        bounds["gte" if node.has_low else "gt"] = float(node.low)
    if node.high is not None:
        bounds["lte" if node.has_high else "lt"] = float(node.high)
    if not bounds:
        return {"exists": {"field": "facts.number"}}
    return {"range": {"facts.number": bounds}}


def _phrase(node: nodes.Words, field: str) -> Clause:
    text = " ".join(node.words)
    if len(node.words) == 1:
        kind = "prefix" if node.is_prefix else "term"
        return {kind: {field: {"value": text}}}
    if node.is_prefix:
        phrase = {"query": text, "max_expansions": _EXPANSIONS}
        return {"match_phrase_prefix": {field: phrase}}
    return {"match_phrase": {field: {"query": text}}}


def _fact(
    name: str, is_admin: bool, conditions: collections.abc.Sequence[Clause]
) -> Clause:
    return {
        "nested": {
            "path": "facts",
            "query": _all_of([*_named(name, is_admin), *conditions]),
        }
    }


def _named(name: str, is_admin: bool) -> list[Clause]:
    """Return what facts with this name may be seen."""
    found: list[Clause] = [{"term": {"facts.names": rows.clean_text(name)}}]
    if not is_admin:
        found.append({"term": {"facts.is_admin": False}})
    return found


def _all_of(found: list[Clause]) -> Clause:
    return {"bool": {"filter": found}}


def _any_of(found: list[Clause]) -> Clause:
    return {"bool": {"should": found, "minimum_should_match": 1}}


def _limits(query: port.Query) -> list[Clause]:
    """Return what the asker may find, of what kind, and at which moment."""
    found = visible_documents(query.scope, query.kinds)
    if query.as_of is None:
        return [*found, current_documents()]
    later: Clause = {"range": {"valid_to": {"gt": query.as_of}}}
    return [
        *found,
        {"range": {"valid_from": {"lte": query.as_of}}},
        _any_of([current_documents(), later]),
    ]


def current_documents() -> Clause:
    """Return the clause of documents that are not replaced."""
    return {"bool": {"must_not": [{"exists": {"field": "valid_to"}}]}}


def visible_documents(
    scope: port.Scope, kinds: collections.abc.Set[str]
) -> list[Clause]:
    """Return the clause of documents in a scope."""
    found: list[Clause] = []
    if scope.project_ids is not None:
        projects = sorted(rows.clean_text(each) for each in scope.project_ids)
        found.append({"terms": {"project_id": projects}})
    if not scope.is_admin:
        found.append({"term": {"is_hidden": False}})
    if kinds:
        found.append({"terms": {"kind": sorted(kinds)}})
    return found


def _scores(node: nodes.Node, is_admin: bool) -> list[Clause]:
    """Return what adds to the score, the best field of each part."""
    found = []
    for leaf in ordering.ranking(node):
        weights = {leaf.field: 1} if leaf.field else {"": 1}
        if isinstance(leaf, nodes.Words) and not leaf.field:
            weights |= ordering.WEIGHTS
        else:
            weights[leaf.field] = ordering.WEIGHTS.get(leaf.field, 1)
        found.append(
            {
                "dis_max": {
                    "queries": [
                        _worth(leaf, field, weight, is_admin)
                        for field, weight in weights.items()
                    ]
                }
            }
        )
    return found


def _worth(
    leaf: nodes.Words | nodes.Term, field: str, weight: int, is_admin: bool
) -> Clause:
    if isinstance(leaf, nodes.Words):
        leaf = nodes.Words(leaf.words, leaf.is_prefix, field)
    found = clause(leaf, is_admin)
    return {"constant_score": {"filter": found, "boost": weight}}


def _sort(query: port.Query) -> list[Clause]:
    found: list[Clause] = []
    for each in ordering.sorts_of(query):
        order = "desc" if each.is_descending else "asc"
        last = {"order": order, "missing": "_last"}
        if each.field == ordering.SCORE:
            found.append({"_score": {"order": "desc"}})
        elif each.field == ordering.NEWEST:
            found.append({"newest": last})
        else:
            facts = {
                "path": "facts",
                "filter": _all_of(_named(each.field, query.scope.is_admin)),
            }
            mode = "max" if each.is_descending else "min"
            found.append(
                {"facts.order": {**last, "mode": mode, "nested": facts}}
            )
    return [*found, {"id": {"order": "asc"}}]


def _aggregations(query: port.Query) -> Clause:
    is_admin = query.scope.is_admin
    found: Clause = {}
    for number, facet in enumerate(query.facets):
        found[f"facet{number}"] = of_facts(
            facet.field, is_admin, {"values": terms_of(facet.size)}
        )
    for number, name in enumerate(query.statistics):
        stats = {"numbers": {"stats": {"field": "facts.number"}}}
        found[f"stats{number}"] = of_facts(name, is_admin, stats)
    return found


def terms_of(size: int) -> Clause:
    """Return the count of documents, not of facts, for each value."""
    return {
        "terms": {
            "field": "facts.shown",
            "size": size,
            "order": [{"documents": "desc"}, {"_key": "asc"}],
        },
        "aggs": {"documents": {"reverse_nested": {}}},
    }


def of_facts(name: str, is_admin: bool, counted: Clause) -> Clause:
    """Return an aggregation of what a field has, and the scope may see."""
    return {
        "nested": {"path": "facts"},
        "aggs": {
            "named": {
                "filter": _all_of(_named(name, is_admin)),
                "aggs": counted,
            }
        },
    }


def fields_request(
    scope: port.Scope, kinds: collections.abc.Set[str]
) -> Clause:
    """Return the body of a search for the names of all fields."""
    return {
        "size": 0,
        "query": _all_of(
            [*visible_documents(scope, kinds), current_documents()]
        ),
        "aggs": _names_of_fields(scope),
    }


def fields_of_request(
    scope: port.Scope, types: collections.abc.Sequence[str]
) -> Clause:
    """Return the body of a search for those of each of these types."""
    counted = {
        f"type{number}": {
            "filter": _fact(
                "type",
                False,
                [{"term": {"facts.shown": rows.clean_text(each)}}],
            ),
            "aggs": _names_of_fields(scope),
        }
        for number, each in enumerate(types)
    }
    return {
        "size": 0,
        "query": _all_of(
            [*visible_documents(scope, frozenset()), current_documents()]
        ),
        "aggs": counted,
    }


def _names_of_fields(scope: port.Scope) -> Clause:
    visible = [] if scope.is_admin else [{"term": {"facts.is_admin": False}}]
    kinds_of = {"kinds": {"terms": {"field": "facts.kind", "size": 10}}}
    names = {
        "terms": {"field": "facts.field", "size": _FIELDS},
        "aggs": kinds_of,
    }
    return {
        "facts": {
            "nested": {"path": "facts"},
            "aggs": {
                "visible": {
                    "filter": _all_of(visible),
                    "aggs": {"names": names},
                }
            },
        }
    }


def fields_in(counted: Answer) -> dict[str, str]:
    """Return fields and their types; text where there are several.

    :param counted: the aggregations of one of the requests above
    """
    found = {}
    buckets = counted["facts"]["visible"]["names"]["buckets"]
    for each in buckets:
        kinds = [kind["key"] for kind in each["kinds"]["buckets"]]
        found[each["key"]] = kinds[0] if len(kinds) == 1 else "text"
    return dict(sorted(found.items()))


def found_in(query: port.Query, answer: Answer) -> port.Found:
    """Return the answer to a query."""
    counted = answer.get("aggregations", {})
    return port.Found(
        total=answer["hits"]["total"]["value"],
        hits=tuple(_hit(query, each) for each in answer["hits"]["hits"]),
        facets={
            facet.field: _facet(counted[f"facet{number}"])
            for number, facet in enumerate(query.facets)
        },
        statistics={
            name: statistics_in(counted[f"stats{number}"]["named"])
            for number, name in enumerate(query.statistics)
        },
    )


def _hit(query: port.Query, hit: Answer) -> port.Hit:
    document = rows.document_in(hit["_source"]["body"])
    if not query.scope.is_admin:
        document = document.without_admin()
    *keys, last = hit["sort"]
    position = cursors.Position(tuple(keys), last)
    score = float(hit["_score"] or 0.0)
    return port.Hit(document, score, cursors.encode_cursor(query, position))


def _facet(counted: Answer) -> tuple[tuple[str, int], ...]:
    return tuple(
        (each["key"], each["documents"]["doc_count"])
        for each in counted["named"]["values"]["buckets"]
    )


def statistics_in(counted: Answer) -> port.Statistics:
    """Return statistics of the facts of a field."""
    found = counted["numbers"]
    if not found["count"]:
        return port.Statistics(0, None, None, 0.0)
    return port.Statistics(
        found["count"], found["min"], found["max"], found["sum"]
    )
