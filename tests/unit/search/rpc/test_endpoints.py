"""What the search service answers, and what it refuses."""

import typing

from orch import clock
from orch import errors
from orch.context import request as context_request
from orch.rpc import contract
from orch.rpc.inprocess import payload
from orch.search.index import port
from orch.search.indexing import full_scan_state
from orch.search.query import nodes
from orch.search.rpc import endpoints
from orch.search.rpc import requests
from tests import base
from tests.contract.search import samples
from tests.support import searching

_SCOPE: contract.SearchScope = {"project_ids": ["p1"], "is_admin": False}


class EndpointTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = searching.Clock()
        self.index = searching.Index()
        self.refills: list[bool] = []
        self.make_endpoint()
        source = searching.Source(self.clock)
        for number in range(5):
            source.change(f"s{number}", name=f"web-{number}")
        self.index.put(source.read([f"s{number}" for number in range(5)]))

    def make_endpoint(self) -> None:
        self.endpoint = endpoints.Search(
            self.index,
            searching.SavedStore(),
            self.clock,
            lambda: self.refills.append(True),
        )

    def fill(self) -> None:
        """Say that all stacks were read."""
        full_scan_state.finish_scan(
            self.index,
            full_scan_state.FullScan(full_scan_state.FILL),
            self.clock.now(),
        )

    def ask(self, **request: object) -> contract.SearchFacts:
        return self.endpoint.query(
            context_request.RequestContext(),
            request=typing.cast(contract.SearchRequest, request),
            scope=_SCOPE,
        )


