"""Which physical resources of a service surely bear a token."""

from orch import errors
from orch.resources.http import pointer
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.http import http_case

_MINE = contexts.TOKEN
_PATH = f"/things?tag={_MINE}"
_FIND = {"path": "/things?tag={token}"}


class FindAllTests(http_case.HttpTestCase):
    def found(self, listed: object, **properties: object) -> list[str]:
        """Return what is found in a list that the service shows."""
        self.answers["GET", _PATH] = (200, listed)
        context = self.make("7", **{"find": _FIND, **properties})
        return list(self.plugin.find_all(context))

    def test_all_that_shows_the_token_is_found(self) -> None:
        self.answers["GET", "/things/9"] = (200, {"tag": _MINE})
        self.answers["GET", "/things/10"] = (200, {"tag": "of another"})

        found = self.found(
            [{"id": "7"}, {"id": 8, "tag": _MINE}, {"id": "9"}, {"id": "10"}]
        )

        self.assertEqual(["7", "8", "9"], found)

    def test_the_list_may_be_anywhere_in_the_answer(self) -> None:
        find = {**_FIND, "id_pointer": "/data/0/meta/id"}
        listed = {"data": [{"meta": {"id": "8", "tag": _MINE}}]}

        self.assertEqual(["8"], self.found(listed, find=find))

    def test_answers_that_list_nothing_name_nothing(self) -> None:
        for listed in ({}, [], [None, 3, {"id": None}], 3, None):
            self.assertEqual([], self.found(listed), listed)

    def test_of_a_long_list_only_the_beginning_is_read(self) -> None:
        self.found([{"id": str(number)} for number in range(1000)])

        self.assertLess(len(self.service.requests), 50)

    def test_the_end_of_a_long_list_counts_where_it_shows_the_token(
        self,
    ) -> None:
        listed = [{"id": str(number)} for number in range(100, 200)]

        found = self.found([*listed, {"id": "8", "tag": _MINE}])

        self.assertEqual(["8"], found)

    def test_nothing_where_the_removal_names_no_id(self) -> None:
        listed = [{"id": "7"}, {"id": "8", "tag": _MINE}]

        found = self.found(listed, delete={"path": "/things?tag={token}"})

        self.assertEqual([], found)

    def test_nothing_without_a_list_by_token(self) -> None:
        self.assertEqual((), self.plugin.find_all(self.make("7")))
        single = {**_FIND, "id_pointer": "/id"}
        self.assertEqual([], self.found({"id": "8"}, find=single))

    def test_an_id_of_ours_bears_the_token(self) -> None:
        place = f"/things/{_MINE}"
        ours = {"path": "/things/{token}", "id": "{token}"}
        context = self.make(create={"method": "PUT", **ours})

        self.assertEqual((), self.plugin.find_all(context))
        self.answers["GET", place] = (200, {})
        self.assertEqual((_MINE,), self.plugin.find_all(context))

    def test_a_service_that_cannot_say_is_asked_again(self) -> None:
        self.answers["GET", _PATH] = (503, None)
        context = self.make("7", find=_FIND)

        self.assertRaises(errors.Transient, self.plugin.find_all, context)


class LimitTests(http_case.HttpTestCase):
    def test_the_timeouts_of_the_client_say_how_late_it_may_be(self) -> None:
        options = self.plugin.conf.http_resource

        self.assertGreater(
            self.plugin.late_effect_s(self.make()),
            options.connect_timeout + options.read_timeout,
        )

    def test_an_id_of_ours_or_a_key_makes_no_second_one(self) -> None:
        ours = {**http_case.CREATE, "method": "PUT", "id": "{token}"}
        keyed = {**http_case.CREATE, "is_idempotent": True}

        known = [
            self.plugin.creates_once(self.make(create=each))
            for each in (http_case.CREATE, ours, keyed)
        ]

        self.assertEqual([False, True, True], known)


class SplitTests(base.TestCase):
    def test_the_first_list_is_found(self) -> None:
        self.assertEqual(("", "/id"), pointer.split_list("/0/id"))
        self.assertEqual(("/a", "/b/0"), pointer.split_list("/a/0/b/0"))
        self.assertEqual(("/a", ""), pointer.split_list("/a/0"))
        self.assertIsNone(pointer.split_list("/a/id"))
        self.assertIsNone(pointer.split_list(""))
