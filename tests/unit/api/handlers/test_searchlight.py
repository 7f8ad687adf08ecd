from orch import errors
from tests.unit.api import searching


class SearchlightTest(searching.SearchTestCase):
    def test_a_request_is_translated(self) -> None:
        query = {"match": {"name": "web"}}

        self.post(
            {
                "query": query,
                "type": ["OS::Nova::Server", "OS::Heat::Stack"],
                "index": "orch",
                "sort": ["name.raw", {"updated_at": {"order": "desc"}}],
                "from": 20,
                "size": 10,
                "highlight": {"fields": {"name": {}}},
            }
        )

        self.assertEqual(
            {
                "query": {
                    "bool": {
                        "must": [query],
                        "filter": [
                            {
                                "terms": {
                                    "type": [
                                        "OS::Nova::Server",
                                        "OS::Heat::Stack",
                                    ]
                                }
                            }
                        ],
                    }
                },
                "sort": [
                    {"field": "name", "descending": False},
                    {"field": "updated_at", "descending": True},
                ],
                "limit": 10,
                "offset": 20,
                "highlight": True,
                "with_texts": False,
            },
            self.sent_request(),
        )

    def test_an_empty_body_asks_for_all(self) -> None:
        self.post({})

        asked = self.sent_request()
        self.assertEqual(
            ({"match_all": {}}, 25, 0),
            tuple(asked[key] for key in ("query", "limit", "offset")),
        )

    def test_the_answer_is_of_its_shape(self) -> None:
        found = self.post({"query": {"match_all": {}}})

        self.assertEqual(
            (3, False, {"total": 1, "successful": 1, "failed": 0}),
            tuple(found[key] for key in ("took", "timed_out", "_shards")),
        )
        self.assertEqual(
            (7, 2.5),
            tuple(found["hits"][key] for key in ("total", "max_score")),
        )
        first, second = found["hits"]["hits"]
        self.assertEqual(
            ("orch", "OS::Heat::Stack", searching.STACK_ID, 2.5),
            tuple(first[key] for key in ("_index", "_type", "_id", "_score")),
        )
        source = first["_source"]
        self.assertEqual(
            (
                searching.STACK_ID,
                "web",
                {"size": "large"},
                {"ports": [80, 443]},
            ),
            tuple(
                source[key] for key in ("id", "name", "parameters", "outputs")
            ),
        )
        self.assertEqual(
            searching.DOCUMENT["texts"]["template"], source["template"]
        )
        self.assertEqual(
            ({"flavor": "m1.large"}, {"host": "rack-1"}),
            (
                second["_source"]["properties"],
                second["_source"]["attributes"],
            ),
        )
        self.assertNotIn("highlight", first)
        self.assertNotIn("aggregations", found)

    def test_of_the_source_comes_what_is_wanted(self) -> None:
        for told, expected in (
            ({"_source": ["id", "name"]}, {"id", "name"}),
            ({"_source": "parameters"}, {"parameters"}),
            ({"_source": {"include": ["na*"]}}, {"name"}),
            ({"_source_include": ["outputs.ports"]}, {"outputs"}),
            (
                {"_source": ["id", "name"], "_source_exclude": "id"},
                {"name"},
            ),
        ):
            found = self.post(told)["hits"]["hits"][0]
            self.assertEqual(expected, set(found["_source"]), told)
        found = self.post({"_source": False})["hits"]["hits"][0]
        self.assertNotIn("_source", found)

    def test_long_texts_are_asked_for_where_they_are_named(self) -> None:
        for told, expected in (
            ({}, False),
            ({"_source": True}, False),
            ({"_source": ["name"]}, False),
            ({"_source": "template"}, True),
            ({"_source": {"includes": ["*"]}}, True),
            ({"_source_include": ["ev*"]}, True),
            ({"_source": ["template"], "_source_exclude": "te*"}, False),
            ({"_source": False, "_source_include": "template"}, False),
        ):
            self.bus.calls.clear()
            self.post(told)
            self.assertIs(expected, self.sent_request()["with_texts"], told)

    def test_an_answer_that_is_cut_says_so(self) -> None:
        self.bus.answers["search.query"] = {**searching.FOUND, "is_cut": True}
        self.assertIs(True, self.post({})["timed_out"])

    def test_an_index_that_is_filled_is_a_shard_that_fails(self) -> None:
        self.assertEqual(
            {"total": 1, "successful": 1, "failed": 0},
            self.post({})["_shards"],
        )
        self.bus.answers["search.query"] = {
            **searching.FOUND,
            "is_complete": False,
        }
        found = self.post({})
        self.assertEqual(
            {"total": 1, "successful": 0, "failed": 1}, found["_shards"]
        )
        self.assertIs(False, found["timed_out"])

    def test_fragments_have_the_marks_that_are_wanted(self) -> None:
        for told, expected in (
            ({"fields": {"*": {}}}, "<em>disk</em> full"),
            (
                {
                    "fields": {"reason": {}},
                    "pre_tags": ["<b>"],
                    "post_tags": ["</b>"],
                },
                "<b>disk</b> full",
            ),
        ):
            found = self.post({"highlight": told})["hits"]["hits"][0]
            self.assertEqual({"reason": [expected]}, found["highlight"])
        found = self.post({"highlight": {"fields": {"name": {}}}})
        self.assertNotIn("highlight", found["hits"]["hits"][0])

    def test_aggregations_have_their_names(self) -> None:
        found = self.post(
            {
                "size": 0,
                "aggs": {
                    "one": {"terms": {"field": "type", "size": 1}},
                    "all": {"stats": {"field": "size"}},
                    "mean": {"avg": {"field": "size"}},
                    "many": {"value_count": {"field": "size"}},
                    "none": {"max": {"field": "another"}},
                    "different": {"cardinality": {"field": "type"}},
                },
            }
        )["aggregations"]

        self.assertEqual(
            [{"key": "OS::Nova::Server", "doc_count": 5}],
            found["one"]["buckets"],
        )
        self.assertEqual(
            searching.FOUND["aggregations"]["all"]["statistics"], found["all"]
        )
        self.assertEqual(
            (2.0, 2, None),
            tuple(found[key]["value"] for key in ("mean", "many", "none")),
        )
        self.assertEqual({"value": 4}, found["different"])

    def test_aggregations_are_translated_at_all_levels(self) -> None:
        days = {
            "date_histogram": {
                "field": "created_at",
                "calendar_interval": "day",
                "min_doc_count": 1,
                "time_zone": "UTC",
            },
            "aggs": {
                "kinds": {"terms": {"field": "kind.raw", "size": 3}},
                "total": {"sum": {"field": "size"}},
            },
        }
        for body in (
            {"aggs": {"days": days}},
            {"aggregations": {"days": days}},
        ):
            self.bus.calls.clear()
            found = self.post(body)["aggregations"]

            self.assertEqual(
                {
                    "days": {
                        "kind": "date_histogram",
                        "field": "created_at",
                        "interval": "day",
                        "min_count": 1,
                        "children": {
                            "kinds": {
                                "kind": "terms",
                                "field": "kind",
                                "size": 3,
                            },
                            "total": {"kind": "stats", "field": "size"},
                        },
                    }
                },
                self.sent_request()["aggregations"],
            )
            (bucket,) = found["days"]["buckets"]
            self.assertEqual(
                {
                    "key": 1763596800000,
                    "key_as_string": "2025-11-20T00:00:00.000Z",
                    "doc_count": 2,
                    "kinds": {
                        "doc_count_error_upper_bound": 0,
                        "buckets": [{"key": "stack", "doc_count": 2}],
                    },
                    "total": {"value": 3.0},
                },
                bucket,
            )

    def test_a_body_of_ours_has_aggregations_too(self) -> None:
        days = {"date_histogram": {"field": "created_at", "interval": "1d"}}
        days["aggregations"] = {
            "kinds": {"terms": {"field": "kind"}},
            "total": {"sum": {"field": "size"}},
        }

        found = self.post({"q": "", "aggregations": {"days": days}})

        (bucket,) = found["aggregations"]["days"]["buckets"]
        self.assertEqual({"value": 3.0}, bucket["total"])
        self.assertNotIn("aggregations", self.post({"q": ""}))

    def test_wrong_aggregations_are_refused_with_their_place(self) -> None:
        terms = {"terms": {"field": "type"}}
        deep = {**terms, "aggs": {"b": {**terms, "aggs": {"c": terms}}}}
        for wrong, expected in (
            ({"a": {}}, "a"),
            ({"a": {"terms": {}}}, "field"),
            ({"a": {**terms, "avg": {"field": "x"}}}, "aggregations.a: give"),
            ({"a": {"aggs": {"b": terms}}}, "aggregations.a: give one of"),
            (
                {"a": {"avg": {"field": "x"}, "aggs": {"b": terms}}},
                "aggregations.a: avg has no buckets",
            ),
            (
                {"a": {**terms, "aggs": {"b": terms}, "aggregations": {}}},
                "aggregations.a: aggregations and aggs",
            ),
            (
                {"a": {"date_histogram": {"field": "x"}}},
                "aggregations.a.date_histogram: give one of interval",
            ),
            (
                {
                    "a": {
                        "date_histogram": {
                            "field": "x",
                            "interval": "day",
                            "time_zone": "Europe/Zurich",
                        }
                    }
                },
                "time_zone",
            ),
            ({"a": {**terms, "aggs": {"b": {**deep}}}}, "aggs"),
            ({"a": {"significant_terms": {"field": "x"}}}, "significant"),
        ):
            answer = self.post({"aggs": wrong}, 400)
            self.assertIn(expected, str(answer))
        self.assertEqual([], self.bus.calls)

    def test_an_error_of_the_service_has_the_place_of_the_body(self) -> None:
        body = {
            "aggs": {
                "a": {
                    "terms": {"field": "type"},
                    "aggs": {
                        "b": {"avg": {"field": "x"}},
                        "c": {
                            "date_histogram": {
                                "field": "x",
                                "fixed_interval": "1x",
                            }
                        },
                    },
                }
            }
        }
        inside = "aggregations.a.aggregations"
        for old, new in (
            (f"{inside}.b.stats.field", f"{inside}.b.avg.field"),
            (
                f"{inside}.c.date_histogram.interval",
                f"{inside}.c.date_histogram.fixed_interval",
            ),
        ):
            self.bus.answers["search.query"] = errors.Invalid(
                f"{old}: it is wrong",
                [errors.Problem("it is wrong", path=old)],
            )
            answer = self.post(body, 400)
            self.assertIn(f"{new}: it is wrong", str(answer))


