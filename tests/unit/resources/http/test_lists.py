"""What a service lists of many resources, and what is then read of each."""

import dataclasses
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.http import lists
from tests.unit.resources.http import http_case

READY = {"pointer": "/status", "value": "up"}
Json = dict[str, typing.Any]


class ListTestCase(http_case.HttpTestCase):
    """Three resources of a service, in one list."""

    properties: typing.ClassVar[Json] = {}

    def setUp(self) -> None:
        super().setUp()
        self.entries: list[Json] = [
            {"id": f"t{number}", "name": "n", "more": number}
            for number in range(3)
        ]
        self.answers["GET", "/things"] = 200, self.entries
        self.contexts = [self.listed(f"t{number}") for number in range(3)]

    def listed(self, identifier: str, **more: object) -> call_context.Context:
        given = {"read": {}, "list": {}, **self.properties, **more}
        return self.make(identifier, **given)

    def requested_paths(self) -> list[str]:
        return [each.path for each in self.service.requests]

    def inspect_all(self) -> list[call_context.Inspection | None]:
        return list(self.plugin.inspect_all(self.contexts) or ())


class ListTest(ListTestCase):
    """A list that says what a read of each would."""

    def test_one_request_shows_all(self) -> None:
        found = self.inspect_all()

        self.assertEqual(["/things"], self.requested_paths())
        for number, entry in enumerate(self.entries):
            self.answers["GET", f"/things/t{number}"] = 200, entry
        self.assertEqual(
            [self.plugin.inspect(each) for each in self.contexts], found
        )

    def test_the_observer_reads_the_same_list(self) -> None:
        found = self.plugin.observe(self.contexts)

        self.assertEqual(["/things"], self.requested_paths())
        self.assertEqual([{"create": http_case.CREATE}] * 3, found)

    def test_it_is_asked_for_as_each_would_be(self) -> None:
        read = {"headers": {"X-Scope": "mine"}}
        self.contexts = [
            self.listed(each, headers={"X-User": "me"}, read=read)
            for each in ("t0", "t1")
        ]

        self.inspect_all()

        headers = self.service.requests[0].headers
        self.assertEqual(
            ("mine", "me", "no-cache"),
            tuple(
                headers[name]
                for name in ("x-scope", "x-user", "cache-control")
            ),
        )

    def test_pages_are_read_until_all_is_found(self) -> None:
        self.entries[:] = [{"id": "t9", "name": "n"}]
        places = {"pointer": "/in", "next_pointer": "/next"}
        self.contexts = [
            self.listed(each, list=places) for each in ("t0", "t1", "t2")
        ]
        for path, listed, following in (
            ("/things", ("t9", "t0"), "/v1/things?page=2"),
            ("/things?page=2", ("t1", "t2"), f"{self.service.url}/things?3"),
        ):
            entries = [{"id": each, "name": "n"} for each in listed]
            self.answers["GET", path] = (
                200,
                {"in": entries, "next": following},
            )

        self.assertNotIn(None, self.inspect_all())
        self.assertEqual(["/things", "/things?page=2"], self.requested_paths())

    def test_what_has_no_list_in_common_is_not_listed(self) -> None:
        for contexts in (
            self.contexts[:1],
            [self.make("t0", read={}), self.make("t1", read={})],
            [self.listed("t0"), self.listed("t1", headers={"X-As": "other"})],
            [
                self.listed(each, list={"path": "/of/{id}"})
                for each in ("t0", "t1")
            ],
        ):
            self.assertIsNone(self.plugin.inspect_all(contexts))
            self.assertIsNone(self.plugin.observe(contexts))
        self.assertEqual([], self.requested_paths())

    def test_wrong_pointers_and_forbidden_paths_are_refused(self) -> None:
        for listed in (
            {"pointer": "things"},
            {"id_pointer": "id"},
            {"next_pointer": "next"},
            {"path": "../other"},
        ):
            context = self.listed("t0", list=listed)
            error = self.assertRaises(
                errors.Invalid, self.plugin.validate, context.properties
            )
            self.assertRegex(error.message, "JSON pointer|'..' step")


