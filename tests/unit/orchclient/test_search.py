"""What is found, as the library tells it."""

import argparse
import datetime
import json
import typing
import urllib.parse

from orchclient import client
from orchclient import errors
from orchclient import search_results
from orchclient.commands import search as commands
from orchclient.commands import search_arguments
from orchclient.console import highlighting
from tests import base
from tests.unit.orchclient import answering

_HIT: dict[str, typing.Any] = {
    "id": "r-1",
    "kind": "resource",
    "name": "server",
    "path": "web/db/server",
    "type": "OS::Nova::Server",
    "project_id": "demo",
    "stack_id": answering.STACK_ID,
    "root_id": answering.STACK_ID,
    "physical_id": "vm-1",
    "owner": "ann",
    "action": "CREATE",
    "status": "FAILED",
    "reason": "disk full",
    "description": "",
    "tags": ["prod"],
    "drift": "",
    "created_at": "2026-11-21T10:00:00Z",
    "updated_at": None,
    "score": 2.5,
    "cursor": "c1",
    "fields": {"properties.flavor": ["m1.large"]},
    "highlights": {
        "path": ["web/<em>db</em>/server"],
        "reason": ["<em>disk</em> &lt;full&gt;\x1b[2J"],
    },
    "links": [],
}


def _page(cursor: str | None = None, **more: object) -> answering.Answer:
    return answering.Answer(
        {
            "total": 3,
            "took_ms": 1,
            "hits": [_HIT],
            "facets": {"type": [{"value": "OS::Nova::Server", "count": 3}]},
            "statistics": {
                "size": {
                    "count": 2,
                    "min": 1.0,
                    "max": 3.0,
                    "sum": 4.0,
                    "avg": 2.0,
                }
            },
            "next": cursor,
            **more,
        }
    )


class _Noted(commands.base.Base):
    """A command that notes what it hints at, and writes nothing."""

    def __init__(self, orch: client.Client) -> None:
        self.orch = orch
        self.hints: list[str] = []

    @property
    def client(self) -> client.Client:
        return self.orch

    def parse(self, *words: str) -> argparse.Namespace:
        parser = argparse.ArgumentParser()
        search_arguments.add_query(parser)
        for name in ("--with-texts", "--as-of-other"):
            parser.add_argument(name)
        return parser.parse_args(words)

    def say(self, line: str) -> None:
        pass

    def hint(self, line: str) -> None:
        self.hints.append(line)


class _Export(_Noted, commands.Export):
    pass


class _Diff(_Noted, commands.Diff):
    pass


class SearchTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.service = answering.Service()
        self.orch = answering.connected(self.service)

    def lines(self, *bodies: object) -> answering.Answer:
        return answering.Answer(
            b"".join(json.dumps(each).encode() + b"\n" for each in bodies),
            headers={"Content-Type": "application/x-ndjson"},
        )

    def test_an_export_yields_all_hits(self) -> None:
        end = {"end": {"count": 2, "is_complete": True}}
        self.service.lay("GET /search/export", self.lines(_HIT, _HIT, end))

        found = list(
            self.orch.search.export(
                "disk",
                kinds=["stack"],
                as_of=datetime.datetime(2026, 11, 21, tzinfo=datetime.UTC),
            )
        )

        self.assertEqual(["r-1", "r-1"], [each.id for each in found])
        (path,) = self.service.paths()
        self.assertEqual(
            "GET /search/export?q=disk&kind=stack"
            "&as_of=2026-11-21T00%3A00%3A00%2B00%3A00",
            path,
        )

    def test_a_diff_yields_all_differences(self) -> None:
        changed = {
            "change": "changed",
            "before": _HIT,
            "after": {**_HIT, "status": "COMPLETE"},
            "fields": ["status"],
        }
        gone = {"change": "gone", "before": _HIT, "after": None, "fields": []}
        end = {"end": {"count": 2, "is_complete": True}}
        self.service.lay("GET /search/diff", self.lines(changed, gone, end))
        moment = datetime.datetime(2026, 11, 21, tzinfo=datetime.UTC)

        first, second = self.orch.search.diff(moment, text="web")

        assert first.before is not None and first.after is not None
        self.assertEqual("CREATE_FAILED", first.before.status)
        self.assertEqual("CREATE_COMPLETE", first.after.status)
        self.assertEqual(("status",), first.fields)
        self.assertIsNone(second.after)
        self.assertEqual(
            ["GET /search/diff?q=web&as_of=2026-11-21T00%3A00%3A00%2B00%3A00"],
            self.service.paths(),
        )

    def test_what_may_be_incomplete_says_so_at_its_end(self) -> None:
        end = {"end": {"count": 1, "is_complete": False, "hint": "it fills"}}
        self.service.lay("GET /search/export", self.lines(_HIT, end))
        found = self.orch.search.export()
        next(found)
        self.assertIsNone(found.hint)

        self.assertEqual([], list(found))

        self.assertEqual("it fills", found.hint)
        self.assertEqual([], list(found))
        self.assertEqual("it fills", found.hint)

    def test_commands_write_the_hint_of_an_incomplete_answer(self) -> None:
        end = {"end": {"count": 1, "is_complete": False, "hint": "it fills"}}
        gone = {"change": "gone", "before": _HIT, "after": None, "fields": []}
        self.service.lay("GET /search/export", self.lines(_HIT, end))
        self.service.lay("GET /search/diff", self.lines(gone, end))
        export, diff = _Export(self.orch), _Diff(self.orch)

        export.take_action(export.parse())
        columns, rows = diff.take_action(
            diff.parse("--as-of", "2026-11-21", "--all-projects")
        )

        self.assertEqual(["it fills"], export.hints)
        self.assertEqual(["it fills"], diff.hints)
        self.assertEqual("Project", columns[0])
        ((project, change, *_),) = rows
        self.assertEqual(("demo", "gone"), (project, change))

    def test_an_export_without_an_end_is_not_whole(self) -> None:
        self.service.lay("GET /search/export", self.lines(_HIT))
        found = self.orch.search.export()
        self.assertEqual("r-1", next(found).id)

        self.assertRaises(errors.ConnectError, next, found)

    def test_hits_come_as_values(self) -> None:
        self.service.lay("POST /search", _page("c1"))

        found = self.orch.search.query(
            "disk",
            kinds=("resource",),
            facets=["type:3", "status"],
            as_of=datetime.datetime(2026, 11, 21, tzinfo=datetime.UTC),
        )

        self.assertEqual(
            {
                "q": "disk",
                "kinds": ["resource"],
                "facets": [{"field": "type", "size": 3}, "status"],
                "as_of": "2026-11-21T00:00:00+00:00",
            },
            self.service.requests[-1].body,
        )
        self.assertEqual((3, "c1"), (found.total, found.next))
        self.assertIsNone(found.hint)
        (hit,) = found.hits
        self.assertEqual(
            ("web/db/server", "CREATE_FAILED", "vm-1", ("prod",)),
            (hit.path, hit.status, hit.physical_id, hit.tags),
        )
        self.assertEqual({"properties.flavor": ("m1.large",)}, hit.fields)
        self.assertEqual(
            {"type": (search_results.Value("OS::Nova::Server", 3),)},
            found.facets,
        )
        self.assertEqual(
            {"size": search_results.Statistics(2, 1.0, 3.0, 4.0, 2.0)},
            found.statistics,
        )

    def test_a_run_sends_all_that_replaces_what_was_saved(self) -> None:
        self.service.lay("GET /search/saved/parts/hits", _page("c1"))

        found = self.orch.search.run_saved(
            "parts",
            cursor="c0",
            kinds=("resource", "stack"),
            facets=["type:3"],
            statistics=["size"],
            limit=0,
            highlight=False,
            aggregations={"a": {}},
            as_of=datetime.datetime(2026, 11, 21, tzinfo=datetime.UTC),
        )

        self.assertEqual("c1", found.next)
        query = self.service.requests[-1].path.partition("?")[2]
        self.assertEqual(
            {
                "cursor": ["c0"],
                "kind": ["resource", "stack"],
                "facet": ["type:3"],
                "stats": ["size"],
                "limit": ["0"],
                "highlight": ["false"],
                "aggregations": ["{'a': {}}"],
                "as_of": ["2026-11-21T00:00:00+00:00"],
            },
            urllib.parse.parse_qs(query),
        )

    def test_all_pages_are_read(self) -> None:
        self.service.lay("POST /search", _page("c1"), _page("c2"), _page())

        found = list(self.orch.search.all("a", limit=1))

        self.assertEqual(3, len(found))
        self.assertEqual(
            [None, "c1", "c2"],
            [
                typing.cast(dict[str, object], each.body).get("cursor")
                for each in self.service.requests
            ],
        )

    def test_an_owner_is_found_by_any_id(self) -> None:
        self.service.lay("POST /search", _page())

        (found,) = self.orch.search.owners('a "b" \\c')

        self.assertEqual("web/db/server", found.path)
        body = typing.cast(dict[str, object], self.service.requests[-1].body)
        self.assertEqual('physical_id:"a \\"b\\" \\\\c"', body["q"])

    def test_a_wrong_query_has_its_column(self) -> None:
        self.service.lay(
            "POST /search",
            answering.Answer(
                {
                    "error": {"message": "wrong"},
                    "problems": [
                        {"message": "no (", "column": 4, "advice": "add one"}
                    ],
                },
                400,
            ),
        )

        error = self.assertRaises(
            errors.BadRequestError, self.orch.search.query, "abc)"
        )

        (problem,) = error.problems
        self.assertEqual((4, "add one"), (problem.column, problem.advice))

    def test_the_rest_comes_as_values(self) -> None:
        self.service.lay(
            "GET /search/facets",
            answering.Answer(
                {
                    "OS::Nova::Server": {
                        "doc_count": 3,
                        "facets": [
                            {
                                "name": "status",
                                "type": "string",
                                "options": [{"key": "FAILED", "doc_count": 3}],
                            }
                        ],
                    }
                }
            ),
        )
        self.service.lay(
            "GET /search/fields",
            answering.Answer({"fields": [{"name": "name", "type": "text"}]}),
        )
        self.service.lay(
            "GET /search/plugins",
            answering.Answer(
                {
                    "plugins": [
                        {
                            "kind": "stack",
                            "type": "OS::Heat::Stack",
                            "alias-indexing": "orch",
                            "alias-searching": "orch",
                        }
                    ]
                }
            ),
        )
        self.service.lay(
            "GET /search/status",
            answering.Answer(
                {
                    "search": {
                        "stacks": 1,
                        "documents": 3,
                        "pending": 2,
                        "text_bytes": 10,
                        "stored_bytes": 20,
                        "fill_progress": 0.5,
                        "filled_at": None,
                        "orphans_at": "2026-11-22T09:00:00Z",
                        "unlisted_types": [
                            {
                                "type": "OS::Nova::Server",
                                "reason": "no list today",
                                "projects": 2,
                                "at": "2026-11-22T08:00:00Z",
                            }
                        ],
                    }
                }
            ),
        )

        api = self.orch.search
        self.assertEqual(
            (
                search_results.Facet(
                    "OS::Nova::Server",
                    "status",
                    "string",
                    (search_results.Value("FAILED", 3),),
                ),
            ),
            api.facets("OS::Nova::Server", limit=5, all_projects=True),
        )
        self.assertIn("limit_terms=5", self.service.requests[-1].path)
        self.assertIn("all_projects=true", self.service.requests[-1].path)
        self.assertEqual(
            (search_results.Field("name", "text"),), api.fields("stack")
        )
        self.assertEqual(
            (search_results.Plugin("stack", "OS::Heat::Stack", "orch"),),
            api.plugins(),
        )
        status = api.status()
        self.assertEqual(
            (3, 2, 0.5, None),
            (
                status.documents,
                status.pending,
                status.fill_progress,
                status.filled_at,
            ),
        )
        (unlisted,) = status.unlisted_types
        self.assertEqual(
            ("OS::Nova::Server", "no list today", 2, 8),
            (
                unlisted.type,
                unlisted.reason,
                unlisted.projects,
                unlisted.at.hour,
            ),
        )
        assert status.orphans_at is not None
        self.assertEqual(9, status.orphans_at.hour)


