import dataclasses
import json
import pathlib
import typing

import fixtures
from falcon import testing
from oslo_config import cfg

from orch import errors
from orch.api import app
from orch.api.openapi import parameters
from tests.unit.api import fakes
from tests.unit.api import searching


class QueryTest(searching.SearchTestCase):
    def test_what_is_found_is_told(self) -> None:
        found = self.get(f"{searching.PATH}?q=disk").json

        first, second = found["hits"]
        self.assertEqual(
            (7, 3, "c2"), tuple(found[k] for k in ("total", "took_ms", "next"))
        )
        self.assertEqual(
            (
                searching.STACK_ID,
                "stack",
                "2025-11-20T10:00:00Z",
                None,
                "FAILED",
            ),
            tuple(
                first[key]
                for key in (
                    *("id", "kind", "created_at", "updated_at", "status"),
                )
            ),
        )
        self.assertEqual(
            [{"rel": "self", "href": fakes.STACK_URL}], first["links"]
        )
        self.assertEqual(
            {"reason": ["<em>disk</em> full"]}, first["highlights"]
        )
        self.assertEqual(
            ("web/db/server", "vm-1", {"properties.flavor": ["m1.large"]}),
            (second["path"], second["physical_id"], second["fields"]),
        )
        self.assertEqual("stack", second["links"][0]["rel"])
        self.assertNotIn("texts", first)
        self.assertEqual(searching.FOUND["facets"], found["facets"])
        self.assertEqual(searching.FOUND["statistics"], found["statistics"])

    def test_an_answer_of_an_index_that_is_filled_says_so(self) -> None:
        whole = self.get(searching.PATH).json
        self.assertIs(True, whole["is_complete"])
        self.assertNotIn("hint", whole)

        self.bus.answers["search.query"] = {
            **searching.FOUND,
            "is_complete": False,
        }
        part = self.get(searching.PATH).json
        self.assertIs(False, part["is_complete"])
        self.assertIn("is being filled", part["hint"])

        self.bus.answers["search.query"] = {
            **searching.FOUND,
            "is_complete": False,
            "history_since": 1_700_000_000.5,
        }
        earlier = self.get(searching.PATH).json
        self.assertEqual("2023-11-14T22:13:21Z", earlier["history_since"])
        self.assertIn("after history_since", earlier["hint"])

        # As a search service of an earlier release answers.
        before = {**searching.FOUND}
        del before["is_complete"], before["history_since"]
        self.bus.answers["search.query"] = before
        self.assertIs(True, self.get(searching.PATH).json["is_complete"])

    def test_all_that_a_query_string_says_is_asked(self) -> None:
        self.get(
            f"{searching.PATH}?q=name:web&kind=stack,resource&sort=-updated_at,name"
            "&limit=5&offset=10&cursor=c1&facet=type:3&facet=status"
            "&stats=size&highlight=false&as_of=2025-11-20T10:00:00Z"
        )

        self.assertEqual(
            {
                "q": "name:web",
                "kinds": ["stack", "resource"],
                "sort": [
                    {"field": "updated_at", "descending": True},
                    {"field": "name", "descending": False},
                ],
                "limit": 5,
                "offset": 10,
                "cursor": "c1",
                "facets": [
                    {"field": "type", "size": 3},
                    {"field": "status", "size": 10},
                ],
                "statistics": ["size"],
                "highlight": False,
                "as_of": 1763632800.0,
                "with_texts": False,
            },
            self.sent_request(),
        )

    def test_a_parameter_that_is_not_known_is_named(self) -> None:
        for path, wrong, *said in (
            ("", "bogus=1", "'bogus'", "with_texts"),
            ("", "all_project=true", "'all_project'", "mean all_projects?"),
            ("", "q=a&kinds=stack", "'kinds'", "mean kind?"),
            ("", f"{'x' * 900}=1", f"'{'x' * 50}'", "Known are"),
            ("/facets", "limit_term=5", "'limit_term'", "mean limit_terms?"),
            ("/facets", "q=a", "'q'", "exclude_options"),
            ("/facets", "index=other", "only orch"),
            ("/fields", "kinds=stack", "'kinds'", "mean kind?"),
        ):
            answer = self.get(f"{searching.PATH}{path}?{wrong}", 400)
            self.assert_error(answer, "HTTPBadRequest", *said)
        self.assertEqual([], self.bus.calls)

    def test_a_parameter_that_says_one_thing_is_not_repeated(self) -> None:
        for path, wrong, *said in (
            ("", "q=a&q=b", "q is given 2 times", "Give q once"),
            ("", "limit=1&q=a&limit=1&limit=2", "limit is given 3 times"),
            ("", "q=&q=b", "q is given 2 times"),
            ("", "cursor=a&cursor=b", "cursor is given 2 times"),
            ("/facets", "type=a&type=b", "type is given 2 times"),
        ):
            answer = self.get(f"{searching.PATH}{path}?{wrong}", 400)
            self.assert_error(answer, "HTTPBadRequest", *said)
        self.assertEqual([], self.bus.calls)

    def test_a_parameter_that_is_a_list_may_be_repeated(self) -> None:
        self.get(
            f"{searching.PATH}?q=a&kind=stack&kind=orphan&sort=name&sort=-type"
            "&facet=type&facet=status&stats=size&stats=ports"
        )

        asked = self.sent_request()
        self.assertEqual(["stack", "orphan"], asked["kinds"])
        for key, fields in (
            ("sort", ["name", "type"]),
            ("facets", ["type", "status"]),
        ):
            self.assertEqual(fields, [each["field"] for each in asked[key]])
        self.assertEqual(["size", "ports"], asked["statistics"])

    def test_each_parameter_that_is_described_is_known(self) -> None:
        self.bus.answers["search.facets"] = []
        self.bus.answers["search.fields"] = []
        for path, told in (
            ("", parameters.SEARCH),
            ("/facets", parameters.SEARCH_FACETS),
            ("/fields", parameters.SEARCH_FIELDS),
        ):
            for each in told:
                answer = self.api.simulate_get(
                    f"{searching.PATH}{path}?{each['name']}=x"
                )
                self.assertNotIn("no parameter", answer.text)

    def test_without_anything_all_is_asked_for(self) -> None:
        self.get(searching.PATH)

        asked = self.sent_request()
        self.assertEqual(
            ("", 20, True),
            tuple(asked[k] for k in ("q", "limit", "highlight")),
        )
        self.assertNotIn("cursor", asked)

    def test_the_next_page_is_linked(self) -> None:
        for name in ("cursor", "marker"):
            found = self.get(f"{searching.PATH}?q=a&{name}=c0&limit=2").json

            self.assertEqual(
                [
                    {
                        "rel": "next",
                        "href": f"http://falconframework.org{searching.PATH}"
                        "?q=a&limit=2&marker=c2",
                    }
                ],
                found["links"],
            )
        self.bus.answers["search.query"] = {**searching.FOUND, "next": None}
        self.assertNotIn("links", self.get(searching.PATH).json)

    def test_long_texts_come_where_they_are_wanted(self) -> None:
        found = self.get(f"{searching.PATH}?with_texts=true").json

        self.assertEqual(
            searching.DOCUMENT["texts"], found["hits"][0]["texts"]
        )
        self.assertIs(True, self.sent_request()["with_texts"])

    def test_what_is_no_request_is_refused_and_nothing_is_asked(self) -> None:
        for wrong, word in (
            ("kind=cloud", "cloud"),
            ("limit=1001", "1000"),
            ("limit=a", "limit"),
            ("offset=10001", "10000"),
            ("sort=-", "sort"),
            ("facet=type:x", "FIELD:NUMBER"),
            ("facet=type:0", "at least 1"),
            ("as_of=yesterday", "2026-11-21T10:00:00Z"),
            ("highlight=2", "highlight"),
            ("cursor=a&marker=b", "give one"),
            ("q=%00", "q"),
        ):
            answer = self.get(f"{searching.PATH}?{wrong}", 400)
            self.assert_error(answer, "HTTPBadRequest", word)
        self.assertEqual([], self.bus.calls)

    def test_a_wrong_query_has_a_position_and_a_hint(self) -> None:
        problem = errors.Problem("no (", "q", "add one", line=1, column=4)
        self.bus.answers["search.query"] = errors.Invalid("Wrong.", [problem])

        for answer in (
            self.get(f"{searching.PATH}?q=abc)", 400),
            self.ask("POST", searching.PATH, 400, json={"q": "abc)"}),
        ):
            self.assert_error(answer, "HTTPBadRequest", "Wrong.")
            self.assertEqual(
                ({"line": 1, "column": 4, "path": "q"}, "add one"),
                (answer.json["where"], answer.json["hint"]),
            )

    def test_without_the_search_service_it_is_unavailable(self) -> None:
        self.bus.answers["search.query"] = errors.Unavailable("nobody")

        answer = self.get(searching.PATH, 503)

        self.assert_error(
            answer, "HTTPServiceUnavailable", "search service", "nobody"
        )


