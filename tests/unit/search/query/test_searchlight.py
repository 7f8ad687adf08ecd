import hypothesis
from hypothesis import strategies

from orch import errors
from orch.search.query import matching
from orch.search.query import nodes
from orch.search.query import searchlight
from tests import base
from tests.unit.search.query import samples

_ID = samples.SERVER_ID
_FORMS: tuple[tuple[dict[str, object], str], ...] = (
    ({}, "shop web db"),
    ({"match_all": {}}, "shop web db"),
    ({"match_none": {}}, ""),
    ({"term": {"id": _ID}}, "web"),
    ({"term": {"id": "0a0a"}}, "shop"),
    ({"term": {"type": {"value": "OS::Nova::Server", "boost": 2}}}, "web db"),
    ({"term": {"is_public": True}}, "web"),
    ({"term": {"size": 20}}, "db"),
    ({"term": {"name.raw": "shop"}}, "shop"),
    ({"term": {"_type": "OS::Heat::Stack"}}, "shop"),
    ({"terms": {"size": [5, "20"], "boost": 1}}, "web db"),
    ({"terms": {"size": []}}, ""),
    ({"match": {"reason": "disk host"}}, "web db"),
    ({"match": {"reason": {"query": "disk host", "operator": "and"}}}, "web"),
    (
        {"match": {"reason": {"query": "disk full", "type": "phrase"}}},
        "web",
    ),
    ({"match": {"flavor": "m1.large"}}, "web db"),
    ({"match": {"_all": "town disk"}}, "shop web db"),
    ({"match_phrase": {"description": "the town"}}, "shop"),
    ({"match_phrase": {"_all": "disk full"}}, "web"),
    ({"match_phrase_prefix": {"reason": "disk fu"}}, "web"),
    ({"match_phrase_prefix": {"flavor": "m1.l"}}, "web db"),
    ({"multi_match": {"query": "town", "fields": ["_all"]}}, "shop"),
    (
        {"multi_match": {"query": "shop", "fields": ["name^3", "reason"]}},
        "shop",
    ),
    (
        {
            "multi_match": {
                "query": "disk full",
                "fields": ["reason", "name"],
                "type": "phrase",
            }
        },
        "web",
    ),
    ({"query_string": {"query": "name: w?b* AND size: [1 TO 5]"}}, "web"),
    ({"query_string": {"query": "town disk"}}, "shop web db"),
    (
        {"query_string": {"query": "town disk", "default_operator": "AND"}},
        "",
    ),
    (
        {"query_string": {"query": "shop server", "default_field": "name"}},
        "shop db",
    ),
    ({"query_string": "disk AND NOT host"}, "db"),
    ({"simple_query_string": {"query": "+disk -host"}}, "db"),
    ({"simple_query_string": {"query": "shop|web"}}, "shop web db"),
    ({"simple_query_string": {"query": "server | town"}}, "shop web db"),
    ({"simple_query_string": {"query": "(host | town) + disk"}}, "web"),
    ({"simple_query_string": {"query": "full +host"}}, "web"),
    ({"simple_query_string": {"query": "town +disk"}}, ""),
    ({"simple_query_string": {"query": "not + disk | town"}}, "shop db"),
    ({"simple_query_string": {"query": "web||town"}}, "shop web"),
    (
        {
            "simple_query_string": {
                "query": "shop | server",
                "fields": ["name", "status"],
            }
        },
        "shop db",
    ),
    (
        {"multi_match": {"query": "failed", "fields": ["name", "status"]}},
        "web",
    ),
    (
        {"multi_match": {"query": "shop", "fields": ["name", "kind"]}},
        "shop",
    ),
    ({"term": {"type": "os::heat::resource"}}, "web db"),
    ({"match": {"_type": "OS::Orch::Orphan"}}, ""),
    ({"range": {"size": {"gte": 5, "lt": 20}}}, "shop web"),
    ({"range": {"size": {"gt": "5", "lte": None}}}, "shop db"),
    ({"range": {"created_at": {"gte": "2026-01-10"}}}, "shop"),
    ({"range": {"updated_at": {"gt": "now-1h"}}}, "shop"),
    ({"prefix": {"name": "sho"}}, "shop"),
    ({"prefix": {"flavor": {"value": "M1.S"}}}, "db"),
    ({"wildcard": {"path": "*/db/*"}}, "db"),
    ({"wildcard": {"name": {"wildcard": "web-1"}}}, "web"),
    ({"exists": {"field": "tags"}}, "shop"),
    ({"missing": {"field": "tags"}}, "web db"),
    ({"ids": {"values": ["0a0a", "db"]}}, "shop db"),
    ({"constant_score": {"filter": {"term": {"name": "shop"}}}}, "shop"),
    (
        {
            "filtered": {
                "query": {"match_all": {}},
                "filter": {"term": {"status": "failed"}},
            }
        },
        "web",
    ),
    (
        {
            "nested": {
                "path": "properties",
                "query": {"term": {"properties.flavor": "m1.large"}},
            }
        },
        "web",
    ),
    (
        {
            "bool": {
                "must": [
                    {"term": {"status": "failed"}},
                    {"term": {"is_public": True}},
                ],
                "must_not": [
                    {"range": {"size": {"gt": 4096}}},
                    {"terms": {"drift": ["in_sync", "unknown"]}},
                ],
                "should": [
                    {"match": {"name": "web"}},
                    {"match": {"tag": "web"}},
                ],
                "minimum_should_match": 1,
            }
        },
        "web",
    ),
    ({"bool": {}}, "shop web db"),
    ({"bool": {"must_not": {"term": {"name": "shop"}}}}, "web db"),
    (
        {
            "bool": {
                "filter": {"term": {"type": "OS::Nova::Server"}},
                "should": [{"term": {"name": "shop"}}],
            }
        },
        "web db",
    ),
    (
        {
            "bool": {
                "should": [
                    {"match": {"reason": "disk"}},
                    {"match": {"reason": "host"}},
                ],
                "minimum_should_match": "100%",
            }
        },
        "web",
    ),
)
_WRONG: tuple[tuple[dict[str, object], str, str], ...] = (
    ({"trem": {"a": 1}}, "query", "did you mean term?"),
    ({"regexp": {"name": "a.*"}}, "query", "wildcard"),
    ({"term": {"a": 1}, "match": {"b": 2}}, "query", "bool with must"),
    ({"term": {"a": 1, "b": 2}}, "query.term", "expected one"),
    ({"term": {"a": [1]}}, "query.term.a", "expected a text"),
    ({"term": {"nmae": "x"}}, "query.term.nmae", "did you mean name?"),
    (
        {"match": {"name": {"query": "x", "type": "phrase_prefixx"}}},
        "query.match.name",
        "boolean, phrase, phrase_prefix",
    ),
    (
        {"multi_match": {"query": "x", "type": "best"}},
        "query.multi_match",
        "best_fields",
    ),
    (
        {"query_string": {"query": "x", "default_operator": "xor"}},
        "query.query_string",
        "expected one of or, and",
    ),
    ({"term": []}, "query.term", "expected a map"),
    ({"terms": {"a": "b"}}, "query.terms.a", "expected a list"),
    ({"terms": {"a": [1, {}]}}, "query.terms.a[1]", "expected a text"),
    ({"range": {"size": {"gte": "big"}}}, "query.range.size", "number"),
    ({"range": {"size": {"ge": 1}}}, "query.range.size", "gte"),
    (
        {"range": {"size": {"gt": 1, "gte": 2}}},
        "query.range.size",
        "expected one",
    ),
    (
        {"range": {"created": {"gt": "1/1/2020", "format": "d/m/y"}}},
        "query.range.created",
        "2026-01-31",
    ),
    ({"range": {"name": {"gte": "a"}}}, "query.range.name", "name:value"),
    (
        {"bool": {"must": [{"match_all": {}}, {"bogus": 1}]}},
        "query.bool.must[1]",
        "expected one of",
    ),
    (
        {
            "bool": {
                "should": [{"term": {"a": 1}}] * 3,
                "minimum_should_match": 2,
            }
        },
        "query.bool",
        "expected 0, 1, or 3",
    ),
    ({"bool": {"shuld": []}}, "query.bool", "should"),
    (
        {"query_string": {"query": "name:(a"}},
        "query.query_string.query",
        "expected )",
    ),
    (
        {"query_string": {"query": "a:b", "fields": ["name"]}},
        "query.query_string",
        "leave fields out",
    ),
    (
        {"multi_match": {"query": "a", "fields": ["na*"]}},
        "query.multi_match",
        "names of fields",
    ),
    (
        {"match": {"name": {"query": "a", "operator": "xor"}}},
        "query.match.name",
        "expected one of or, and",
    ),
    (
        {"match_phrase": {"name": "x" * 3000}},
        "query.match_phrase.name",
        "2000",
    ),
    (
        {"match": {"created": "soon"}},
        "query.match.created",
        "now-7d",
    ),
    (
        {"match": {"status": "broken"}},
        "query.match.status",
        "COMPLETE, FAILED",
    ),
    ({"prefix": {"typ": "OS"}}, "query.prefix.typ", "did you mean type?"),
    (
        {"terms": {"kind": ["stack", "server"]}},
        "query.terms.kind[1]",
        "stack, resource, orphan",
    ),
    (
        {"simple_query_string": {"query": "a |"}},
        "query.simple_query_string.query",
        "expected a word",
    ),
    (
        {"query_string": {"query": "a AND\nstatus:broken"}},
        "query.query_string.query",
        "COMPLETE, FAILED",
    ),
    ({"exists": {}}, "query.exists", "expected field"),
    ({"terms": {"a": list(range(300))}}, "query.terms.a[200]", "two queries"),
    (
        {"query_string": {"query": "a", "fields": ["name"] * 21}},
        "query.query_string",
        "expected 20 at most",
    ),
    (
        {"multi_match": {"query": "a", "fields": ["name"] * 21}},
        "query.multi_match",
        "expected 20 at most",
    ),
)