class QueryTest(EndpointTestCase):
    def test_nothing_asked_for_is_all(self) -> None:
        found = self.ask()

        self.assertEqual(5, found["total"])
        self.assertEqual(5, len(found["hits"]))
        self.assertIsNone(found["next"])
        self.assertGreaterEqual(found["took_ms"], 0)
        self.assertEqual("web-0", found["hits"][0]["document"]["name"])

    def test_an_answer_says_whether_all_stacks_were_read(self) -> None:
        self.assertFalse(self.ask()["is_complete"])
        full_scan_state.save(
            self.index,
            full_scan_state.FullScan(full_scan_state.FILL, "80000000"),
        )
        self.assertFalse(self.ask()["is_complete"])
        full_scan_state.finish_scan(
            self.index,
            full_scan_state.FullScan(full_scan_state.FILL),
            self.clock.now(),
        )
        self.assertTrue(self.ask()["is_complete"])

        # All that is there was read once: reading it again hides nothing.
        self.endpoint.refill(context_request.RequestContext())
        self.assertTrue(self.ask()["is_complete"])
        self.endpoint.refill(
            context_request.RequestContext(), from_nothing=True
        )
        self.assertFalse(self.ask()["is_complete"])

    def test_an_answer_says_from_when_history_is_known(self) -> None:
        filled_at = self.clock.now()
        self.clock.pass_(100)
        before, later = float(filled_at) - 1, float(filled_at) + 20
        for as_of in (before, later):
            found = self.ask(as_of=as_of)
            self.assertFalse(found["is_complete"])
            self.assertIsNone(found["history_since"])

        full_scan_state.finish_scan(
            self.index,
            full_scan_state.FullScan(full_scan_state.FILL),
            filled_at,
        )
        for as_of, is_complete in (
            (before, False),
            (float(filled_at), True),
            (later, True),
        ):
            found = self.ask(as_of=as_of)
            self.assertIs(is_complete, found["is_complete"], as_of)
            self.assertEqual(filled_at, found["history_since"])
        now = self.ask()
        self.assertEqual(
            (True, None), (now["is_complete"], now["history_since"])
        )

        # A second fill forgets nothing; what is too old is forgotten.
        self.fill()
        self.assertEqual(filled_at, self.ask(as_of=later)["history_since"])
        full_scan_state.forget_history(
            self.index, clock.Timestamp(filled_at - 5)
        )
        self.assertEqual(filled_at, self.ask(as_of=later)["history_since"])
        full_scan_state.forget_history(self.index, clock.Timestamp(later + 1))
        found = self.ask(as_of=later)
        self.assertFalse(found["is_complete"])
        self.assertEqual(later + 1, found["history_since"])

    def test_an_index_that_is_lost_is_noticed(self) -> None:
        full_scan_state.finish_scan(
            self.index,
            full_scan_state.FullScan(full_scan_state.FILL),
            self.clock.now(),
        )
        self.assertTrue(self.ask()["is_complete"])
        self.index.clear()
        self.clock.pass_(1.1)

        self.assertFalse(self.ask()["is_complete"])

    def test_what_ends_while_it_is_searched_is_not_whole_yet(self) -> None:
        search = self.index.search

        def end(query: port.Query) -> port.Found:
            found = search(query)
            full_scan_state.finish_scan(
                self.index,
                full_scan_state.FullScan(full_scan_state.FILL),
                self.clock.now(),
            )
            return found

        self.index.search = end  # type: ignore[method-assign]

        self.assertFalse(self.ask()["is_complete"])
        self.assertTrue(self.ask()["is_complete"])

    def test_text_and_maps_are_understood(self) -> None:
        self.assertEqual(1, self.ask(q="name:web-3")["total"])
        found = self.ask(query={"term": {"name": "web-3"}})
        self.assertEqual(1, found["total"])

    def test_what_fits_is_marked_on_request(self) -> None:
        found = self.ask(q="name:web-3", highlight=True)["hits"][0]
        self.assertIn("name", found["highlights"])
        self.assertIn("<em>", found["highlights"]["name"][0])
        self.assertEqual({}, self.ask(q="web")["hits"][0]["highlights"])

    def test_a_cursor_is_given_while_there_is_more(self) -> None:
        found = self.ask(limit=2)
        self.assertEqual(2, len(found["hits"]))
        found = self.ask(limit=2, cursor=found["next"])
        found = self.ask(limit=2, cursor=found["next"])
        self.assertEqual(1, len(found["hits"]))
        self.assertIsNone(found["next"])
        self.assertIsNone(self.ask(limit=5)["next"])
        nothing = self.ask(limit=0)
        self.assertEqual((5, []), (nothing["total"], nothing["hits"]))

    def test_facets_and_statistics_are_named_as_asked(self) -> None:
        found = self.ask(facets=[{"field": "tag"}], statistics=["size"])
        self.assertEqual(
            {"tag": [{"value": "some", "count": 1}]}, found["facets"]
        )
        self.assertEqual(0, found["statistics"]["size"]["count"])

    def test_fields_kinds_and_state(self) -> None:
        asked = context_request.RequestContext()
        self.assertEqual(
            [{"name": "name", "type": "text"}],
            self.endpoint.fields(asked, scope=_SCOPE, kinds=["stack"]),
        )
        self.assertEqual(
            ["stack", "resource", "orphan"],
            [each["kind"] for each in self.endpoint.plugins(asked)],
        )
        full_scan_state.save(
            self.index, full_scan_state.FullScan(full_scan_state.CHECK, "8")
        )
        self.assertIsNone(self.endpoint.status(asked)["fill_progress"])
        self.index.is_unsearchable = True
        self.assertRaises(errors.Unavailable, self.endpoint.status, asked)
        self.index.is_unsearchable = False
        status = self.endpoint.refill(asked)
        self.assertEqual(0.0, status["fill_progress"])
        self.assertEqual(5, status["stacks"])
        status = self.endpoint.refill(asked, from_nothing=True)
        self.assertEqual(0, status["stacks"])
        self.assertEqual([True, True], self.refills)


