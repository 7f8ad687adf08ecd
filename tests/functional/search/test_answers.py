"""S6: how what is found is told: order, pages, counts, places, commands."""

import typing

from tests.functional.orchclient import commanding
from tests.functional.search import finding

_STRING = "OS::Heat::RandomString"
_THING = "Test::World::Thing"
_VALUE = "OS::Heat::Value"
_BOLD = "\x1b[1m"


class AnswerTests(finding.SearchTestCase):
    def ask(self, body: finding.Json) -> finding.Json:
        return typing.cast(
            finding.Json, self.client.ask("POST", "/search", body)
        )

    def test_s6_facets_count_all_that_is_found(self) -> None:
        found = self.search(
            "path:shop* kind:resource", facet=["type", "status:5"], limit=1
        )

        self.assertEqual((6, 1), (found["total"], len(found["hits"])))
        self.assertEqual(
            {_STRING: 2, _THING: 2, _VALUE: 1},
            {
                each["value"]: each["count"]
                for each in found["facets"]["type"]
                if "::" in each["value"]
            },
        )
        self.assertEqual(
            [{"value": "COMPLETE", "count": 6}], found["facets"]["status"]
        )

    def test_s6_facets_are_cut_to_what_is_asked_for(self) -> None:
        found = self.search("path:shop* kind:resource", facet="type:1")

        (first,) = found["facets"]["type"]
        self.assertEqual(2, first["count"])

    def test_s6_hits_are_sorted(self) -> None:
        by_path = self.search("path:shop/*", sort="path,kind")["hits"]
        self.assertEqual(
            sorted(finding.PARTS[1:]), [each["path"] for each in by_path]
        )
        down = self.search("path:shop/*", sort="-path")["hits"]
        self.assertEqual(
            [each["path"] for each in reversed(by_path)],
            [each["path"] for each in down],
        )

    def test_s6_the_hit_is_marked_and_its_path(self) -> None:
        found = self.search("path:shop/web tulip")["hits"][0]

        self.assertIn(
            "<em>tulip</em>", found["highlights"]["properties.label"]
        )
        self.assertTrue(
            any("<em>" in each for each in found["highlights"]["path"])
        )
        plain = self.search("tulip", highlight="false")["hits"][0]
        self.assertEqual({}, plain["highlights"])

    def test_s6_pages_are_whole_and_have_no_hit_twice(self) -> None:
        for sort in ("path", "-score"):
            seen: list[str] = []
            cursor = None
            while True:
                page = self.search(
                    "path:shop*", sort=sort, limit=3, cursor=cursor
                )
                self.assertEqual(len(finding.PARTS), page["total"])
                seen += [
                    f"{each['kind']} {each['id']}" for each in page["hits"]
                ]
                cursor = page["next"]
                if cursor is None:
                    break
            self.assertEqual(len(finding.PARTS), len(seen), sort)
            self.assertEqual(len(seen), len(set(seen)), sort)

    def test_s6_the_link_leads_to_the_next_page(self) -> None:
        page = self.search("path:shop*", sort="path", limit=5)
        (link,) = page["links"]
        rest_ = link["href"].removeprefix(self.system.endpoint)

        second = typing.cast(finding.Json, self.client.ask("GET", rest_))

        self.assertEqual(
            sorted(finding.PARTS),
            sorted(finding.paths(page) + finding.paths(second)),
        )
        self.assertNotIn("links", second)

    def test_s6_a_cursor_of_another_query_is_refused(self) -> None:
        error = self.refused(self.client, "/search?q=shop&cursor=nonsense")

        self.assertEqual(400, error.status)
        self.assertIn("cursor", error.message)

    def test_s6_numbers_are_summed_up(self) -> None:
        found = self.search(f"type:{_STRING}", stats="properties.length")

        self.assertEqual(
            {"count": 2, "min": 8, "max": 24, "sum": 32, "avg": 16},
            found["statistics"]["properties.length"],
        )

    def test_s6_a_body_says_the_same(self) -> None:
        found = self.ask(
            {
                "q": "path:shop/*",
                "kinds": ["resource"],
                "sort": ["-path"],
                "facets": [{"field": "type", "size": 1}],
                "limit": 2,
            }
        )

        self.assertEqual((6, 2), (found["total"], len(found["hits"])))
        self.assertEqual("shop/web", found["hits"][0]["path"])

    def test_s6_searchlights_requests_are_answered_as_there(self) -> None:
        found = self.ask(
            {
                "query": {
                    "bool": {
                        "must": [{"match": {"name": "web"}}],
                        "filter": [{"term": {"kind": "resource"}}],
                    }
                },
                "type": [_THING],
                "_source": ["id", "name", "properties"],
                "highlight": {"fields": {"name": {}}},
                "aggregations": {"kinds": {"terms": {"field": "type"}}},
            }
        )

        self.assertFalse(found["timed_out"])
        self.assertEqual(1, found["hits"]["total"])
        (hit,) = found["hits"]["hits"]
        self.assertEqual(_THING, hit["_type"])
        self.assertEqual({"id", "name", "properties"}, set(hit["_source"]))
        self.assertEqual("tulip", hit["_source"]["properties"]["label"])
        self.assertEqual({"name": ["<em>web</em>"]}, hit["highlight"])
        self.assertEqual(
            [{"key": _THING, "doc_count": 1}],
            found["aggregations"]["kinds"]["buckets"],
        )

    def test_s6_aggregations_are_in_each_other_as_there(self) -> None:
        found = self.ask(
            {
                "size": 0,
                "aggs": {
                    "kinds": {
                        "terms": {"field": "kind"},
                        "aggs": {
                            "years": {
                                "date_histogram": {
                                    "field": "created_at",
                                    "interval": "year",
                                },
                                "aggs": {
                                    "types": {"terms": {"field": "type"}},
                                    "length": {"max": {"field": "length"}},
                                    "different": {
                                        "cardinality": {"field": "type"}
                                    },
                                },
                            }
                        },
                    }
                },
            }
        )

        by_kind = {
            each["key"]: each
            for each in found["aggregations"]["kinds"]["buckets"]
        }
        self.assertEqual({"stack", "resource"}, set(by_kind))
        resources = by_kind["resource"]
        (year,) = resources["years"]["buckets"]
        self.assertEqual(resources["doc_count"], year["doc_count"])
        self.assertTrue(year["key_as_string"].endswith("-01-01T00:00:00.000Z"))
        counts = {
            each["key"]: each["doc_count"] for each in year["types"]["buckets"]
        }
        self.assertEqual(2, counts[_STRING])
        self.assertEqual({"value": 24.0}, year["length"])
        self.assertEqual({"value": len(counts)}, year["different"])

    def test_s6_aggregations_that_are_wrong_are_refused(self) -> None:
        def histogram(field: str, interval: str) -> finding.Json:
            told = {"field": field, "calendar_interval": interval}
            return {
                "a": {
                    "terms": {"field": "kind"},
                    "aggs": {"b": {"date_histogram": told}},
                }
            }

        inside = "aggregations.a.aggregations.b.date_histogram"
        for wrong, expected in (
            (
                histogram("craeted_at", "day"),
                f"{inside}.field: there is no field craeted_at; did you mean"
                " created_at?",
            ),
            (
                histogram("created_at", "2M"),
                f"{inside}.calendar_interval: '2M' is no interval",
            ),
        ):
            error = self.refused(self.client, "/search", {"aggs": wrong})
            self.assertEqual(400, error.status)
            self.assertIn(expected, error.message)

    def test_s6_types_and_values_are_listed_as_there(self) -> None:
        found = typing.cast(
            finding.Json, self.client.ask("GET", "/search/facets")
        )

        self.assertEqual(2, found[_STRING]["doc_count"])
        by_name = {each["name"]: each for each in found[_STRING]["facets"]}
        self.assertEqual(
            [{"key": "COMPLETE", "doc_count": 2}],
            by_name["status"]["options"],
        )
        self.assertIn("created_at", by_name)
        one = self.client.ask(
            "GET", f"/search/facets?type={_THING}&include_fields=false"
        )
        self.assertEqual({_THING: {"doc_count": 2}}, one)

    def test_s6_each_type_that_is_listed_may_be_asked_for(self) -> None:
        counts = {}
        for each in self.client.get("/search/plugins", "plugins"):
            found = self.ask({"type": each["type"], "size": 100})
            counts[each["kind"]] = found["hits"]["total"]
            self.assertEqual(
                self.search("", kind=each["kind"])["total"]
                + self.child_stacks(each["type"]),
                found["hits"]["total"],
            )
            listed = self.client.ask(
                "GET",
                f"/search/facets?type={each['type']}&include_fields=false",
            )
            total = found["hits"]["total"]
            self.assertEqual(
                {each["type"]: {"doc_count": total}} if total else {}, listed
            )
        self.assertEqual({"stack", "resource", "orphan"}, set(counts))
        self.assertGreaterEqual(counts["resource"], 6)

    def child_stacks(self, type_name: str) -> int:
        """Return how many resources have a type themselves."""
        q = f"kind:resource type:{type_name}"
        is_own = type_name == "OS::Heat::Stack"
        return int(self.search(q)["total"]) if is_own else 0

    def test_s6_what_is_offered_lets_hits_come_sooner(self) -> None:
        asked = "path:shop/* kind:resource length:*"
        for word, first in (("long", "shop/long"), ("short", "shop/short")):
            hits = self.ask(
                {
                    "query": {
                        "bool": {
                            "must": {"query_string": {"query": asked}},
                            "should": {"match": {"name": word}},
                        }
                    },
                    "_source": ["path"],
                }
            )["hits"]["hits"]
            self.assertEqual(first, hits[0]["_source"]["path"])
            line = {"query_string": {"query": f"{word} +length:*"}}
            hits = self.ask({"query": line, "_source": ["path"]})["hits"]
            self.assertEqual(2, hits["total"])
            self.assertEqual(first, hits["hits"][0]["_source"]["path"])

    def test_s6_a_facet_is_refused_alike_wherever_it_stands(self) -> None:
        told = {
            self.refused(self.client, path, body).message
            for path, body in (
                ("/search?q=a&facet=tags:x", None),
                ("/search", {"q": "a", "facets": ["tags:x"]}),
            )
        }

        (message,) = told
        self.assertIn("write FIELD or FIELD:NUMBER", message)

    def test_s6_a_cursor_that_is_too_long_is_cut_in_the_answer(self) -> None:
        error = self.refused(
            self.client, f"/search?q=shop&cursor={'c' * 5000}"
        )

        self.assertEqual(400, error.status)
        self.assertIn(f"characters, not '{'c' * 50}'....", error.message)

    def test_s6_kinds_and_fields_are_listed(self) -> None:
        plugins = self.client.get("/search/plugins", "plugins")
        fields = self.client.get("/search/fields", "fields")

        self.assertIn(
            "OS::Heat::Stack",
            [
                each["type"]
                for each in typing.cast(list[finding.Json], plugins)
            ],
        )
        names = {
            each["name"]: each["type"]
            for each in typing.cast(list[finding.Json], fields)
        }
        self.assertEqual("number", names["properties.length"])
        self.assertEqual("moment", names["created_at"])
        self.assertLessEqual(
            {"name", "type", "status", "path", "physical_id"}, set(names)
        )

    def test_the_state_of_the_index_is_told(self) -> None:
        told = typing.cast(
            finding.Json, self.client.get("/search/status", "search")
        )

        self.assertGreaterEqual(told["documents"], len(finding.PARTS))
        self.assertGreater(told["stored_bytes"], 0)


