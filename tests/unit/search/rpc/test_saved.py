"""Searches that are saved under names."""

import typing

from orch import errors
from orch.context import request as context_request
from orch.rpc import contract
from orch.rpc.contract import saved_searches
from orch.search.rpc import saved
from tests import base
from tests.support import searching


def _caller(
    user: str | None = "ann", project: str = "p1"
) -> context_request.RequestContext:
    return context_request.RequestContext(project_id=project, user_id=user)


class SavedSearchesTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.store = searching.SavedStore()
        self.clock = searching.Clock()
        self.searches = saved.SavedSearches(self.store, self.clock)

    def save(
        self,
        name: str = "failed",
        q: str = "status:failed",
        caller: context_request.RequestContext | None = None,
        *,
        is_new: bool = False,
        is_shared: bool = False,
        description: str = "",
    ) -> contract.SavedSearchFacts:
        return self.searches.save(
            caller or _caller(),
            {
                "name": name,
                "is_shared": is_shared,
                "description": description,
                "search": {"q": q},
            },
            is_new=is_new,
        )

    def find(
        self, name: str, caller: context_request.RequestContext
    ) -> typing.Any:
        return self.searches.find(caller, name)["search"]["q"]

    def test_one_that_was_saved_is_found(self) -> None:
        facts = self.save(description="what failed")

        self.assertEqual(facts, self.searches.find(_caller(), "failed"))
        self.assertEqual(
            {
                "name": "failed",
                "is_shared": False,
                "description": "what failed",
                "search": {"q": "status:failed"},
                "saved_by": "ann",
                "saved_at": self.clock.now(),
            },
            facts,
        )

    def test_it_is_of_a_user_in_a_project(self) -> None:
        self.save()

        for other in (
            _caller("bob"),
            _caller(None),
            _caller(project="p2"),
        ):
            self.assertEqual([], self.searches.list(other))
            self.assertRaises(
                errors.NotFound, self.searches.find, other, "failed"
            )

    def test_one_that_is_shared_is_of_the_project(self) -> None:
        self.save(is_shared=True)

        self.assertEqual("status:failed", self.find("failed", _caller("bob")))
        self.assertEqual("status:failed", self.find("failed", _caller(None)))
        self.assertRaises(
            errors.NotFound, self.find, "failed", _caller(project="p2")
        )

    def test_ones_own_comes_before_that_of_the_project(self) -> None:
        self.save(q="shared", is_shared=True)
        self.save(q="own")
        self.save("all", q="", is_shared=True)

        self.assertEqual("own", self.find("failed", _caller()))
        self.assertEqual("shared", self.find("failed", _caller("bob")))
        self.assertEqual(
            [("all", True), ("failed", False), ("failed", True)],
            [
                (each["name"], each["is_shared"])
                for each in self.searches.list(_caller())
            ],
        )

    def test_a_name_in_use_is_replaced_or_refused(self) -> None:
        self.save(q="one", is_new=True)

        self.assertRaises(errors.Conflict, self.save, is_new=True)
        self.assertEqual("one", self.find("failed", _caller()))
        self.save(q="two")
        self.assertEqual("two", self.find("failed", _caller()))

    def test_one_that_is_forgotten_is_gone(self) -> None:
        self.save(q="shared", is_shared=True)
        self.save(q="own")

        self.searches.forget(_caller(), "failed", is_shared=False)
        self.assertEqual("shared", self.find("failed", _caller()))
        self.assertRaises(
            errors.NotFound,
            self.searches.forget,
            _caller(),
            "failed",
            is_shared=False,
        )
        self.searches.forget(_caller("bob"), "failed", is_shared=True)
        self.assertEqual([], self.searches.list(_caller()))

    def test_there_are_so_many_and_no_more(self) -> None:
        for number in range(saved_searches.MAX_SEARCHES):
            self.save(f"s{number}")

        error = self.assertRaises(errors.LimitExceeded, self.save, "more")
        self.assertIn("There are 100 saved searches", error.message)
        self.save("s1", q="replaced")
        self.save("more", is_shared=True)
        self.save("more", caller=_caller("bob"))
        self.searches.forget(_caller(), "s1", is_shared=False)
        self.save("more")

    def test_one_that_is_too_large_is_refused(self) -> None:
        most = saved_searches.MAX_SEARCH_BYTES - len('{"q":""}')
        self.save(q="x" * most)

        self.assertRaises(errors.LimitExceeded, self.save, q="x" * (most + 1))
        self.assertRaises(
            errors.LimitExceeded, self.save, description="x" * 256
        )

    def test_names_are_words(self) -> None:
        self.save("1.a_b-C" + "x" * 93)

        for name in ("", "-a", "a/b", "a b", "ä", "x" * 101, "a\n"):
            error = self.assertRaises(errors.Invalid, self.save, name)
            self.assertEqual("name", error.problems[0].path)

    def test_none_is_lost_where_another_process_writes(self) -> None:
        self.store.before_write.append(lambda: self.save("theirs"))

        self.save("ours")

        self.assertEqual(
            ["ours", "theirs"],
            [each["name"] for each in self.searches.list(_caller())],
        )
        self.store.before_write.append(lambda: self.save("new"))
        self.assertRaises(errors.Conflict, self.save, "new", is_new=True)