class SizeTest(EndpointTestCase):
    """However much a query finds, an answer has its bounds."""

    def put(self, count: int, text: str, **fields: tuple[str, ...]) -> None:
        self.index.clear()
        self.index.put(
            [
                samples.stacked(
                    samples.stack(
                        f"{number:02}",
                        stack_id=f"{number:02}",
                        texts={"template": text},
                        fields=fields,
                    ),
                    stack_id=f"{number:02}",
                )
                for number in range(count)
            ]
        )

    def test_long_texts_come_only_where_they_are_wanted(self) -> None:
        self.put(3, "pump " * 20_000)

        found = self.ask(q="pump", highlight=True)
        self.assertEqual([{}] * 3, [_texts(each) for each in found["hits"]])
        for each in found["hits"]:
            self.assertIn("texts.template", each["highlights"])
        self.assertLess(len(payload.pack_message(found)), 20_000)

        found = self.ask(q="pump", with_texts=True)
        self.assertEqual(
            [{"template": "pump " * 20_000}] * 3,
            [_texts(each) for each in found["hits"]],
        )

    def test_a_large_answer_comes_in_pages(self) -> None:
        self.put(50, "pump " * 50_000)

        ids: list[str] = []
        cursor = None
        for _ in range(9):
            more: dict[str, object] = (
                {} if cursor is None else {"cursor": cursor}
            )
            found = self.ask(with_texts=True, limit=1_000, **more)
            self.assertLess(len(payload.pack_message(found)), 4_100_000)
            self.assertEqual(50, found["total"])
            self.assertEqual(found["next"] is not None, found["is_cut"])
            ids += [each["document"]["id"] for each in found["hits"]]
            cursor = found["next"]
            if cursor is None:
                break
        self.assertEqual([f"stack/{number:02}" for number in range(50)], ids)

    def test_one_hit_comes_however_large(self) -> None:
        self.put(2, "pump " * 1_000_000)

        found = self.ask(with_texts=True)

        self.assertEqual(1, len(found["hits"]))
        self.assertTrue(found["is_cut"])
        self.assertEqual(found["hits"][0]["cursor"], found["next"])

    def test_fields_count_too(self) -> None:
        self.put(60, "", **{"properties.x": ("x" * 100_000,)})

        found = self.ask(limit=60)

        self.assertEqual(39, len(found["hits"]))
        self.assertEqual(found["hits"][-1]["cursor"], found["next"])

    def test_hits_behind_a_costly_part_have_no_fragments(self) -> None:
        self.put(60, "anyone aims at a1 or 1a, as all do; " * 2_700)

        found = self.ask(q="a* OR b* OR 1*", highlight=True, limit=60)

        marked = [bool(each["highlights"]) for each in found["hits"]]
        self.assertEqual(60, len(marked))
        self.assertTrue(marked[0])
        self.assertFalse(any(marked[30:]))


def _texts(hit: contract.HitFacts) -> dict[str, str]:
    return hit["document"]["texts"]