class BodyTest(searching.SearchTestCase):
    def test_a_body_says_what_a_query_string_does(self) -> None:
        found = self.post(
            {
                "q": "disk",
                "kinds": ["stack"],
                "sort": ["-score", "name"],
                "limit": 3.0,
                "cursor": "c1",
                "facets": ["type", {"field": "tags", "size": 2}],
                "statistics": ["size"],
                "as_of": "2025-11-20T11:00:00+01:00",
                "highlight": False,
                "with_texts": True,
            }
        )

        self.assertEqual(7, found["total"])
        self.assertIn("texts", found["hits"][0])
        asked = self.sent_request()
        self.assertEqual(
            (
                [
                    {"field": "score", "descending": False},
                    {"field": "name", "descending": False},
                ],
                [{"field": "type", "size": 10}, {"field": "tags", "size": 2}],
                3,
                1763632800.0,
            ),
            tuple(asked[k] for k in ("sort", "facets", "limit", "as_of")),
        )
        self.assertIsInstance(asked["limit"], int)

    def test_what_is_no_body_is_refused(self) -> None:
        wrongs: list[dict[str, object]] = [
            {"q": 1},
            {"q": "a", "query": {}},
            {"q": "a", "more": 1},
            {"q": "a", "limit": -1},
            {"q": "a", "facets": [{"size": 1}]},
            {"q": "a", "facets": ["tags:x"]},
            {"q": "a", "kinds": ["cloud"]},
            {"q": "a", "as_of": "x"},
            {"query": "a"},
            {"query": {}, "version": True},
            {"query": {}, "index": "another"},
            {"size": 1, "limit": 1},
            {"from": 1, "offset": 1},
            {"aggs": {}, "aggregations": {}},
            {"aggs": {"a": {"terms": {}}}},
            {"aggs": {"a": {"nested": {"field": "x"}}}},
            {"sort": {"_score": "asc"}},
            {"sort": [{"a": "up"}]},
            {"highlight": {}},
        ]
        for wrong in wrongs:
            self.post(wrong, 400)
        self.assertEqual([], self.bus.calls)