class FacetsTest(searching.SearchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.answer_facets(
            fields=[
                {"name": "size", "type": "number"},
                {"name": "status", "type": "text"},
                {"name": "updated_at", "type": "moment"},
            ],
            options={"status": [{"value": "FAILED", "count": 2}]},
        )

    def answer_facets(self, **values: object) -> None:
        told = {"count": 5, "fields": [], "options": {}, **values}
        self.bus.answers["search.facets"] = [
            {"type": "OS::Nova::Server", **told},
            {"type": "OS::Heat::Stack", **told, "count": 2},
        ]

    def request(self) -> object:
        """Return the request of the only call."""
        self.assertEqual(1, len(self.bus.calls))
        return self.bus.sent("search.facets")["request"]

    def test_types_have_fields_and_values(self) -> None:
        found = self.get(f"{searching.PATH}/facets?limit_terms=4").json

        self.assertEqual(["OS::Nova::Server", "OS::Heat::Stack"], list(found))
        self.assertEqual(5, found["OS::Nova::Server"]["doc_count"])
        self.assertEqual(
            {
                "doc_count": 2,
                "facets": [
                    {"name": "size", "type": "double"},
                    {
                        "name": "status",
                        "type": "string",
                        "options": [{"key": "FAILED", "doc_count": 2}],
                    },
                    {"name": "updated_at", "type": "date"},
                ],
            },
            found["OS::Heat::Stack"],
        )

    def test_all_is_asked_for_in_one_call(self) -> None:
        self.get(f"{searching.PATH}/facets?limit_terms=4")

        self.assertEqual(
            {"type": None, "values": 4, "has_fields": True}, self.request()
        )

    def test_one_type_counts_alone(self) -> None:
        self.answer_facets()

        found = self.get(
            f"{searching.PATH}/facets?type=OS::Heat::Stack"
            "&include_fields=false"
        ).json

        self.assertEqual({"doc_count": 2}, found["OS::Heat::Stack"])
        self.assertEqual(
            {"type": "OS::Heat::Stack", "values": 0, "has_fields": False},
            self.request(),
        )

    def test_a_type_without_fields_has_an_empty_list(self) -> None:
        self.answer_facets()
        found = self.get(f"{searching.PATH}/facets").json
        self.assertEqual([], found["OS::Heat::Stack"]["facets"])

    def test_values_may_be_left_out(self) -> None:
        self.get(f"{searching.PATH}/facets?exclude_options=true")

        self.assertEqual(
            {"type": None, "values": 0, "has_fields": True}, self.request()
        )

    def test_what_is_no_request_is_refused(self) -> None:
        for wrong in (
            "limit_terms=1001",
            "type=%00",
            "all_projects=x",
            "type=a&type=b",
            "limit_terms=1&limit_terms=1",
        ):
            self.get(f"{searching.PATH}/facets?{wrong}", 400)
        self.assertEqual([], self.bus.calls)