class RefusalTest(EndpointTestCase):
    def check_refused(self, place: str, **request: object) -> None:
        refused = self.assertRaises(errors.Invalid, self.ask, **request)
        self.assertIn(place, str(refused))

    def test_wrong_wishes_are_told_where(self) -> None:
        for place, request in (
            ("limit", {"limit": 1001}),
            ("limit", {"limit": -1}),
            ("limit", {"limit": "5"}),
            ("limit", {"limit": True}),
            ("offset", {"offset": 10_001}),
            ("facets", {"facets": [{"field": "name"}] * 21}),
            ("facets[0]", {"facets": ["name"]}),
            (
                "facets[1].size",
                {"facets": [{"field": "a"}, {"field": "b", "size": 0}]},
            ),
            ("facets[0].field", {"facets": [{"field": ""}]}),
            ("facets[0].many", {"facets": [{"field": "a", "many": 1}]}),
            ("facets[0].field", {"facets": [{"field": "statsu"}]}),
            ("facets[0].field", {"facets": [{"field": "state"}]}),
            ("sort", {"sort": "name"}),
            (
                "sort[0].descending",
                {"sort": [{"field": "name", "descending": "yes"}]},
            ),
            ("sort", {"sort": [{"field": "name"}] * 6}),
            ("statistics[0]", {"statistics": [5]}),
            ("kinds", {"kinds": ["server"]}),
            ("kinds", {"kinds": "stack"}),
            ("as_of", {"as_of": "today"}),
            ("as_of", {"as_of": float("nan")}),
            ("cursor", {"cursor": 5}),
            ("q", {"q": 5}),
            ("query", {"query": []}),
            ("query", {"query": {}, "q": "a"}),
            ("more", {"more": 1}),
            ("highlight", {"highlight": "yes"}),
            ("with_texts", {"with_texts": 1}),
        ):
            with self.subTest(place=place, request=request):
                self.check_refused(place, **request)

    def test_a_slip_is_none_where_there_is_a_field_of_that_name(self) -> None:
        fields = {"properties.typ": ("x",), "propertis.size": (5,)}
        self.index.put([samples.stacked(samples.resource("a", fields=fields))])

        typ, size = ["typ"], ["propertis.size"]
        for request, expected in (
            ({"q": "typ:x typ:y"}, typ),
            ({"q": "typ:x OR propertis.size:5"}, typ + size),
            ({"query": {"term": {"typ": "x"}}}, typ),
            ({"query": {"match": {"typ": "x y"}}}, typ),
            (
                {"query": {"query_string": {"query": "x", "fields": typ}}},
                typ,
            ),
            ({"query": {"range": {"propertis.size": {"gt": 4}}}}, size),
            ({"sort": [{"field": "typ"}]}, typ),
            ({"statistics": typ}, typ),
        ):
            with self.subTest(request=request):
                self.make_endpoint()
                self.assertEqual(expected, self.looked_for(**request))
                self.assertEqual([], self.looked_for(**request))

    def test_it_is_one_where_nobody_has_it_and_no_slip_asks_nobody(
        self,
    ) -> None:
        other = {"project_id": "p2", "fields": {"properties.typ": ("x",)}}
        self.index.put([samples.stacked(samples.resource("a", **other))])

        self.check_refused("query.term.typ", query={"term": {"typ": "x"}})
        refused = self.assertRaises(errors.Invalid, self.ask, q="typ:x")
        self.assertIn("did you mean type?", refused.problems[0].advice)
        self.assertEqual([], self.looked_for(q="type:x size:5"))

    def test_a_name_that_nothing_has_is_refused_with_the_nearest(self) -> None:
        fields = {"properties.flavor": ("x",), "attributes.zone": ("a",)}
        hidden = {"operation.secret": (1,)}
        self.index.put(
            [
                samples.stacked(
                    samples.resource("a", fields=fields, admin=hidden)
                )
            ]
        )
        self.index.names = dict.fromkeys([*fields, "status"], "text")
        wrong = "flavour"
        requests_: tuple[dict[str, object], ...] = (
            {"sort": [{"field": wrong}]},
            {"facets": [{"field": wrong}]},
            {"statistics": [wrong]},
        )
        for request in requests_:
            self.ask(**request)
        self.fill()
        for request in (
            *requests_,
            {"q": f"{wrong}:x"},
            {"query": {"term": {wrong: "x"}}},
        ):
            refused = self.assertRaises(errors.Invalid, self.ask, **request)
            (problem,) = refused.problems
            self.assertEqual(f"there is no field {wrong}", problem.message)
            self.assertIn("did you mean flavor?", problem.advice)
            self.ask(**request, as_of=float(samples.at(1)))
        for field, advice in (
            ("properties.flavr", "did you mean properties.flavor?"),
            ("marigold", "A property of that name is properties.marigold"),
            ("secrets", "A property of that name is properties.secrets"),
            ("statussen", "did you mean status?"),
            ("marigold.x", "names begin with one of properties,"),
        ):
            refused = self.assertRaises(
                errors.Invalid, self.ask, facets=[{"field": field}]
            )
            (problem,) = refused.problems
            self.assertEqual("facets[0].field", problem.path)
            self.assertTrue(problem.advice.startswith(advice), problem.advice)
        for field in ("properties.size", "flavor", "zone", "created", "tag"):
            self.ask(sort=[{"field": field}])
        self.ask(q="marigold:x")

    def looked_for(self, **request: object) -> list[str]:
        """Ask; return the fields that the index was asked for before."""
        self.index.searches.clear()
        self.ask(**request)
        return [
            each.node.field
            for each in self.index.searches[:-1]
            if isinstance(each.node, nodes.Exists) and each.limit == 0
        ]

    def test_a_wrong_query_has_its_place(self) -> None:
        refused = self.assertRaises(errors.Invalid, self.ask, q='a "b')
        self.assertGreater(refused.problems[0].column, 0)


class RequestTest(base.TestCase):
    def test_all_of_it_is_read(self) -> None:
        now = searching.Clock().now()
        found = requests.read_query(
            {
                "kinds": ["stack"],
                "sort": [
                    {"field": "updated", "descending": True},
                    {"field": "score", "descending": False},
                ],
                "limit": 7,
                "cursor": "c",
                "offset": 3,
                "facets": [{"field": "tag", "size": 4}],
                "statistics": ["size"],
                "as_of": now - 60,
            },
            port.Scope(None),
            now,
        )

        self.assertEqual(
            port.Query(
                node=nodes.All(),
                scope=port.Scope(None),
                kinds=frozenset({"stack"}),
                sort=(
                    port.Sort("updated_at", True),
                    port.Sort("score", False),
                ),
                limit=7,
                after="c",
                offset=3,
                facets=(port.Facet("tags", 4),),
                statistics=("size",),
                as_of=type(now)(now - 60),
            ),
            found,
        )

    def test_what_is_to_come_is_what_is(self) -> None:
        now = searching.Clock().now()
        found = requests.read_query({"as_of": now + 5}, port.Scope(None), now)
        self.assertIsNone(found.as_of)
