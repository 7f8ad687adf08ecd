"""Many physical resources are adopted by lists; what a list hides is read."""

import typing

from tests.functional import scoping
from tests.support import rest
from tests.unit.resources.http import service

Json = scoping.Json

COUNT = 60
PAGE = 20
BODY = {"name": "n", "size": 1}


class ListsTestCase(scoping.ScopesTestCase):
    """A service that keeps sixty things, and shows them in pages."""

    def setUp(self) -> None:
        super().setUp()
        self.things = {f"t{n}": {**BODY} for n in range(COUNT)}
        self.entries = {
            name: {"id": name, **thing} for name, thing in self.things.items()
        }

    def adopt_all(self, *names: str, **body: object) -> rest.Stack:
        """Adopt things, all by default; return once that has ended."""
        for name, thing in self.things.items():
            self.one.answers["GET", f"/things/{name}"] = 200, thing
        self.serve_pages(self.one)
        declared = self.declare(
            self.one.url,
            create={"path": "/things", "body": BODY},
            list={"pointer": "/things", "next_pointer": "/next"},
            delete={"path": "/gone/{id}"},
        )
        names = names or tuple(self.things)
        self.one.requests.clear()
        return self.adopt(
            scoping.template(**dict.fromkeys(names, declared)),
            {name: name for name in names},
            **body,
        )

    def serve_pages(self, of: service.Service) -> None:
        entries = list(self.entries.values())
        for begin in range(0, max(len(entries), 1), PAGE):
            end = begin + PAGE
            path = f"/things?from={begin}" if begin else "/things"
            following = f"?from={end}" if end < len(entries) else None
            page = {"things": entries[begin:end], "next": following}
            of.answers["GET", path] = 200, page

    def reads(self) -> tuple[int, set[str]]:
        """Return how many pages were read, and what was read by itself."""
        paths = [each.path for each in self.one.requests]
        single = [each for each in paths if each.startswith("/things/")]
        self.assertEqual(len(single), len(set(single)))
        names = {each.removeprefix("/things/") for each in single}
        return len(paths) - len(single), names

    def reasons(self, stack: rest.Stack) -> dict[str, str]:
        """Return what is said of resources of which anything is said."""
        rows = self.client.resources(stack)
        return {
            name: str(row["resource_status_reason"])
            for name, row in rows.items()
            if "although" in str(row["resource_status_reason"])
        }

    def check(self, reasons: typing.Mapping[str, str], *single: str) -> None:
        """Adopt all; some are read by themselves, as few pages as there are.

        :param reasons: parts of what is said of resources, by name
        """
        stack = self.adopt_all()
        self.client.wait(stack, "ADOPT_COMPLETE")

        pages, read = self.reads()
        self.assertEqual(set(single), read)
        self.assertLessEqual(pages, -(-len(self.entries) // PAGE) or 1)
        found = self.reasons(stack)
        self.assertEqual(set(reasons), set(found))
        for name, reason in reasons.items():
            self.assertIn(reason, found[name])


class CallsTests(ListsTestCase):
    def test_many_take_a_request_a_page(self) -> None:
        self.check({})

    def test_what_no_list_shows_is_read_by_itself(self) -> None:
        for name in ("t3", "t33", "t59"):
            del self.entries[name]

        self.check({}, "t3", "t33", "t59")

    def test_one_alone_is_read(self) -> None:
        stack = self.adopt_all("t7")

        self.client.wait(stack, "ADOPT_COMPLETE")
        self.assertEqual((0, {"t7"}), self.reads())


class LyingTests(ListsTestCase):
    """What a read of a thing would not confirm, no list confirms."""

    def test_what_is_gone_is_in_no_list(self) -> None:
        del self.entries["t1"], self.things["t1"]

        stack = self.adopt_all(*(f"t{n}" for n in range(COUNT)))
        self.client.wait(stack, "ADOPT_COMPLETE")

        self.assertEqual({"t1"}, self.reads()[1])
        self.assertIn("404", self.reasons(stack)["t1"])

    def test_half_an_entry_hides_a_difference(self) -> None:
        self.things["t2"]["size"] = 2
        del self.entries["t2"]["size"]

        self.check({"t2": "differs from its template in create"}, "t2")

    def test_a_list_that_is_behind_tells_of_no_difference(self) -> None:
        self.entries["t2"]["size"] = 2

        self.check({}, "t2")

    def test_a_difference_that_is_listed_is_read_and_told(self) -> None:
        self.things["t2"]["size"] = self.entries["t2"]["size"] = 2

        self.check({"t2": "differs from its template in create"}, "t2")

    def test_entries_of_others_are_nobodys(self) -> None:
        self.entries["t4"]["id"] = "another"

        self.check({}, "t4")

    def test_a_list_that_fails_is_as_none(self) -> None:
        for number, answer in enumerate(
            ((500, None), (403, None), (200, "no JSON"), (200, {"things": 1}))
        ):
            self.patch(
                self,
                "serve_pages",
                lambda of, answer=answer: of.answers.update(
                    {("GET", "/things"): answer}
                ),
            )

            stack = self.adopt_all(name=f"-{number}")
            self.client.wait(stack, "ADOPT_COMPLETE")

            self.assertEqual((1, set(self.things)), self.reads())
            self.assertEqual({}, self.reasons(stack))
            self.delete(self.client, stack)

    def test_where_a_difference_is_refused_no_list_is_believed(self) -> None:
        self.things["t2"]["size"] = 2

        stack = self.adopt_all(adopt_verify="refuse")
        self.client.wait(stack, "ADOPT_FAILED")

        self.assertEqual(0, self.reads()[0])
        reason = self.client.resources(stack)["t2"]["resource_status_reason"]
        self.assertIn("differs from its template in create", str(reason))