class CommandTests(finding.ClientSearchTestCase, commanding.CommandTestCase):
    """``orch search …``."""

    def test_s6_a_histogram_counts_what_was_made_when(self) -> None:
        query = ("search", "path:shop*", "--histogram", "created_at:year")

        document = self.succeed(*query, "-f", "json").document
        table = self.succeed(*query).out
        wrong = self.run_command(
            "search", "--histogram", "created_at:fortnight"
        )

        (year,) = document["aggregations"]["created_at:year"]["buckets"]
        self.assertEqual(document["total"], year["doc_count"])
        self.assertIn(f"({document['total']})", table)
        self.assertIn(f"created_at:year: {year['key_as_string'][:4]}", table)
        self.assertNotEqual(0, wrong.code)
        self.assertIn("'fortnight' is no interval", wrong.err)

    def test_s6_a_diff_has_what_appeared(self) -> None:
        query = ("path:shop*", "--sort", "path")
        found = self.succeed("search", *query, "-f", "json").document
        diff = ("search", "diff", "path:shop*", "-f", "json", "--as-of")

        since = self.succeed(*diff, "2020-01-01T00:00:00Z").document
        none = self.succeed(
            *(*diff, "2020-01-01T00:00:00Z"),
            *("--as-of-other", "2020-01-01T00:00:01Z"),
        ).document

        self.assertEqual(
            [("appeared", each["path"]) for each in found["hits"]],
            [(each["Change"], each["Path"]) for each in since],
        )
        self.assertEqual([], none)

    def test_s6_an_export_has_all_that_is_found(self) -> None:
        query = ("path:shop*", "--sort", "path")
        found = self.succeed("search", *query, "-f", "json").document

        exported = self.succeed("search", "export", "path:shop*")

        self.assertEqual(
            [each["path"] for each in found["hits"]],
            [each["path"] for each in exported.documents],
        )

    def test_s6_a_search_is_a_table(self) -> None:
        ended = self.succeed(
            *("search", "path:shop/*", "tulip", "--facet", "type")
        )

        self.assertIn("shop/web", ended.out)
        self.assertIn("CREATE_COMPLETE", ended.out)
        self.assertIn("properties.label: tulip", ended.out)
        self.assertIn(f"type: {_THING} (1)", ended.out)
        self.assertIn("1 found, 1 shown.", ended.err)
        self.assertNotIn(_BOLD, ended.out)

    def test_s6_options_narrow_it(self) -> None:
        found = self.succeed(
            *("search", "--type", _STRING, "--type", "OS::Heat::V*"),
            *("--status", "complete", "--sort=-path", "--kind", "resource"),
            *("-f", "json"),
        ).document

        self.assertEqual(
            ["shop/short", "shop/long", "shop/kept"],
            [each["path"] for each in found["hits"]],
        )
        rows = self.succeed(
            *("search", "--all-projects", "name:web", "-f", "value"),
            *("-c", "Project", "-c", "Path"),
        )
        self.assertEqual("demo shop/web\n", rows.out)

    def test_s6_pages_go_on(self) -> None:
        search = ("search", "path:shop*", "--sort=path", "--limit", "5")
        first = self.succeed(*search)
        cursor = first.err.rpartition("--cursor ")[2].strip()

        second = self.succeed(*search, "--cursor", cursor)

        self.assertIn("8 found, 3 shown.", second.err)
        self.assertIn("shop/web", second.out)

    def test_s6_a_wrong_query_is_told(self) -> None:
        ended = self.run_command("search", "name:shop )")

        self.assertEqual(7, ended.code, ended)
        self.assertIn("character 11", ended.err)
        self.assertTrue(
            ended.err.endswith(f"  name:shop )\n{' ' * 12}^\n"), ended.err
        )

    def test_s6_a_wrong_line_of_several_is_told(self) -> None:
        ended = self.run_command("search", "name:shop\n status:broken")

        self.assertEqual(7, ended.code, ended)
        self.assertIn("character 9 of line 2", ended.err)
        self.assertTrue(
            ended.err.endswith(f"   status:broken\n{' ' * 10}^\n"), ended.err
        )

    def test_s6_a_wrong_facet_is_told(self) -> None:
        ended = self.run_command("search", "shop", "--facet", "tags:x")

        self.assertEqual(7, ended.code, ended)
        self.assertIn("write FIELD or FIELD:NUMBER", ended.err)

    def test_s6_the_owner_of_a_thing_is_found(self) -> None:
        physical_id = str(
            self.client.resources(self.stack)["web"]["physical_resource_id"]
        )

        ended = self.succeed("search", "owner", physical_id, "-f", "json")

        self.assertEqual(
            [("shop/web", self.stack.id)],
            [(each["Path"], each["Stack ID"]) for each in ended.document],
        )
        nobody = self.succeed("search", "owner", "none-of-ours")
        self.assertIn("Nothing", nobody.err)

    def test_s6_what_can_be_searched_is_listed(self) -> None:
        facets = self.succeed(
            "search", "facets", "--type", _STRING, "-f", "json"
        ).document
        fields = self.succeed("search", "fields", "-f", "json").document
        plugins = self.succeed("search", "plugins", "-f", "json").document
        status = self.succeed("search", "status", "-f", "json").document

        self.assertIn(
            (_STRING, "status", "COMPLETE(2)"),
            [
                (each["Resource Type"], each["Name"], each["Options"])
                for each in facets
            ],
        )
        self.assertIn({"Name": "properties.length", "Type": "number"}, fields)
        self.assertIn("stack", [each["Name"] for each in plugins])
        self.assertGreaterEqual(status["documents"], len(finding.PARTS))

    def test_s6_on_a_terminal_what_fits_is_bold(self) -> None:
        code, said = self.end(self.spawn("search", "tulip"))

        self.assertEqual(0, code, said)
        self.assertIn(f"{_BOLD}tulip", said)

    def test_s6_the_library_reads_all_pages(self) -> None:
        found = [
            each.path for each in self.orch.search.all("path:shop*", limit=3)
        ]

        self.assertEqual(sorted(finding.PARTS), sorted(found))


