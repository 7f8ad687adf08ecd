"""Searches that are saved under names: over REST and by commands."""

import shutil
import typing

from orch.rpc.contract import saved_searches
from tests import base
from tests.functional.orchclient import commanding
from tests.functional.search import finding
from tests.support import rest
from tests.support import running
from tests.support import waiting

_SAVED: typing.Final = "/search/saved"


def _hits(client: rest.Client, name: str, query: str = "") -> finding.Json:
    found = client.ask("GET", f"{_SAVED}/{name}/hits{query}")
    return typing.cast(finding.Json, found)


def _save(
    client: rest.Client, name: str, q: str, **more: object
) -> finding.Json:
    body = {"search": {"q": q}, **more}
    answer = client.ask("PUT", f"{_SAVED}/{name}", body)
    return typing.cast(finding.Json, answer)["saved_search"]


def _names(client: rest.Client) -> list[tuple[str, bool]]:
    listed = typing.cast(
        list[finding.Json], client.get(_SAVED, "saved_searches")
    )
    return [(each["name"], each["is_shared"]) for each in listed]


class SavedTests(finding.SearchTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.ann = self.client_of_user("ann")

    def client_of_user(
        self, user: str, roles: str = "reader", project: str = "demo"
    ) -> rest.Client:
        where = f"{self.system.endpoint.rpartition('/')[0]}/{project}"
        client = rest.Client(where, roles=roles, user_id=user)
        self.addCleanup(client.close)
        return client

    def user(self) -> rest.Client:
        """Return a client of a user who has saved nothing."""
        return self.client_of_user(self.getUniqueString())

    def refused_at(  # type: ignore[override]
        self, client: rest.Client, method: str, path: str, body: object = None
    ) -> rest.RefusedError:
        return self.assertRaises(
            rest.RefusedError, client.ask, method, f"{_SAVED}{path}", body
        )

    def test_one_that_is_saved_finds_what_it_says(self) -> None:
        ann = self.user()
        search = {
            "q": "path:shop*",
            "kinds": ["resource"],
            "sort": ["-path"],
            "limit": 2,
            "facets": ["type"],
            "aggregations": {"types": {"terms": {"field": "type"}}},
        }
        body = {"name": "parts", "description": "of the shop"}
        answer = ann.ask("POST", _SAVED, {**body, "search": search})

        saved = typing.cast(finding.Json, answer)["saved_search"]
        self.assertLessEqual({**body, "search": search}.items(), saved.items())
        self.assertIs(False, saved["is_shared"])
        self.assertEqual(saved, ann.get(f"{_SAVED}/parts", "saved_search"))
        found = _hits(ann, "parts")
        told = ann.ask("POST", "/search", search)
        expected = typing.cast(finding.Json, told)
        for each in (found, expected):
            each.pop("took_ms")
        (link,) = found.pop("links")
        self.assertEqual(expected, found)
        self.assertEqual(
            [
                (each["value"], each["count"])
                for each in found["facets"]["type"]
            ],
            [
                (each["key"], each["doc_count"])
                for each in found["aggregations"]["types"]["buckets"]
            ],
        )
        self.assertEqual(
            ["shop/web", "shop/short"],
            [each["path"] for each in found["hits"]],
        )
        following = _hits(ann, "parts", f"?{link['href'].partition('?')[2]}")
        self.assertEqual(
            ["shop/long", "shop/kept"],
            [each["path"] for each in following["hits"]],
        )

    def test_a_run_may_replace_what_was_saved(self) -> None:
        ann = self.user()
        _save(ann, "parts", "path:shop*")

        for query, expected in (
            ("?kind=stack&sort=path", ["shop", "shop/front"]),
            ("?sort=-path&limit=1", ["shop/web"]),
            ("?sort=path&limit=1&offset=4", ["shop/kept"]),
            ("?as_of=2020-01-01T00:00:00Z", []),
        ):
            found = _hits(ann, "parts", query)
            self.assertEqual(
                expected, [each["path"] for each in found["hits"]], query
            )
        self.assertEqual(len(finding.PARTS), _hits(ann, "parts")["total"])

    def test_it_is_checked_as_the_search_is(self) -> None:
        for search, expected in (
            ({"q": "path:("}, "column"),
            ({"q": "stauts:failed"}, "status"),
            ({"q": "", "sort": ["nmae"]}, "name"),
            ({"q": "", "facets": ["tpye"]}, "type"),
            ({"q": "", "limit": 5000}, "limit"),
            ({"q": "", "as_of": "yesterday"}, "as_of"),
            ({"q": "", "cursor": "x"}, "cursor"),
            ({"query": {"match_all": {}}}, "q"),
        ):
            error = self.refused_at(
                self.ann, "POST", "", {"name": "wrong", "search": search}
            )
            self.assertEqual(400, error.status, search)
            self.assertIn(expected, str(error))
        self.assertEqual(
            404, self.refused_at(self.ann, "GET", "/wrong").status
        )

    def test_wrong_requests_are_refused(self) -> None:
        search = {"q": "x"}
        _save(self.ann, "taken", "x")
        for method, path, body, status, expected in (
            ("GET", "/none", None, 404, "no saved search none"),
            ("GET", "/none/hits", None, 404, "no saved search none"),
            ("DELETE", "/none", None, 404, "no saved search none"),
            ("DELETE", "/taken?is_shared=true", None, 403, "forbidden"),
            ("GET", "/taken/hits?q=y", None, 400, "'q'"),
            ("GET", "/taken/hits?sort=nmae", None, 400, "name"),
            ("GET", "/taken/hits?aggregations=x", None, 400, "aggregations"),
            ("POST", "", {"name": "taken", "search": search}, 409, "taken"),
            ("POST", "", {"name": "a b", "search": search}, 400, "name"),
            ("PUT", "/a%20b", {"search": search}, 400, "name"),
            ("POST", "", {"name": "x"}, 400, "search"),
            ("PUT", "/x", {"search": search, "more": 1}, 400, "more"),
            (
                *("PUT", "/x"),
                {"search": {"q": "x", "kinds": ["stack"] * 3000}},
                *(400, "16384 at most"),
            ),
        ):
            error = self.refused_at(self.ann, method, path, body)
            self.assertEqual(status, error.status, (method, path, str(error)))
            self.assertIn(expected, str(error))

    def test_there_are_so_many_and_no_more(self) -> None:
        ann = self.user()
        for number in range(saved_searches.MAX_SEARCHES):
            _save(ann, f"s{number}", "x")

        error = self.refused_at(ann, "PUT", "/more", {"search": {"q": "x"}})

        self.assertEqual(400, error.status)
        self.assertIn("100 saved searches", error.message)
        _save(ann, "s7", "y")
        ann.ask("DELETE", f"{_SAVED}/s7")
        _save(ann, "more", "x")

    def test_it_is_of_its_user_or_of_the_project(self) -> None:
        ann, bob = self.user(), self.user()
        chief = self.client_of_user("chief", "member")
        other = self.client_of_user("chief", "member", "elsewhere")
        _save(ann, "mine", "path:shop*")
        _save(chief, "ours", "type:OS*", is_shared=True)
        self.addCleanup(chief.ask, "DELETE", f"{_SAVED}/ours?is_shared=true")

        self.assertEqual([("mine", False), ("ours", True)], _names(ann))
        self.assertEqual([("ours", True)], _names(bob))
        self.assertEqual([], _names(other))
        self.assertEqual(
            _hits(chief, "ours")["total"], _hits(bob, "ours")["total"]
        )
        for client, name in ((bob, "mine"), (other, "ours")):
            for path in (f"/{name}", f"/{name}/hits"):
                error = self.refused_at(client, "GET", path)
                self.assertEqual(404, error.status)
        for method, path, body in (
            ("PUT", "/ours", {"search": {"q": ""}, "is_shared": True}),
            (
                *("POST", ""),
                {"name": "n", "search": {"q": ""}, "is_shared": True},
            ),
            ("DELETE", "/ours?is_shared=true", None),
        ):
            error = self.refused_at(bob, method, path, body)
            self.assertEqual(403, error.status)

    def test_what_a_user_may_not_search_is_not_saved(self) -> None:
        for search in ({"q": "x", "all_projects": True},):
            error = self.refused_at(
                self.ann, "PUT", "/all", {"search": search}
            )
            self.assertEqual(403, error.status)
        chief = self.client_of_user("chief", "admin,member,reader")
        body = {"search": {"q": "path:shop*", "all_projects": True}}
        chief.ask("PUT", f"{_SAVED}/all", {**body, "is_shared": True})
        self.addCleanup(chief.ask, "DELETE", f"{_SAVED}/all?is_shared=true")

        self.assertEqual(len(finding.PARTS), _hits(chief, "all")["total"])
        error = self.refused_at(self.ann, "GET", "/all/hits")
        self.assertEqual(403, error.status)
        narrowed = _hits(self.ann, "all", "?all_projects=false")
        self.assertEqual(len(finding.PARTS), narrowed["total"])


class CommandTests(finding.ClientSearchTestCase, commanding.CommandTestCase):
    """``orch search save``, ``saved``, ``run`` and ``forget``."""

    def test_a_search_is_saved_run_and_forgotten(self) -> None:
        found = self.succeed(
            *("search", "path:shop*", "--sort", "path", "-f", "json")
        ).document
        save = ("search", "save", "parts", "path:shop*", "--sort", "path")
        counted = ("--facet", "type", "--histogram", "created_at:year")
        self.succeed(*save, "--description", "of the shop", *counted)

        listed = self.succeed("search", "saved", "-f", "json").document
        shown = self.succeed(
            "search", "saved", "show", "parts", "-f", "json"
        ).document
        run = self.succeed("search", "run", "parts", "-f", "json").document
        some = self.succeed(
            *("search", "run", "parts", "--limit", "1", "--sort=-path"),
            *("-f", "json"),
        ).document

        (row,) = listed
        self.assertEqual(
            ("parts", False, "path:shop*", "of the shop"),
            tuple(row[n] for n in ("Name", "Shared", "Query", "Description")),
        )
        self.assertEqual(
            {
                "q": "path:shop*",
                "sort": ["path"],
                "facets": ["type"],
                "aggregations": {
                    "created_at:year": {
                        "date_histogram": {
                            "field": "created_at",
                            "interval": "year",
                            "min_doc_count": 1,
                        }
                    }
                },
            },
            shown["search"],
        )
        self.assertEqual(
            [each["path"] for each in found["hits"]],
            [each["path"] for each in run["hits"]],
        )
        self.assertIn("type", run["facets"])
        (year,) = run["aggregations"]["created_at:year"]["buckets"]
        self.assertEqual(run["total"], year["doc_count"])
        self.assertEqual(["shop/web"], [each["path"] for each in some["hits"]])
        again = self.run_command(*save)
        self.assertNotEqual(0, again.code)
        self.assertIn("parts already", again.err)
        self.succeed(*save, "--replace", "--shared")
        self.succeed("search", "forget", "parts", "--shared")
        self.succeed("search", "forget", "parts")
        self.assertNotEqual(0, self.run_command("search", "run", "parts").code)


class LossTest(base.TestCase):
    """What is saved outlives the index."""

    limit_s = 240

    def test_a_rebuild_and_a_lost_file_delete_none(self) -> None:
        system = self.useFixture(running.Embedded()).system
        _save(system.client, "all", "")
        state = system.directory / "state"

        for suffix in ("", "-wal", "-shm"):
            (state / f"search.db{suffix}").unlink(missing_ok=True)
        system.server.kill()
        system.start()

        self.assertEqual([("all", False)], _names(system.client))
        _save(system.client, "more", "")

    def test_two_services_share_them_without_their_folder(self) -> None:
        system = self.useFixture(
            running.Distributed(workers=1, searchers=2)
        ).system
        waiting.wait_for(
            lambda: self.is_saved(system.client), "searches", finding.SOON_S
        )
        first, second = system.searchers

        first.kill()
        self.assertEqual([("all", False)], _names(system.client))
        _save(system.client, "more", "")
        second.kill()
        shutil.rmtree(system.directory / "search")
        first.start()

        waiting.wait_for(
            lambda: self.is_saved(system.client), "searches", finding.SOON_S
        )
        self.assertEqual(
            [("all", False), ("more", False)], _names(system.client)
        )
        self.assertEqual(0, _hits(system.client, "more")["total"])

    def is_saved(self, client: rest.Client) -> bool:
        try:
            _save(client, "all", "")
        except rest.RefusedError as error:
            self.assertEqual(503, error.status, str(error))
            return False
        return True