_KEYS = """bool must should term terms match range query_string query fields
gte name wildcard ids values nested""".split()  # noqa: SIM905 - shorter so


def _deep(depth: int) -> dict[str, object]:
    found: dict[str, object] = {"match_all": {}}
    for _ in range(depth):
        found = {"bool": {"must": found}}
    return found


class SearchlightTest(base.TestCase):
    def test_its_documented_queries(self) -> None:
        for query, expected in _FORMS:
            node = searchlight.parse_searchlight(query, samples.NOW)
            found = [
                name
                for name, each in samples.ALL.items()
                if matching.is_match(node, each, False)
            ]
            self.assertEqual(expected, " ".join(found), str(query))

    def test_a_wrong_query_has_a_place_and_a_hint(self) -> None:
        for query, path, advice in _WRONG:
            error = self.assertRaises(
                errors.Invalid,
                searchlight.parse_searchlight,
                query,
                samples.NOW,
            )
            (problem,) = error.problems
            self.assertEqual(path, problem.path, str(query))
            self.assertIn(advice, problem.advice, str(query))

    def test_queries_do_not_stand_in_each_other_without_end(self) -> None:
        for depth in (21, 500):
            error = self.assertRaises(
                errors.Invalid,
                searchlight.parse_searchlight,
                _deep(depth),
                samples.NOW,
            )
            self.assertIn("are nested", error.message)
        self.assertEqual(
            nodes.All(), searchlight.parse_searchlight(_deep(20), samples.NOW)
        )

    def test_conditions_count_in_all_lines_together(self) -> None:
        line = {"query_string": {"query": "a " * 20}}
        searchlight.parse_searchlight(
            {"bool": {"must": [line] * 10}}, samples.NOW
        )
        in_each = {
            "query_string": {
                "query": "a " * 11,
                "fields": [f"properties.f{n}" for n in range(20)],
            }
        }
        for query, path in (
            ({"bool": {"must": [line] * 11}}, "query.bool.must[10]"),
            (in_each, "query"),
        ):
            error = self.assertRaises(
                errors.Invalid,
                searchlight.parse_searchlight,
                query,
                samples.NOW,
            )
            (problem,) = error.problems
            self.assertEqual(f"{path}.query_string.query", problem.path)
            self.assertIn("more than 200 conditions", problem.message)

    def test_lines_without_words_count_too(self) -> None:
        line = {"query_string": {"query": " "}}
        searchlight.parse_searchlight(
            {"bool": {"must": [line] * 200}}, samples.NOW
        )

        error = self.assertRaises(
            errors.Invalid,
            searchlight.parse_searchlight,
            {"bool": {"must": [line] * 201}},
            samples.NOW,
        )

        self.assertIn("more than 200 conditions", error.message)

    @hypothesis.given(
        strategies.recursive(
            strategies.none()
            | strategies.booleans()
            | strategies.floats()
            | strategies.text(max_size=5),
            lambda inner: (
                strategies.lists(inner, max_size=3)
                | strategies.dictionaries(
                    strategies.sampled_from(_KEYS)
                    | strategies.text(max_size=3),
                    inner,
                    max_size=3,
                )
            ),
            max_leaves=12,
        ).filter(lambda found: isinstance(found, dict))
    )
    def test_any_map_means_something_or_is_invalid(
        self, query: dict[str, object]
    ) -> None:
        try:
            node = searchlight.parse_searchlight(query, samples.NOW)
        except errors.Invalid as e:
            self.assertTrue(e.problems)
        else:
            matching.is_match(node, samples.SHOP, True)
