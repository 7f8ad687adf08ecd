"""An export sends page after page, and says at its end that it is whole."""

import contextlib
import json
import threading

from orch import errors
from orch.api import event_stream
from orch.api import export_stream
from orch.api import server
from tests import base


def page(
    name: str, cursor: str | None, *, hint: str | None = None
) -> export_stream.Page:
    return export_stream.Page([{"name": name}], cursor, hint)


class ExportStreamTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.pages: list[export_stream.Page | Exception] = []
        self.cursors: list[str | None] = []
        self.renewed = 0
        self.lent = 0
        self.has_left = False
        self.refusal: Exception | None = None

    def lend(self, count: int) -> None:
        self.lent += count

    def read(self, cursor: str | None) -> export_stream.Page:
        self.cursors.append(cursor)
        found = self.pages.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    def renew(self) -> None:
        self.renewed += 1
        if self.refusal is not None:
            raise self.refusal

    def open(self) -> export_stream.ExportStream:
        hold = server.Hold(self.lend, threading.Event(), lambda: self.has_left)
        held = event_stream.Held(hold)
        on_close = contextlib.ExitStack()
        on_close.callback(hold.release)
        held.add(on_close)
        stream = export_stream.ExportStream(
            self.read,
            self.renew,
            self.read(None),
            held,
        )
        self.addCleanup(stream.close)
        return stream

    def test_pages_follow_one_another_to_the_end(self) -> None:
        self.pages = [
            page("a", "c1"),
            page("b", "c2", hint="it fills"),
            page("c", None),
        ]
        stream = self.open()
        self.assertEqual(1, self.lent)

        # No page is read before the one before it was sent.
        self.assertEqual(b'{"name":"a"}\n', next(stream))
        self.assertEqual([None], self.cursors)
        rest = b"".join(stream)

        self.assertEqual(
            [
                {"name": "b"},
                {"name": "c"},
                {
                    "end": {
                        "count": 3,
                        "is_complete": False,
                        "hint": "it fills",
                    }
                },
            ],
            [json.loads(line) for line in rest.splitlines()],
        )
        self.assertEqual([None, "c1", "c2"], self.cursors)
        self.assertEqual(2, self.renewed)
        stream.close()
        stream.close()
        self.assertEqual(0, self.lent)

    def test_a_search_service_that_restarts_is_waited_for(self) -> None:
        away = errors.Unavailable("it restarts")
        self.pages = [page("a", "c1"), away, page("b", None)]

        sent = b"".join(self.open())

        self.assertEqual(3, len(sent.splitlines()))
        self.assertEqual([None, "c1", "c1"], self.cursors)

    def test_an_error_breaks_it_off_before_its_end(self) -> None:
        self.pages = [page("a", "c1"), errors.Invalid("the cursor is none")]
        stream = self.open()
        next(stream)

        self.assertRaises(errors.Invalid, next, stream)

    def test_it_ends_for_who_may_not_read_any_more(self) -> None:
        self.pages = [page("a", "c1"), page("b", None)]
        stream = self.open()
        next(stream)
        self.refusal = errors.Forbidden("not now")

        self.assertRaises(errors.Forbidden, next, stream)
        self.assertEqual([None], self.cursors)

    def test_one_who_has_left_is_waited_for_no_more(self) -> None:
        self.pages = [page("a", "c1"), errors.Unavailable("it is away")]
        stream = self.open()
        next(stream)
        self.has_left = True

        self.assertRaises(errors.Unavailable, next, stream)