class ScopeTest(searching.SearchTestCase):
    def test_s3_users_search_their_project_alone(self) -> None:
        self.get(searching.PATH, headers=searching.READER)

        self.assertEqual(
            {"project_ids": ["demo"], "is_admin": False}, self.scope()
        )

    def test_s3_admins_search_all_projects_on_request(self) -> None:
        for ask in (
            lambda: self.get(f"{searching.PATH}?all_projects=true"),
            lambda: self.post({"q": "", "all_projects": True}),
            lambda: self.post({"all_projects": True}),
        ):
            self.bus.calls.clear()
            ask()
            self.assertEqual(
                {"project_ids": None, "is_admin": True}, self.scope()
            )
        self.bus.calls.clear()
        self.get(searching.PATH)
        self.assertEqual(
            {"project_ids": ["demo"], "is_admin": True}, self.scope()
        )

    def test_s3_users_are_refused_all_projects(self) -> None:
        for method, path, body in (
            ("GET", f"{searching.PATH}?all_projects=true", None),
            ("GET", f"{searching.PATH}/facets?all_projects=true", None),
            ("POST", searching.PATH, {"q": "", "all_projects": True}),
            ("POST", searching.PATH, {"all_projects": True}),
        ):
            answer = self.ask(
                method,
                path,
                403,
                headers={"X-Roles": "member"},
                **({} if body is None else {"json": body}),
            )
            self.assert_error(answer, "Forbidden", "search:all_projects")
        self.assertEqual([], self.bus.calls)

    def test_s3_a_rule_decides_who_asks_how_it_was(self) -> None:
        moment = "2025-11-20T10:00:00Z"
        asked: tuple[tuple[str, str, object], ...] = (
            ("GET", f"{searching.PATH}?as_of={moment}", None),
            ("POST", searching.PATH, {"q": "", "as_of": moment}),
        )
        for method, path, body in asked:
            more = {} if body is None else {"json": body}
            self.ask(method, path, 200, headers=searching.READER, **more)
        self.bus.calls.clear()
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        rules = directory / "policy.yaml"
        rules.write_text('"search:as_of": "rule:project_admin"\n')
        file = directory / "orch.conf"
        file.write_text(f"[oslo_policy]\npolicy_file = {rules}\n")
        options = cfg.ConfigOpts()
        options([], default_config_files=[str(file)])
        limits = dataclasses.replace(self.settings, policy=options)
        self.api = testing.TestClient(app.build_app(self.bus, limits))

        for method, path, body in asked:
            more = {} if body is None else {"json": body}
            answer = self.ask(
                method, path, 403, headers=searching.READER, **more
            )
            self.assert_error(answer, "Forbidden", "search:as_of")
        self.assertEqual([], self.bus.calls)
        self.get(searching.PATH, headers=searching.READER)

    def test_s3_users_of_stacks_find_nothing(self) -> None:
        for path in ("", "/facets", "/fields", "/plugins", "/status"):
            self.get(
                f"{searching.PATH}{path}",
                403,
                headers={"X-Roles": "heat_stack_user"},
            )
        self.assertEqual([], self.bus.calls)


