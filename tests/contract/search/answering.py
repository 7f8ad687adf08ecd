"""Orders, pages, facets and statistics of what is found."""

import string
import typing

from orch import errors
from orch.search.index import cursors
from orch.search.index import port
from orch.search.query import nodes
from tests.contract.search import cases
from tests.contract.search import samples
from tests.contract.search.samples import at
from tests.contract.search.samples import resource
from tests.contract.search.samples import stack
from tests.contract.search.samples import stacked
from tests.contract.search.samples import words


class Answering(cases.Case):
    def order(self, *sorts: str, scope: port.Scope = samples.USER) -> str:
        """Return ids in the order of these; ``-`` for the greatest first."""
        sort = tuple(
            port.Sort(each.removeprefix("-"), each.startswith("-"))
            for each in sorts
        )
        return "".join(self.ids(sort=sort, scope=scope))

    def facets(
        self,
        field: str,
        scope: port.Scope = samples.USER,
        size: int = 10,
        node: nodes.Node = samples.ALL,
    ) -> tuple[tuple[str, int], ...]:
        found = self.index.search(
            samples.query(
                node, scope, limit=0, facets=(port.Facet(field, size),)
            )
        )
        self.assertEqual((), found.hits)
        return found.facets[field]

    def test_s6_orders(self) -> None:
        self.put(
            resource("a", name="Zoe", status="FAILED", updated_at=at(3)),
            resource("b", name="bob", status="COMPLETE", updated_at=at(9)),
            resource("c", name="Al", status="COMPLETE"),
            resource("d", name="äl", status="FAILED", updated_at=at(5)),
        )
        for sorts, expected in (
            (("name",), "cdba"),
            (("-name",), "abcd"),
            (("status", "name"), "cbda"),
            (("-status", "-name"), "adbc"),
            (("updated_at",), "adbc"),
            (("-updated_at",), "bdac"),
            (("status", "-updated_at"), "bcda"),
            (("id",), "abcd"),
            (("-id",), "dcba"),
            (("created_at", "-id"), "dcba"),
            (("nothing",), "abcd"),
            (("-nothing",), "abcd"),
            (("type",), "abcd"),
        ):
            self.assertEqual(expected, self.order(*sorts), repr(sorts))

    def test_s6_texts_are_ordered_folded_and_without_blanks(self) -> None:
        self.put(
            resource("a", fields={"properties.x": ("\tx",)}, owner="\tx"),
            resource("b", fields={"properties.x": ("Äpfel",)}, owner="Äpfel"),
            resource("c", fields={"properties.x": ("STRASSE 2",)}),
            resource("d", fields={"properties.x": ("straße 1",)}),
            resource("e", fields={"properties.x": ("W",)}, owner="äpfe"),
            resource("f", fields={"properties.x": ("\t\n", "\x1f")}),
            resource("g", fields={"properties.x": ("\t5",)}),
            resource("h", fields={"properties.x": ("äpfel 1",)}),
        )

        for sorts, expected in (
            (("x",), "gbhdceaf"),
            (("-x",), "aecdhbgf"),
            (("owner",), "ebacdfgh"),
            (("-owner",), "abecdfgh"),
        ):
            self.assertEqual(expected, self.order(*sorts), repr(sorts))
            self.assertEqual(
                expected, self.order(*sorts, scope=samples.ADMIN), repr(sorts)
            )
        self.assertNotIn("\t\n", dict(self.facets("x")))

    def test_s6_orders_of_properties(self) -> None:
        self.put(
            resource("a", fields={"properties.x": (10,)}),
            resource("b", fields={"properties.x": ("9",)}),
            resource("c", fields={"properties.x": ("tall",)}),
            resource("d"),
            resource("e", fields={"properties.x": (1, 11)}),
            resource("f", fields={"outputs.x": ("low",)}),
        )
        self.assertEqual("ebafcd", self.order("x"))
        self.assertEqual("cfeabd", self.order("-x"))
        self.assertEqual("ebacdf", self.order("properties.x"))

    def test_s3_orders_do_not_tell_of_admin_fields(self) -> None:
        self.put(
            resource("a", admin={"admin.rank": (2,)}),
            resource("b", admin={"admin.rank": (1,)}),
        )
        self.assertEqual("ab", self.order("rank"))
        self.assertEqual("ba", self.order("rank", scope=samples.ADMIN))

    def test_s6_the_newest_come_first_where_nothing_is_ranked(self) -> None:
        self.put(
            resource("a", created_at=at(1)),
            resource("b", created_at=at(0), updated_at=at(7)),
            resource("c", created_at=at(5)),
            resource("d", created_at=None),
        )
        self.assertEqual(["b", "c", "a", "d"], self.ids())
        failed = nodes.Term("status", "COMPLETE")
        self.assertEqual(["b", "c", "a", "d"], self.ids(failed))

    def test_s6_hits_in_names_rank_first(self) -> None:
        self.put(
            resource("a", description="about a pump", path="x/a"),
            resource("b", name="pump", path="x/b"),
            resource("c", path="x/pump/c"),
            resource("d", tags=("pump",), path="x/d"),
            resource("e", path="x/e"),
        )
        self.assertEqual(["b", "c", "d", "a"], self.ids(words("pump")))
        prefix = words("pum", is_prefix=True)
        self.assertEqual(["b", "c", "d", "a"], self.ids(prefix))
        ranked = self.index.search(samples.query(words("pump"))).hits
        scores = [each.score for each in ranked]
        self.assertEqual(sorted(scores, reverse=True), scores)
        self.assertGreater(scores[0], scores[-1])
        by_score = (port.Sort("score", True),)
        self.assertEqual(
            ["b", "c", "d", "a"], self.ids(words("pump"), sort=by_score)
        )

    def test_what_is_offered_ranks_and_demands_nothing(self) -> None:
        self.put(
            resource("a", tags=("red",)),
            resource("b", tags=("red",), description="an old pump"),
            resource("c", tags=("red",), name="pump"),
            resource("d", name="pump"),
        )
        offered = nodes.Or((words("pump"), nodes.All()))
        for demanded in (words("red"), nodes.Term("tags", "red")):
            found = nodes.And((demanded, offered))
            self.assertEqual(["c", "b", "a"], self.ids(found))
            self.assertEqual(["c", "b", "a"], self.pages_of_one(found))

    def pages_of_one(self, node: nodes.Node) -> list[str]:
        return [
            each.partition("/")[2] for each in self.pages(1, node, sort=())
        ]

    def test_s6_admin_fields_add_to_no_users_score(self) -> None:
        self.put(
            resource("a", description="pump"),
            resource("b", description="pump", admin={"x.y": ("pump",)}),
        )
        hits = self.index.search(samples.query(words("pump"))).hits
        self.assertEqual(hits[0].score, hits[1].score)
        self.assertEqual(["a", "b"], self.ids(words("pump")))

    def pages(
        self, limit: int, node: nodes.Node, sort: tuple[port.Sort, ...]
    ) -> list[str]:
        found: list[str] = []
        after = None
        while True:
            answer = self.index.search(
                samples.query(node, limit=limit, after=after, sort=sort)
            )
            if not answer.hits:
                return found
            found += [each.document.id for each in answer.hits]
            after = answer.hits[-1].cursor

    def test_s6_pages_are_complete_without_doubles(self) -> None:
        self.put(
            *(
                resource(
                    letter,
                    tags=("even",) if number % 2 else ("odd", "seven"),
                    description="pump" if number % 3 else "pump pump",
                    updated_at=at(number // 4) if number % 5 else None,
                    fields={"properties.x": (number // 3,)}
                    if number % 7
                    else {},
                )
                for number, letter in enumerate(string.ascii_lowercase)
            )
        )
        whole = [f"resource/{each}" for each in string.ascii_lowercase]
        for sort in (
            (),
            (port.Sort("tags"),),
            (port.Sort("tags", True), port.Sort("x")),
            (port.Sort("updated_at", True),),
            (port.Sort("x"), port.Sort("updated_at", True)),
            (port.Sort("score", True), port.Sort("id", True)),
            (port.Sort("nothing"),),
        ):
            for node in (samples.ALL, words("pump")):
                at_once = self.pages(100, node, sort)
                self.assertEqual(whole, sorted(at_once))
                for limit in (1, 4):
                    paged = self.pages(limit, node, sort)
                    self.assertEqual(at_once, paged, repr(sort))

    def test_s6_pages_while_documents_change(self) -> None:
        def named(*names: str) -> list[object]:
            return [resource(each) for each in names]

        self.put(*named("b", "d", "f", "h"))  # type: ignore[arg-type]
        sort = (port.Sort("name"),)
        first = self.index.search(samples.query(limit=2, sort=sort))
        changed = named("a", "c", "d", "e", "f", "h")
        self.put(*changed, version=2)  # type: ignore[arg-type]
        rest = self.index.search(
            samples.query(limit=10, sort=sort, after=first.hits[-1].cursor)
        )

        self.assertEqual(["b", "d"], [x.document.name for x in first.hits])
        self.assertEqual(["e", "f", "h"], [x.document.name for x in rest.hits])

    def test_s6_offsets(self) -> None:
        self.put(*(resource(each) for each in "abcde"))
        found = self.index.search(
            samples.query(limit=2, offset=2, sort=(port.Sort("name"),))
        )
        self.assertEqual(5, found.total)
        self.assertEqual(["c", "d"], [x.document.name for x in found.hits])

    def test_a_cursor_of_something_else_is_refused(self) -> None:
        self.put(*(resource(each) for each in "abc"))
        sort = (port.Sort("name"),)
        found = self.index.search(samples.query(limit=1, sort=sort))
        cursor = found.hits[0].cursor
        for wrong in (
            samples.query(sort=(port.Sort("path"),), after=cursor),
            samples.query(words("a"), sort=sort, after=cursor),
            samples.query(sort=sort, after="nonsense"),
            samples.query(sort=sort, after=""),
            samples.query(sort=sort, after="\ud800é"),
            samples.query(sort=sort, after=cursor[:-5]),
            samples.query(sort=sort, after=cursor, kinds=frozenset({"stack"})),
        ):
            self.assertRaises(errors.Invalid, self.index.search, wrong)

    def test_forged_cursors_are_refused_or_answered(self) -> None:
        self.put(
            *(
                resource(each, updated_at=at(1), fields={"properties.x": (1,)})
                for each in "abc"
            )
        )
        deep: object = []
        for _ in range(200):
            deep = [deep]
        orders = (
            (samples.ALL, ()),
            (words("a"), ()),
            (samples.ALL, (port.Sort("name"),)),
            (samples.ALL, (port.Sort("x"),)),
            (samples.ALL, (port.Sort("-x", True), port.Sort("updated_at"))),
            (samples.ALL, (port.Sort("id"), port.Sort("tags"))),
        )
        for node, sort in orders:
            whole = samples.query(node, sort=sort)
            total = self.index.search(whole).total
            for keys in (
                *([], ["abc"], [True], [None], ["a\0b"], [deep], [{}], [5]),
                *([1e308], [-(2**63)], [2**64 - 1], ["9" * 2000], ["\\"]),
                *(["a", "b"], [1, 2], [None, None], ["a", 1, None], "abc"),
            ):
                position = cursors.Position(
                    typing.cast(typing.Any, keys), "resource/a"
                )
                cursor = cursors.encode_cursor(whole, position)
                told = samples.query(node, sort=sort, after=cursor)
                with self.subTest(sort=sort, keys=str(keys)[:40]):
                    try:
                        found = self.index.search(told)
                    except errors.Invalid as error:
                        self.assertIn("cursor", error.message)
                    else:
                        self.assertEqual(total, found.total)
            for wrong in ([], ["abc", "abc", "abc"], [True], "abc", [deep]):
                position = cursors.Position(
                    typing.cast(typing.Any, wrong), "resource/a"
                )
                told = samples.query(
                    node,
                    sort=sort,
                    after=cursors.encode_cursor(whole, position),
                )
                with self.subTest(sort=sort, wrong=str(wrong)[:40]):
                    self.assertRaises(errors.Invalid, self.index.search, told)

    def test_s6_facets(self) -> None:
        self.put(
            stack("s1", tags=("prod",), fields={"parameters.size": (5,)}),
            resource(
                "a",
                tags=("prod", "Blue"),
                status="FAILED",
                fields={
                    "properties.flavor": ("m1.large",),
                    "attributes.flavor": ("m1.large", "m1.huge"),
                },
            ),
            resource(
                "b",
                tags=("Blue",),
                fields={
                    "properties.flavor": ("m1.small",),
                    "properties.size": (5, 6.5, True),
                },
            ),
        )
        for field, expected in (
            ("status", (("COMPLETE", 2), ("FAILED", 1))),
            ("tags", (("Blue", 2), ("prod", 2))),
            ("kind", (("resource", 2), ("stack", 1))),
            ("flavor", (("m1.huge", 1), ("m1.large", 1), ("m1.small", 1))),
            ("attributes.flavor", (("m1.huge", 1), ("m1.large", 1))),
            ("size", (("5", 2), ("6.5", 1), ("true", 1))),
            ("name", (("a", 1), ("b", 1), ("s1", 1))),
            ("project_id", (("p1", 3),)),
            ("nothing", ()),
            ("texts.template", ()),
        ):
            self.assertEqual(expected, self.facets(field), field)
        self.assertEqual((("Blue", 2),), self.facets("tags", size=1))
        failed = nodes.Term("status", "failed")
        self.assertEqual(
            (("Blue", 1), ("prod", 1)), self.facets("tags", node=failed)
        )
        self.assertEqual((), self.facets("tags", node=words("absent")))

    def test_s6_facets_show_numbers_as_they_are_asked_for(self) -> None:
        shown = {
            1e-07: "1e-07",
            1.234e-05: "1.234e-05",
            0.0001: "0.0001",
            1e16: "1e+16",
            1e300: "1e+300",
            -2.5e-10: "-2.5e-10",
            1e15: "1000000000000000.0",
            1234567890123456.5: "1234567890123456.5",
            123456789012345.0: "123456789012345",
            10**17: "100000000000000000",
            -0.0: "0",
            6.5: "6.5",
        }
        self.put(
            *(
                resource(f"n{number}", fields={"properties.x": (value,)})
                for number, value in enumerate(shown)
            ),
            resource("five", fields={"properties.x": (5, 5.0, "5")}),
        )

        wanted = [*shown.values(), "5"]
        self.assertEqual(
            tuple((each, 1) for each in sorted(wanted)),
            self.facets("x", size=100),
        )
        for number, text in enumerate(shown.values()):
            found = self.ids(nodes.Term("x", text))
            self.assertEqual([f"n{number}"], found, text)
            self.assertEqual(
                ((text, 1),), self.facets("x", node=nodes.Term("x", text))
            )

    def test_s3_facets_tell_of_nothing_else(self) -> None:
        hidden = resource("h", is_hidden=True, tags=("secret",))
        self.put(resource("a", admin={"admin.host": ("canary",)}), hidden)
        other = resource("b", project_id="p2", tags=("theirs",))
        self.index.put([stacked(other, stack_id="s2")])

        self.assertEqual((), self.facets("host"))
        self.assertEqual((), self.facets("admin.host"))
        self.assertEqual((), self.facets("tags"))
        self.assertEqual((("p1", 1),), self.facets("project_id"))
        admin = samples.ADMIN
        self.assertEqual((("canary", 1),), self.facets("host", admin))
        self.assertEqual(
            (("secret", 1), ("theirs", 1)), self.facets("tags", admin)
        )

    def test_s6_statistics(self) -> None:
        self.put(
            resource("a", fields={"properties.size": (1, 2)}),
            resource("b", fields={"properties.size": ("4.5", "L")}),
            resource("c", updated_at=at(8), admin={"admin.size": (100,)}),
        )
        wanted = ("size", "updated_at", "nothing", "name")
        found = self.index.search(
            samples.query(limit=0, statistics=wanted)
        ).statistics

        self.assertEqual(port.Statistics(3, 1.0, 4.5, 7.5), found["size"])
        self.assertEqual(2.5, found["size"].mean)
        self.assertEqual(
            port.Statistics(1, at(8), at(8), at(8)), found["updated_at"]
        )
        for field in ("nothing", "name"):
            self.assertEqual(port.Statistics(0, None, None, 0.0), found[field])
        admin = self.index.search(
            samples.query(scope=samples.ADMIN, limit=0, statistics=("size",))
        ).statistics
        self.assertEqual(port.Statistics(4, 1.0, 100.0, 107.5), admin["size"])

    def test_statistics_count_each_entry_of_a_list(self) -> None:
        self.put(
            resource("a", fields={"properties.size": (5, 5, "5", 7.5)}),
            resource("b", fields={"properties.size": (5, 5)}),
            resource("c", fields={"outputs.size": ("2 ", "2 ", 5)}),
            resource("d", fields={"properties.size": ("L", "L", True, True)}),
            resource("e", admin={"admin.size": (100, 100, 100)}),
        )
        asked = samples.query(limit=0, statistics=("size", "outputs.size"))
        found = self.index.search(asked).statistics

        self.assertEqual(port.Statistics(9, 2.0, 7.5, 41.5), found["size"])
        self.assertEqual(
            port.Statistics(3, 2.0, 5.0, 9.0), found["outputs.size"]
        )
        admin = samples.query(
            scope=samples.ADMIN, limit=0, statistics=("size",)
        )
        self.assertEqual(
            port.Statistics(12, 2.0, 100.0, 341.5),
            self.index.search(admin).statistics["size"],
        )
        self.assertEqual(
            (("5", 3), ("2 ", 1), ("7.5", 1), ("L", 1), ("true", 1)),
            self.facets("size"),
        )
        self.assertNotIn(
            "\0", "".join(self.index.fields(samples.ADMIN, frozenset()))
        )

        self.put(resource("b", fields={"properties.size": (5, 7)}), version=2)
        left = self.index.search(asked).statistics
        self.assertEqual(port.Statistics(2, 5.0, 7.0, 12.0), left["size"])
