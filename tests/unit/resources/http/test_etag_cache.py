"""Answers that are not sent again while they are the same."""

import dataclasses
import typing

from orch import clock
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.http import client
from orch.resources.http import etag_cache
from orch.resources.http import resource
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.http import service

KIND = resource.HttpResource


class Tagging(service.Service):
    """Gives its one thing an ``ETag``, and heeds it.

    :ivar label: of the thing; the tag is another one with each
    :ivar more: behind the label, and not in the tag
    """

    def __init__(self) -> None:
        super().__init__()
        self.label = "one"
        self.is_tagging = True
        self.more = ""

    def find_answer(
        self, method: str, path: str, body: object
    ) -> tuple[int, object]:
        tag = f'"{self.label}"'
        self.headers = {"ETag": tag} if self.is_tagging else {}
        if self.requests[-1].headers.get("if-none-match") == tag:
            return 304, None
        return 200, {"id": "t", "label": f"{self.label}{self.more}"}

    def conditions(self) -> list[str | None]:
        """Return what each request had for ``If-None-Match``."""
        return [each.headers.get("if-none-match") for each in self.requests]


class KnownTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(Tagging())
        self.plugin = KIND(contexts.options())

    def context(
        self, token: str = "", **given: typing.Any
    ) -> call_context.Context:
        found = contexts.make(
            KIND,
            physical_id="t",
            url=self.service.url,
            create={"path": "/things", "body": {"label": "one"}},
            **{"read": {}, **given},
        )
        return dataclasses.replace(found, token=token or found.token)

    def label(self, context: call_context.Context) -> object:
        found = self.plugin.get_reality(context)
        assert found is not None
        (body,) = (
            typing.cast(dict[str, typing.Any], each)["body"]
            for each in found.values()
        )
        return body["label"]

    def test_what_is_the_same_is_not_sent_again(self) -> None:
        found = [self.label(self.context()) for _ in range(3)]

        self.assertEqual(["one"] * 3, found)
        self.assertEqual([None, '"one"', '"one"'], self.service.conditions())

    def test_what_has_changed_is_seen_and_known_from_then_on(self) -> None:
        self.label(self.context())
        self.service.label = "two"

        found = [self.label(self.context()) for _ in range(2)]

        self.assertEqual(["two", "two"], found)
        self.assertEqual([None, '"one"', '"two"'], self.service.conditions())

    def test_what_has_vanished_has_whatever_is_known(self) -> None:
        self.label(self.context())

        def nothing(*_: object) -> tuple[int, object]:
            return 404, None

        self.patch(self.service, "find_answer", nothing)

        self.assertRaises(
            reality.Vanished, self.plugin.get_reality, self.context()
        )

    def test_of_a_service_without_tags_nothing_is_kept(self) -> None:
        self.label(self.context())
        self.service.is_tagging = False
        self.service.label = "two"
        self.label(self.context())
        self.label(self.context())

        self.assertEqual([None, '"one"', None], self.service.conditions())

    def test_what_is_known_of_one_thing_is_told_to_no_other(self) -> None:
        self.label(self.context())
        self.label(self.context("another"))
        self.label(self.context(headers={"Authorization": "Bearer x"}))

        self.assertEqual([None] * 3, self.service.conditions())

    def test_what_is_known_from_before_an_action_is_not_used(self) -> None:
        self.label(self.context())
        self.service.more = ", changed within the grain of its tags"

        changed = dataclasses.replace(
            self.context(), started_at=clock.Timestamp(2000.0)
        )
        found = [self.label(changed) for _ in range(2)]

        self.assertEqual([f"one{self.service.more}"] * 2, found)
        self.assertEqual([None, None, '"one"'], self.service.conditions())

    def test_a_template_that_says_what_may_be_old_is_left_to_it(
        self,
    ) -> None:
        for name in ("Cache-Control", "If-Modified-Since"):
            self.service.requests.clear()
            context = self.context(read={"headers": {name: "no-cache"}})
            for _ in range(2):
                self.label(context)
            self.assertEqual([None, None], self.service.conditions())

    def test_that_nobody_asked_for_is_no_answer(self) -> None:
        def same(*_: object) -> tuple[int, object]:
            return 304, None

        self.patch(self.service, "find_answer", same)

        self.assertRaises(
            client.ServiceRefused, self.plugin.get_reality, self.context()
        )


class CapacityTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(Tagging())
        self.sender = client.Client(contexts.options())

    def read(
        self, known: etag_cache.EtagCache, path: str, header: str = ""
    ) -> None:
        known.read(
            client.Request(
                method="GET",
                url=f"{self.service.url}/{path}",
                headers={"X-Any": header},
            ),
            "whose",
            clock.Timestamp(0.0),
        )

    def test_what_was_used_least_lately_gives_way(self) -> None:
        self.service.more = "x" * 500
        known = etag_cache.EtagCache(self.sender, 1500)

        for path in ("a", "b", "a", "c", "a", "b"):
            self.read(known, path)

        self.assertEqual(
            [None, None, '"one"', None, '"one"', None],
            self.service.conditions(),
        )

    def test_what_answers_are_known_by_takes_room_too(self) -> None:
        known = etag_cache.EtagCache(self.sender, 1500)

        for path in ("a", "b", "a", "a", "b"):
            self.read(known, path, "x" * 1000)

        self.assertEqual(
            [None, None, None, '"one"', None], self.service.conditions()
        )

    def test_a_tag_that_is_too_long_is_not_sent_back(self) -> None:
        self.service.label = "x" * 300
        known = etag_cache.EtagCache(self.sender)

        for _ in range(2):
            self.read(known, "a")

        self.assertEqual([None, None], self.service.conditions())

    def test_an_answer_that_is_too_long_is_not_kept(self) -> None:
        self.service.more = "x" * etag_cache.MAX_CHARACTERS
        known = etag_cache.EtagCache(self.sender)

        for _ in range(2):
            self.read(known, "a")

        self.assertEqual([None, None], self.service.conditions())