class LyingListTest(ListTestCase):
    """A list that lies: whatever is in doubt is read by itself."""

    properties: typing.ClassVar[Json] = {
        "create": {"path": "/things", "body": {"name": "n", "at": {"x": 1}}},
        "ready": READY,
    }

    def setUp(self) -> None:
        super().setUp()
        for each in self.entries:
            each.update(at={"x": 1}, status="up")

    def check_doubted(self, *doubted: int, is_state: bool = False) -> None:
        """Some are in doubt, and only they.

        :param is_state: it is whether they are usable that is in doubt
        """
        found = self.inspect_all()
        observed = self.plugin.observe(self.contexts)

        self.assertEqual(
            list(doubted), [n for n, each in enumerate(found) if not each]
        )
        self.assertEqual(
            [] if is_state else list(doubted),
            [
                number
                for number, each in enumerate(observed or ())
                if each is reality.UNLISTED
            ],
        )

    def test_what_it_does_not_lie_about_is_not_in_doubt(self) -> None:
        self.check_doubted()

    def test_half_a_list(self) -> None:
        del self.entries[1:]

        self.check_doubted(1, 2)

    def test_half_an_entry(self) -> None:
        del self.entries[0]["name"]
        self.entries[1]["at"] = {}
        self.entries[2]["at"] = None

        self.check_doubted(0, 1, 2)

    def test_an_entry_without_its_state(self) -> None:
        del self.entries[0]["status"]
        self.entries[1]["status"] = "down"

        self.check_doubted(0, 1, is_state=True)

    def test_a_state_that_another_request_shows_is_not_listed(self) -> None:
        ready = {**READY, "path": "/things/{id}/state"}
        self.contexts = [
            self.listed(f"t{number}", ready=ready) for number in range(3)
        ]

        self.check_doubted(0, 1, 2, is_state=True)

        self.assertEqual({"/things"}, set(self.requested_paths()))

    def test_an_old_entry(self) -> None:
        self.entries[0]["name"] = "of yesterday"

        self.check_doubted(0)

    def test_two_entries_that_differ(self) -> None:
        self.entries.append({**self.entries[0], "name": "other"})

        self.check_doubted(0)

    def test_entries_of_others(self) -> None:
        self.entries[0]["id"] = "t0 of another"
        self.entries.append(typing.cast(Json, None))
        self.entries.append({"name": "n"})

        self.check_doubted(0)

    def test_no_list_at_all(self) -> None:
        for answer in (
            (200, {"things": self.entries}),
            (200, "no JSON"),
            (200, None),
            (404, None),
            (403, {"error": "not yours"}),
            (500, None),
            (0, None),
            (200, [*self.entries, "x" * 2 * 1024 * 1024]),
        ):
            self.answers["GET", "/things"] = answer

            self.check_doubted(0, 1, 2)

    def test_a_next_page_elsewhere_is_not_read(self) -> None:
        self.listed_in_pages("http://127.0.0.2:1/v1/things")
        self.check_doubted(1, 2)

        self.listed_in_pages("/elsewhere")
        self.check_doubted(1, 2)

    def test_pages_that_go_in_a_circle_end(self) -> None:
        self.listed_in_pages("/v1/things")
        self.service.requests.clear()

        self.inspect_all()

        self.assertEqual(["/things"], self.requested_paths())

    def test_no_more_pages_than_resources_are_read(self) -> None:
        self.listed_in_pages("/v1/things?1")
        for number in range(1, 9):
            self.answers["GET", f"/things?{number}"] = (
                200,
                {"in": [], "next": f"?{number + 1}"},
            )
        self.service.requests.clear()

        self.inspect_all()

        self.assertEqual(
            ["/things", "/things?1", "/things?2"], self.requested_paths()
        )

    def test_where_time_is_up_no_list_is_begun(self) -> None:
        self.patch(lists, "_LIMIT_S", 0.0)

        self.check_doubted(0, 1, 2)

        self.assertEqual([], self.requested_paths())

    def listed_in_pages(self, following: str) -> None:
        """Show the first alone in the first page."""
        places = {"pointer": "/in", "next_pointer": "/next"}
        self.contexts = [
            self.listed(f"t{number}", list=places) for number in range(3)
        ]
        page = {"in": self.entries[:1], "next": following}
        self.answers["GET", "/things"] = 200, page

    def test_what_was_known_last_is_what_is_listed(self) -> None:
        self.entries[0]["name"] = "accepted"
        live = {**self.properties["create"]}
        live["body"] = {**live["body"], "name": "accepted"}
        self.contexts[0] = dataclasses.replace(
            self.contexts[0],
            baseline=self.plugin.get_reality(self.shown(live["body"])) or {},
        )

        observed = self.plugin.observe(self.contexts)

        assert observed is not None
        found = typing.cast(Json, observed[0])
        self.assertEqual("accepted", found["create"]["body"]["name"])

    def shown(self, body: Json) -> call_context.Context:
        """Return the first, which its service shows with a body."""
        self.answers["GET", "/things/t0"] = 200, body
        return self.contexts[0]
