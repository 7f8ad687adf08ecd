import json
import typing

import requests

from orchclient import errors
from orchclient import events
from orchclient import models
from tests import base
from tests.unit.orchclient import answering

Answer = answering.Answer

_STACK = models.StackIdentity("shop", answering.STACK_ID, "demo")
_GET = f"GET {answering.STACK}/events"
_SHOW = f"GET {answering.STACK}"
_BUSY = "CREATE_IN_PROGRESS"
_IDLE = "CREATE_COMPLETE"


def page(*found: answering.Json) -> Answer:
    return Answer({"events": list(found)})


def stream(
    *found: answering.Json | str, position: str | None = None
) -> Answer:
    """Return a stream of events, or of signs of life.

    :param position: told instead of the id of the event
    """
    parts = []
    for each in found:
        if isinstance(each, str):
            parts.append(f": {each}\n\n")
        else:
            where = position or each["id"]
            parts.append(f"id: {where}\ndata: {json.dumps(each)}\n\n")
    return Answer(
        "".join(parts).encode(),
        headers={"Content-Type": "text/event-stream; charset=utf-8"},
    )


def shown(status: str) -> Answer:
    return Answer(
        {
            "stack": {
                "stack_name": "shop",
                "stack_status": status,
                "links": [answering.link("self", answering.STACK)],
            }
        }
    )


class FollowTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.service = answering.Service()
        self.clock = answering.Clock()
        self.log = events.EventLog(answering.sender(self.service), self.clock)

    def lay(self, *answers: answering.Laid) -> None:
        """Let the service say this when it is asked for events."""
        self.service.lay(_GET, *answers)

    def follow(self, *statuses: str, **more: object) -> list[str]:
        """Return ids of events; the stack has one status after another."""
        self.service.lay(_SHOW, *map(shown, statuses))
        return [each.id for each in self.log.follow(_STACK, **more)]  # type: ignore[arg-type]

    def event_requests(self) -> list[answering.ReceivedRequest]:
        return [
            each for each in self.service.requests if "/events" in each.path
        ]

    def queries(self) -> list[str]:
        return [each.path.partition("?")[2] for each in self.event_requests()]

    def test_a_service_without_streams_is_asked_again(self) -> None:
        first, second = (answering.event(n, "CREATE_COMPLETE") for n in (1, 2))
        self.lay(
            # It does not know what to follow is.
            page(),
            *(page(first), page()),
            *(page(second), page()),
        )

        found = self.follow(_BUSY, _BUSY, _IDLE, until_idle=True)

        self.assertEqual(["e1", "e2"], found)
        self.assertEqual(
            [
                "follow=true&until=idle",
                "sort_dir=asc&limit=200",
                "sort_dir=asc&marker=e1&limit=200",
                "sort_dir=asc&marker=e1&limit=200",
                "sort_dir=asc&marker=e2&limit=200",
            ],
            self.queries(),
        )
        self.assertEqual([1.0], self.clock.slept)

    def test_a_stream_is_read_as_it_comes(self) -> None:
        first, second = (answering.event(n, "CREATE_COMPLETE") for n in (1, 2))
        self.lay(stream(first, "alive", second), page())

        found = self.follow(
            _BUSY, _IDLE, until_idle=True, nested_depth=3, after="e0"
        )

        self.assertEqual(["e1", "e2"], found)
        asked, _ = self.event_requests()
        self.assertEqual("e0", asked.headers["Last-Event-ID"])
        self.assertEqual("text/event-stream", asked.headers["Accept"])
        self.assertTrue(
            asked.path.endswith("?follow=true&nested_depth=3&until=idle")
        )

    def test_a_stream_that_ends_is_opened_again_where_it_was(self) -> None:
        one, two = (answering.event(n, "CREATE_IN_PROGRESS") for n in (1, 2))
        self.lay(stream(one, position="p-1"), stream(two), page())

        found = self.follow(_BUSY, _BUSY, _IDLE, until_idle=True)

        self.assertEqual(["e1", "e2"], found)
        self.assertEqual(
            "p-1", self.event_requests()[1].headers["Last-Event-ID"]
        )
        self.assertEqual([], self.clock.slept)

    def test_a_stream_that_breaks_is_opened_again(self) -> None:
        one = answering.event(1, "CREATE_COMPLETE")
        broken = requests.exceptions.ConnectionError("reset")
        # A read is asked three times.
        self.lay(*[broken] * 3, stream(one), page())

        found = self.follow(_BUSY, _BUSY, _IDLE, until_idle=True)

        self.assertEqual(["e1"], found)
        self.assertEqual([1.0], self.clock.slept)

    def test_a_stream_that_brings_nothing_is_no_busy_loop(self) -> None:
        self.lay(stream("alive"), stream("alive"), page())

        self.follow(_BUSY, _BUSY, _IDLE, until_idle=True)

        self.assertEqual([1.0, 1.0], self.clock.slept)

    def test_a_message_that_tells_the_end_is_no_event(self) -> None:
        end = (
            b'event: end\ndata: {"reason": "no operation is in progress"}\n\n'
        )
        one = answering.event(1, "CREATE_COMPLETE")
        self.lay(
            Answer(
                typing.cast(bytes, stream(one).body) + end,
                headers=stream().headers,
            ),
            page(),
        )

        self.assertEqual(["e1"], self.follow(_BUSY, _IDLE, until_idle=True))

    def test_what_is_no_event_at_all_is_left_out(self) -> None:
        body = b"data: hello\n\n"
        self.lay(Answer(body, headers=stream().headers), page())

        self.assertEqual([], self.follow(_BUSY, _IDLE, until_idle=True))

    def test_where_no_stream_is_to_spare_the_list_is_asked(self) -> None:
        one = answering.event(1, "CREATE_COMPLETE")
        for status in (400, 429, 503):
            self.service = answering.Service()
            self.log = events.EventLog(
                answering.sender(self.service), self.clock
            )
            refused = Answer({"title": "no"}, status=status)
            self.lay(refused, page(one), page())

            found = self.follow(_BUSY, _IDLE, until_idle=True)

            self.assertEqual(["e1"], found, status)

    def test_what_came_at_the_last_moment_is_given(self) -> None:
        one, two = (answering.event(n, "CREATE_COMPLETE") for n in (1, 2))
        self.lay(stream(one), page(two), page())

        found = self.follow(_BUSY, _IDLE, until_idle=True)

        self.assertEqual(["e1", "e2"], found)

    def test_a_stack_that_is_deleted_has_an_end(self) -> None:
        one = answering.event(1, "DELETE_COMPLETE")
        self.lay(page(one), page())

        self.assertEqual(["e1"], self.follow("DELETE_COMPLETE"))

    def test_an_api_that_starts_again_is_waited_for(self) -> None:
        one = answering.event(1, "CREATE_COMPLETE")
        away = Answer({"title": "away"}, status=503)
        self.service.lay(_SHOW, away, away)
        self.lay(away, page(one), page())

        self.assertEqual(["e1"], self.follow(_IDLE, until_idle=True))

    def test_an_api_that_stays_away_is_an_error(self) -> None:
        self.service.lay(_SHOW, Answer({"title": "away"}, status=503))

        self.assertRaises(errors.UnavailableError, self.follow)

        self.assertGreater(self.clock.now, 60)

    def test_a_stack_that_is_not_there_is_an_error(self) -> None:
        self.service.lay(_SHOW, Answer({"title": "no"}, status=404))

        self.assertRaises(errors.NotFoundError, self.follow)


class ListTests(base.TestCase):
    def test_a_resource_without_events_has_none(self) -> None:
        service = answering.Service()
        log = events.EventLog(answering.sender(service))
        what = f"GET {answering.STACK}/resources/web/events"
        nothing = Answer({"error": {"type": "HTTPNotFound"}}, status=404)
        missing = Answer({"error": {"type": "EntityNotFound"}}, status=404)
        service.lay(what, nothing, missing)

        self.assertEqual((), log.list(_STACK, resource="web"))
        self.assertRaises(
            errors.NotFoundError, log.list, _STACK, resource="web"
        )