class OwnProjectTest(searching.SearchTestCase):
    def test_an_address_without_a_project_is_of_the_callers(self) -> None:
        named = {**searching.READER, "X-Project-Id": "shop"}

        answer = self.ask("POST", "/v1/search", 200, json={}, headers=named)

        self.assertEqual(2, len(answer.json["hits"]["hits"]))
        self.assertEqual(
            {"project_ids": ["shop"], "is_admin": False}, self.scope()
        )
        found = self.get("/v1/search?q=a", headers=named).json
        self.assertIn("/v1/shop/search?q=a", found["links"][0]["href"])

    def test_without_any_project_it_is_refused(self) -> None:
        for headers in ({}, {"X-Project-Id": "a/b"}):
            answer = self.get("/v1/search", 400, headers=headers)
            self.assert_error(answer, "HTTPBadRequest", "X-Project-Id")
        self.assertEqual([], self.bus.calls)

    def test_a_project_may_be_called_search(self) -> None:
        self.bus.answers["stack.list"] = []

        self.get("/v1/search/stacks")
        self.get("/v1/search/search", headers=searching.READER)

        self.assertEqual(
            {"project_ids": ["search"], "is_admin": False}, self.scope()
        )


class RestTest(searching.SearchTestCase):
    def test_fields_are_listed(self) -> None:
        fields = [{"name": "name", "type": "text"}]
        self.bus.answers["search.fields"] = fields

        found = self.get(
            f"{searching.PATH}/fields?kind=stack", headers=searching.READER
        ).json

        self.assertEqual(fields, found["fields"])
        self.assertEqual(
            {
                "kinds": ["stack"],
                "scope": {"project_ids": ["demo"], "is_admin": False},
            },
            self.bus.sent("search.fields"),
        )
        self.get(f"{searching.PATH}/fields?kind=cloud", 400)

    def test_plug_ins_are_listed(self) -> None:
        self.bus.answers["search.plugins"] = [
            {"kind": "stack", "type": "OS::Heat::Stack", "index": "orch"}
        ]

        [found] = self.get(f"{searching.PATH}/plugins").json["plugins"]

        self.assertEqual(
            {
                "kind": "stack",
                "type": "OS::Heat::Stack",
                "alias-indexing": "orch",
                "alias-searching": "orch",
            },
            found,
        )

    def test_the_state_of_the_index_is_for_admins(self) -> None:
        told = {
            "stacks": 1,
            "documents": 3,
            "pending": 0,
            "text_bytes": 10,
            "stored_bytes": 20,
            "fill_progress": 0.5,
            "filled_at": 1763632800.0,
            "orphans_at": None,
            "unlisted_types": [
                {
                    "type": "OS::Nova::Server",
                    "reason": "no list today",
                    "projects": 2,
                    "at": 1763632800.0,
                }
            ],
        }
        self.bus.answers["search.status"] = told

        found = self.get(f"{searching.PATH}/status").json["search"]

        moment = "2025-11-20T10:00:00Z"
        unlisted = [{**told["unlisted_types"][0], "at": moment}]
        self.assertEqual(
            {**told, "filled_at": moment, "unlisted_types": unlisted}, found
        )

        # As a search service of an earlier release answers.
        del told["orphans_at"], told["unlisted_types"]
        before = self.get(f"{searching.PATH}/status").json["search"]
        self.assertEqual(
            (None, []), (before["orphans_at"], before["unlisted_types"])
        )
        self.get(
            f"{searching.PATH}/status", 403, headers={"X-Roles": "member"}
        )


