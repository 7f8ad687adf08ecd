"""What appeared, went and changed between two moments, on SQLite."""

import pathlib
import typing

import fixtures

from orch import clock
from orch import errors
from orch.context import request as context_request
from orch.rpc import contract
from orch.search.index.sqlite import index as sqlite_index
from orch.search.indexing import full_scan_state
from orch.search.rpc import differences
from orch.search.rpc import endpoints
from tests import base
from tests.contract.search import samples
from tests.support import searching

_SCOPE: contract.SearchScope = {"project_ids": None, "is_admin": True}


class DifferencesTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self.index = sqlite_index.SQLiteIndex(directory / "search.db")
        self.addCleanup(self.index.close)
        self.index.prepare()
        self.clock = searching.Clock()
        self.endpoint = endpoints.Search(
            self.index, searching.SavedStore(), self.clock, lambda: None
        )
        self.first = self.begin()

    def begin(self) -> float:
        """Return the moment before the next change."""
        self.clock.pass_(10)
        return self.clock.now()

    def put(self, *names: str, **values: object) -> None:
        """Let a stack have resources of these names."""
        self.clock.pass_(10)
        now = self.clock.now()
        self.index.put(
            [
                samples.stacked(
                    *(
                        samples.resource(each, path=f"web/{each}", **values)
                        for each in names
                    ),
                    version=int(now),
                    read_at=now - samples.at(0),
                )
            ]
        )
        self.clock.pass_(10)

    def ask(self, **request: object) -> contract.DifferencesFacts:
        return self.endpoint.differences(
            context_request.RequestContext(),
            typing.cast(contract.DifferencesRequest, request),
            _SCOPE,
        )

    def find(
        self, as_of: float, **more: object
    ) -> list[tuple[str, str, list[str]]]:
        """Return all differences, answer by answer."""
        found: list[tuple[str, str, list[str]]] = []
        request: dict[str, object] = {"as_of": as_of, **more}
        while True:
            answer = self.ask(**request)
            for each in answer["differences"]:
                facts = each["after"] or each["before"]
                assert facts is not None
                found.append((each["change"], facts["path"], each["fields"]))
            if answer["next"] is None:
                return found
            request["cursor"] = answer["next"]

    def test_what_appeared_went_and_changed_is_found(self) -> None:
        self.put("a", "b", "c", reason="before")
        second = self.begin()
        self.put("b", reason="before")
        self.put("b", "d", reason="after")
        third = self.begin()
        self.put("d", "e", reason="after")

        self.assertEqual(
            [
                ("gone", "web/a", []),
                ("gone", "web/b", []),
                ("gone", "web/c", []),
                ("appeared", "web/d", []),
                ("appeared", "web/e", []),
            ],
            self.find(second),
        )
        self.assertEqual(
            [
                ("gone", "web/a", []),
                ("changed", "web/b", ["reason"]),
                ("gone", "web/c", []),
                ("appeared", "web/d", []),
            ],
            self.find(second, as_of_other=third),
        )
        self.assertEqual(
            [("appeared", f"web/{each}", []) for each in "de"],
            self.find(self.first),
        )
        self.assertEqual([], self.find(self.clock.now()))

    def test_fields_that_changed_are_named(self) -> None:
        fields = {"properties.size": (5,), "properties.gone": ("x",)}
        self.put("a", fields=fields, texts={"template": "x"})
        second = self.begin()
        self.put(
            "a", fields={"properties.size": (6,)}, texts={"template": "y"}
        )

        self.assertEqual(
            [
                (
                    "changed",
                    "web/a",
                    ["properties.gone", "properties.size", "texts.template"],
                )
            ],
            self.find(second),
        )
        (found,) = self.ask(as_of=second)["differences"]
        assert found["before"] is not None and found["after"] is not None
        self.assertEqual(
            [5], list(found["before"]["fields"]["properties.size"])
        )
        self.assertEqual({}, found["after"]["texts"])

    def test_a_query_narrows_it_at_both_moments(self) -> None:
        self.put("a", "b", status="FAILED")
        second = self.begin()
        self.put("a", "b", "c", status="COMPLETE")

        self.assertEqual(
            [("gone", "web/a", []), ("gone", "web/b", [])],
            self.find(second, q="status:failed"),
        )
        self.assertEqual([], self.find(second, kinds=["stack"]))

    def test_many_come_answer_by_answer(self) -> None:
        for name, value in (("MAX_READ", 3), ("_PAGE", 2)):
            self.useFixture(
                fixtures.MonkeyPatch(
                    f"orch.search.rpc.differences.{name}", value
                )
            )
        names = [f"n{number:02}" for number in range(11)]
        self.put(*names)
        second = self.begin()
        self.put(*names[:5], "n05b", *names[6:], "z")

        self.assertEqual(
            [
                ("gone", "web/n05", []),
                ("appeared", "web/n05b", []),
                ("appeared", "web/z", []),
            ],
            self.find(second),
        )
        self.assertEqual(3, differences.MAX_READ)

    def test_it_is_complete_since_history_is_known(self) -> None:
        self.put("a")
        self.assertFalse(self.ask(as_of=self.first)["is_complete"])
        full_scan_state.finish_scan(
            self.index,
            full_scan_state.FullScan(full_scan_state.FILL),
            clock.Timestamp(self.clock.now() - 5),
        )
        self.assertFalse(self.ask(as_of=self.first)["is_complete"])
        self.assertTrue(self.ask(as_of=self.clock.now())["is_complete"])

    def test_nonsense_is_refused(self) -> None:
        for request in (
            {},
            {"as_of": "x"},
            {"as_of": 1.0, "as_of_other": float("nan")},
            {"as_of": 1.0, "limit": 5},
            {"as_of": 1.0, "cursor": "nonsense"},
            {"as_of": 1.0, "cursor": "MQ=="},
            {"as_of": 1.0, "cursor": "WyJ4IiwgIngiXQ=="},
            {"as_of": 1.0, "q": "("},
        ):
            self.assertRaises(errors.Invalid, lambda r=request: self.ask(**r))
