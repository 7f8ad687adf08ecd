"""What the search service tells of types, from an index on disk."""

import pathlib
import typing

import fixtures

from orch import errors
from orch.context import request as context_request
from orch.rpc import contract
from orch.search import document
from orch.search.index.sqlite import index
from orch.search.rpc import endpoints
from orch.search.rpc import facets
from tests import base
from tests.contract.search import samples
from tests.support import searching

_USER: typing.Final[contract.SearchScope] = {
    "project_ids": ["p1"],
    "is_admin": False,
}
_ALL: typing.Final[contract.SearchScope] = {
    "project_ids": None,
    "is_admin": True,
}
_SERVER: typing.Final = "OS::Nova::Server"
_STACK: typing.Final = "OS::Heat::Stack"


class FacetsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self.index = index.SQLiteIndex(directory / "search.db")
        self.addCleanup(self.index.close)
        self.endpoint = endpoints.Search(
            self.index,
            searching.SavedStore(),
            searching.Clock(),
            lambda: None,
        )

    def put_shop(self) -> None:
        """Put a stack of two servers and a network; one more elsewhere."""
        self.index.put(
            [
                samples.stacked(
                    samples.stack("s1", fields={"outputs.ip": ("::1",)}),
                    samples.resource("a", fields={"properties.size": (4,)}),
                    samples.resource("b", status="FAILED", owner="ann"),
                    samples.resource("n", type="OS::Neutron::Net"),
                ),
                samples.stacked(
                    samples.resource("x", stack_id="s2", project_id="p2"),
                    stack_id="s2",
                ),
            ]
        )

    def find(
        self,
        type_name: str | None = None,
        scope: contract.SearchScope = _USER,
        **more: object,
    ) -> dict[str, contract.TypeFacets]:
        request = {"type": type_name, "values": 10, "has_fields": True, **more}
        found = self.endpoint.facets(
            context_request.RequestContext(),
            request=typing.cast(contract.FacetsRequest, request),
            scope=scope,
        )
        return {each["type"]: each for each in found}

    def test_types_are_counted_the_most_frequent_first(self) -> None:
        self.put_shop()

        found = self.find()

        self.assertEqual(
            [(_SERVER, 2), (_STACK, 1), ("OS::Neutron::Net", 1)],
            [(name, each["count"]) for name, each in found.items()],
        )
        self.assertEqual(3, self.find(scope=_ALL)[_SERVER]["count"])

    def test_values_are_of_their_type(self) -> None:
        self.put_shop()

        found = self.find()[_SERVER]["options"]

        self.assertEqual(
            [
                {"value": "COMPLETE", "count": 1},
                {"value": "FAILED", "count": 1},
            ],
            found["status"],
        )
        self.assertEqual([{"value": "ann", "count": 1}], found["owner"])
        self.assertNotIn("project_id", found)
        self.assertEqual(
            [{"value": "p1", "count": 2}, {"value": "p2", "count": 1}],
            self.find(scope=_ALL)[_SERVER]["options"]["project_id"],
        )
        self.assertEqual(
            1, len(self.find(values=1)[_SERVER]["options"]["status"])
        )
        self.assertEqual({}, self.find(values=0)[_SERVER]["options"])

    def test_fields_are_those_of_the_type(self) -> None:
        self.put_shop()

        found = self.find()

        server = {each["name"]: each["type"] for each in _fields(found)}
        stack = {each["name"] for each in _fields(found, _STACK)}
        self.assertEqual("number", server["properties.size"])
        self.assertEqual("moment", server["created_at"])
        self.assertIn("outputs.ip", stack)
        self.assertNotIn("outputs.ip", server)
        self.assertNotIn("properties.size", stack)
        net = {each["name"] for each in _fields(found, "OS::Neutron::Net")}
        self.assertIn("created_at", net)
        self.assertNotIn("properties.size", net)
        self.assertEqual([], _fields(self.find(has_fields=False)))

    def test_fields_of_orphans_are_theirs(self) -> None:
        self.put_shop()
        stray = samples.resource(
            "o", kind=document.ORPHAN, fields={"orphan.seen_at": (7,)}
        )
        self.index.put([samples.stacked(stray, stack_id="orphans")])

        found = self.find("OS::Orch::Orphan", _ALL)

        names = {
            field["name"] for field in found["OS::Orch::Orphan"]["fields"]
        }
        self.assertIn("orphan.seen_at", names)
        self.assertNotIn("properties.size", names)

    def test_a_type_is_found_however_it_is_spelled(self) -> None:
        self.put_shop()

        found = self.find(_SERVER.lower())

        names = {field["name"] for field in found[_SERVER.lower()]["fields"]}
        self.assertIn("properties.size", names)

    def test_one_type_is_told_alone_or_not_at_all(self) -> None:
        self.put_shop()

        self.assertEqual([_SERVER], list(self.find(_SERVER)))
        self.assertEqual({}, self.find("OS::Cinder::Volume"))

    def test_however_many_fields_there_are_an_answer_has_a_bound(self) -> None:
        many = {
            f"attributes.key{number:05}": ("v",)
            for number in range(facets.MAX_FIELDS + 100)
        }
        self.index.put(
            [
                samples.stacked(
                    *(
                        samples.resource(
                            f"r{number}",
                            type=f"OS::Test::T{number:02}",
                            fields=many if number % 2 == 0 else {},
                        )
                        for number in range(30)
                    )
                )
            ]
        )

        every = self.find()
        one = self.find("OS::Test::T00")

        self.assertEqual(facets.MAX_TYPES, len(every))
        part = facets.MAX_FIELDS // facets.MAX_TYPES
        for number, each in enumerate(every.values()):
            names = [field["name"] for field in each["fields"]]
            self.assertEqual(number % 2 == 0, len(names) == part)
            self.assertGreaterEqual(part, len(names))
            self.assertEqual(sorted(names), names)
            # What all have is there, however many come before it by name.
            self.assertLess({"created_at", "path", "status"}, set(names))
        self.assertEqual(
            facets.MAX_FIELDS, len(one["OS::Test::T00"]["fields"])
        )

    def test_what_makes_no_sense_is_refused_by_its_place(self) -> None:
        for place, wrong in (
            ("values", {"values": -1}),
            ("values", {"values": 1001}),
            ("values", {"values": True}),
            ("has_fields", {"has_fields": "yes"}),
            ("type", {"type_name": 5}),
            ("more", {"more": 1}),
        ):
            with self.subTest(place=place, wrong=wrong):
                refused = self.assertRaises(
                    errors.Invalid,
                    self.find,
                    **wrong,  # type: ignore[arg-type]
                )
                self.assertEqual(place, refused.problems[0].path)


def _fields(
    found: dict[str, contract.TypeFacets], type_name: str = _SERVER
) -> list[contract.SearchField]:
    return found[type_name]["fields"]