class OpenStackTests(finding.ClientSearchTestCase, commanding.CommandTestCase):
    """``openstack orch search …`` and ``openstack search …``."""

    form = "openstack"

    def test_s6_the_commands_are_part_of_openstack(self) -> None:
        found = self.succeed(
            *("orch", "search", "tulip", "--kind", "resource"),
            *("-f", "value", "-c", "Path"),
        )

        self.assertEqual("shop/web\n", found.out)

    def test_s6_searchlights_commands_are_there(self) -> None:
        for words in (
            ("name: web",),
            ("--json", '{"term": {"name": "web"}}'),
        ):
            (row,) = self.succeed(
                "search", "query", *words, "--type", _THING, "-f", "json"
            ).document
            self.assertEqual(
                {"ID", "Name", "Score", "Type", "Updated"}, set(row)
            )
            self.assertEqual(("web", _THING), (row["Name"], row["Type"]))
        (row,) = self.succeed(
            *("search", "query", "name: web", "--source", "name,path"),
            *("-f", "json"),
        ).document
        self.assertEqual("shop/web", row["Source"]["path"])
        wrong = self.run_command("search", "query", '{"match_all": {}}')
        self.assertEqual(2, wrong.code, wrong)
        facets = self.succeed("search", "facet", "list", "-f", "json")
        self.assertIn(
            _STRING, [each["Resource Type"] for each in facets.document]
        )
        types = self.succeed(
            "search", "resource", "type", "list", "-f", "json"
        ).document
        self.assertIn({"Name": "stack", "Type": "OS::Heat::Stack"}, types)