class ComposedTests(base.TestCase):
    def composed(self, *query: str, **more: list[str]) -> str:
        given = {"type": [], "status": [], "project": [], **more}
        return search_arguments.compose_query(
            argparse.Namespace(query=list(query), **given)
        )

    def test_options_narrow_what_was_typed(self) -> None:
        for typed, options, expected in (
            ((), {}, ""),
            (("disk", "full"), {}, "disk full"),
            (("a",), {"status": ["failed"]}, 'a status:"failed"'),
            (
                ("a OR b",),
                {"type": ["OS::Nova::Server"]},
                '(a OR b) type:"OS::Nova::Server"',
            ),
            (("pORt",), {"project": ["p"]}, 'pORt project:"p"'),
            ((), {"type": ["A", "OS::N*"]}, 'type:("A" OR OS::N*)'),
            ((), {"type": ["a) OR b*"]}, "type:a\\)\\ OR\\ b*"),
        ):
            self.assertEqual(expected, self.composed(*typed, **options))


class TypedTests(base.TestCase):
    def test_words_stand_before_between_and_behind_options(self) -> None:
        parser = commands.Query(None, None).get_parser("orch search")
        for typed, words, types in (
            ("", [], []),
            ("a b", ["a", "b"], []),
            ("a --type X b", ["a", "b"], ["X"]),
            ("--type X a --limit 3 b --type Y c", ["a", "b", "c"], ["X", "Y"]),
            ("-- -a", ["-a"], []),
            ("a --type X b -- -c --type", ["a", "b", "-c", "--type"], ["X"]),
        ):
            found = parser.parse_args(typed.split())
            self.assertEqual((words, types), (found.query, found.type))


class MarkingTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.hit = search_results.Hit.of(_HIT)

    def test_what_fits_is_bold_on_a_terminal(self) -> None:
        path = highlighting.Path(self.hit, is_bold=True)
        where = highlighting.Where(self.hit, is_bold=True)

        self.assertEqual("web/\x1b[1mdb\x1b[0m/server", path.human_readable())
        self.assertEqual(
            "reason: \x1b[1mdisk\x1b[0m <full> [2J", where.human_readable()
        )

    def test_elsewhere_it_is_plain(self) -> None:
        where = highlighting.Where(self.hit, is_bold=False)

        self.assertEqual(
            "web/db/server", highlighting.Path(self.hit).human_readable()
        )
        self.assertEqual("reason: disk <full> [2J", where.human_readable())
        self.assertEqual(_HIT["highlights"], where.machine_readable())

    def test_of_a_part_of_the_path_all_is_shown(self) -> None:
        hit = search_results.Hit.of(
            {**_HIT, "highlights": {"path": ["<em>db</em>"]}}
        )

        found = highlighting.Path(hit, is_bold=True).human_readable()

        self.assertEqual("web/db/server", found)

    def test_long_fragments_are_cut_around_what_fits(self) -> None:
        fragment = f"{'a' * 60} &lt;<em>hit</em>&gt; {'b' * 200}"
        hit = search_results.Hit.of(
            {**_HIT, "highlights": {"reason": [fragment]}}
        )

        found = highlighting.Where(hit, is_bold=False).human_readable()

        self.assertEqual(f"reason: {'a' * 22} <hit> {'b' * 51}", found)

    def test_a_wrong_query_is_pointed_at(self) -> None:
        self.assertEqual(
            ["  name:web )", "           ^"],
            highlighting.point_at("name:web )", 10),
        )
        self.assertEqual(
            ["  name:web )", "           ^"],
            highlighting.point_at("a AND\nname:web )\nb", 10, 2),
        )
        for line in (0, 1):
            self.assertEqual(
                ["  a", "  ^"], highlighting.point_at("a\nb", 1, line)
            )
        self.assertEqual(["  b", "  ^"], highlighting.point_at("a\nb", 1, 9))
        line, mark = highlighting.point_at("a" * 500 + ")", 501)
        self.assertEqual(")", line[mark.index("^")])

    def test_nothing_obeys_what_a_name_says(self) -> None:
        self.assertEqual(
            "a ]0;b c", highlighting.clean_text("a\x1b]0;b\x07\nc")
        )
