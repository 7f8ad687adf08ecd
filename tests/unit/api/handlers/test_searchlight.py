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
                "aggregations": {
                    "kinds": {"terms": {"field": "type", "size": 1}},
                    "more": {"terms": {"field": "type.raw", "size": 5}},
                    "sizes": {"stats": {"field": "size"}},
                },
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
                "facets": [{"field": "type", "size": 5}],
                "statistics": ["size"],
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
                },
            }
        )["aggregations"]

        self.assertEqual(
            [{"key": "OS::Nova::Server", "doc_count": 5}],
            found["one"]["buckets"],
        )
        self.assertEqual(searching.FOUND["statistics"]["size"], found["all"])
        self.assertEqual(
            (2.0, 2, None),
            tuple(found[key]["value"] for key in ("mean", "many", "none")),
        )


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