class ExportTest(searching.SearchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["search.query"] = {**searching.FOUND, "next": None}

    def export(
        self, query: str = "", **more: object
    ) -> list[dict[str, typing.Any]]:
        answer = self.get(f"{searching.PATH}/export{query}", **more)
        self.assertEqual(
            "application/x-ndjson", answer.headers["Content-Type"]
        )
        return [json.loads(line) for line in answer.content.splitlines()]

    def test_the_last_line_says_why_hits_may_be_missing(self) -> None:
        self.bus.answers["search.query"] = {
            **searching.FOUND,
            "next": None,
            "is_complete": False,
        }

        *_, last = self.export()

        self.assertFalse(last["end"]["is_complete"])
        self.assertIn("is being filled", last["end"]["hint"])

    def test_each_hit_is_a_line_and_the_last_says_how_many(self) -> None:
        first, second, end = self.export("?q=disk&with_texts=true")

        self.assertEqual("web", first["path"])
        self.assertIn("template", first["texts"])
        self.assertEqual("web/db/server", second["path"])
        self.assertEqual({"end": {"count": 2, "is_complete": True}}, end)
        asked = self.sent_request()
        self.assertEqual(
            ("disk", 500, False, [{"field": "path", "descending": False}]),
            (
                asked["q"],
                asked["limit"],
                asked["highlight"],
                asked["sort"],
            ),
        )

    def test_it_is_of_the_scope_of_the_caller(self) -> None:
        self.export(headers=searching.READER)

        self.assertEqual(
            {"project_ids": ["demo"], "is_admin": False}, self.scope()
        )
        self.get(
            f"{searching.PATH}/export?all_projects=true",
            403,
            headers=searching.READER,
        )

    def test_parameters_of_pages_are_refused(self) -> None:
        for each in ("limit=5", "cursor=c", "facet=type", "offset=3"):
            self.get(f"{searching.PATH}/export?{each}", 400)
        self.assertEqual([], self.bus.calls)

    def test_an_error_before_the_first_hit_is_an_answer(self) -> None:
        self.bus.answers["search.query"] = errors.Invalid("q: it is wrong")
        self.get(f"{searching.PATH}/export?q=(", 400)


class DiffTest(searching.SearchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["search.differences"] = {
            "differences": [
                {
                    "change": "changed",
                    "before": searching.DOCUMENT,
                    "after": {**searching.DOCUMENT, "status": "COMPLETE"},
                    "fields": ["status"],
                },
                {
                    "change": "gone",
                    "before": searching.RESOURCE,
                    "after": None,
                    "fields": [],
                },
            ],
            "next": None,
            "is_complete": True,
            "history_since": None,
        }

    def test_each_difference_is_a_line(self) -> None:
        answer = self.get(
            f"{searching.PATH}/diff?q=web&kind=stack"
            "&as_of=2026-11-21T10:00:00Z&as_of_other=2026-11-21T11:00:00"
        )

        changed, gone, end = map(json.loads, answer.content.splitlines())
        self.assertEqual(
            ("FAILED", "COMPLETE", ["status"]),
            (
                changed["before"]["status"],
                changed["after"]["status"],
                changed["fields"],
            ),
        )
        self.assertEqual(("gone", None), (gone["change"], gone["after"]))
        self.assertEqual({"end": {"count": 2, "is_complete": True}}, end)
        self.assertEqual(
            {
                "q": "web",
                "kinds": ["stack"],
                "as_of": 1795255200.0,
                "as_of_other": 1795258800.0,
            },
            self.bus.sent("search.differences")["request"],
        )

    def test_it_needs_a_moment(self) -> None:
        for each in ("", "?as_of=x", "?as_of=2026-11-21T10:00:00Z&limit=5"):
            self.get(f"{searching.PATH}/diff{each}", 400)
        self.assertEqual([], self.bus.calls)
