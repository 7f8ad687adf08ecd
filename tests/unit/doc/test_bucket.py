"""The example of the plug-in author's guide keeps the contract."""

import dataclasses
import http.server
import importlib.util
import json
import pathlib
import threading
import urllib.parse

import fixtures
from oslo_config import cfg

from orch import clock
from orch import errors
from orch.context import request
from orch.plugin import call_context
from tests import base
from tests.support import ports

_EXAMPLE = pathlib.Path("doc/examples/bucket.py")


class Handler(http.server.BaseHTTPRequestHandler):
    """The store of the example, in a dictionary of its server."""

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        bucket = json.loads(self.rfile.read(length))
        bucket["id"] = len(self.server.buckets) + 1
        self.server.buckets[str(bucket["id"])] = bucket
        self.reply(201, bucket)

    def do_GET(self) -> None:
        parts = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(parts.query)
        if "label" in query:
            found = [
                bucket
                for bucket in self.server.buckets.values()
                if bucket["label"] == query["label"][0]
            ]
            self.reply(200, {"buckets": found})
            return
        bucket = self.server.buckets.get(parts.path.rpartition("/")[2])
        state = {"state": self.server.state}
        self.reply(200 if bucket else 404, (bucket or {}) | state)

    def do_PUT(self) -> None:
        length = int(self.headers["Content-Length"])
        change = json.loads(self.rfile.read(length))
        bucket = self.server.buckets.get(self.path.rpartition("/")[2])
        if bucket is not None:
            bucket.update(change)
        self.reply(200 if bucket else 404, {})

    def do_DELETE(self) -> None:
        number = self.path.rpartition("/")[2]
        gone = self.server.buckets.pop(number, None)
        self.reply(200 if gone else 404, {})

    def reply(self, status: int, body: dict[str, object]) -> None:
        status = self.server.status or status
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *arguments: object) -> None:
        pass


class Store(fixtures.Fixture):
    """A running store.

    :ivar server: ``buckets``; ``state`` of them all; ``status`` to answer
        with in place of the right one
    """

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.server.buckets = {}
        self.server.state = "ready"
        self.server.status = 0
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        thread = threading.Thread(
            target=self.server.serve_forever, args=(0.01,)
        )
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)


class BucketTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.store = self.useFixture(Store())
        self.server = self.store.server
        spec = importlib.util.spec_from_file_location("bucket", _EXAMPLE)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.plugin = module.Bucket(cfg.ConfigOpts())

    def context(
        self, physical_id: str | None = None, size_limit: int = 1
    ) -> call_context.Context:
        return call_context.Context(
            request=request.RequestContext(),
            stack_id="s",
            stack_name="s",
            name="bucket",
            token="token",
            attempt=1,
            physical_name="s-bucket-abc",
            physical_id=physical_id,
            properties={"store": self.store.url, "size_limit": size_limit},
            metadata={},
            data={},
            started_at=clock.SystemClock().now(),
        )

    def test_a_bucket_of_a_lost_attempt_is_found(self) -> None:
        self.assertIsNone(self.plugin.find(self.context()))

        made = self.plugin.create(self.context())

        self.assertEqual(made, self.plugin.find(self.context()))

    def test_a_bucket_is_pending_until_the_store_says_ready(self) -> None:
        context = self.context(self.plugin.create(self.context()))
        self.server.state = "spreading"

        self.assertIsInstance(
            self.plugin.is_created(context), call_context.Pending
        )
        self.server.state = "ready"
        self.assertIsNone(self.plugin.is_created(context))

    def test_a_bucket_that_cannot_be_spread_fails(self) -> None:
        context = self.context(self.plugin.create(self.context()))
        self.server.state = "failed"

        self.assertRaises(errors.Permanent, self.plugin.is_created, context)

    def test_the_limit_changes_in_place_however_often_it_is_asked(
        self,
    ) -> None:
        made = self.plugin.create(self.context())
        context = self.context(made, size_limit=9)

        for _ in range(2):
            self.plugin.update(context, {}, {"size_limit"})

        self.assertEqual(9, self.server.buckets[made]["size_limit"])
        self.assertEqual([made], list(self.server.buckets))
        self.server.state = "spreading"
        self.assertIsInstance(
            self.plugin.is_updated(context), call_context.Pending
        )

    def test_a_bucket_that_is_gone_is_neither_changed_nor_well(self) -> None:
        context = self.context("7")

        self.assertRaises(
            errors.Permanent, self.plugin.update, context, {}, {"size_limit"}
        )
        self.assertRaises(errors.Permanent, self.plugin.check, context)

    def test_a_bucket_that_is_ready_is_well(self) -> None:
        context = self.context(self.plugin.create(self.context()))

        self.assertIsNone(self.plugin.check(context))

    def test_a_second_delete_changes_nothing(self) -> None:
        context = self.context(self.plugin.create(self.context()))

        self.plugin.delete(context)
        self.plugin.delete(context)

        self.assertEqual({}, self.server.buckets)

    def test_the_attribute_is_the_url_of_the_bucket(self) -> None:
        context = self.context(self.plugin.create(self.context()))

        values = self.plugin.read_attributes(context, ["url"])

        self.assertEqual({"url": f"{self.store.url}/buckets/1"}, values)

    def test_each_refusal_says_what_kind_it_is(self) -> None:
        for status, kind in (
            (503, errors.Transient),
            (409, errors.Busy),
            (413, errors.QuotaExceeded),
            (403, errors.Permanent),
        ):
            self.server.status = status
            error = self.assertRaises(
                errors.OrchError, self.plugin.create, self.context()
            )
            self.assertIs(kind, type(error), status)

    def test_a_store_that_is_away_is_an_outage(self) -> None:
        away = f"http://127.0.0.1:{ports.find_free()}"
        context = dataclasses.replace(
            self.context(), properties={"store": away, "size_limit": 1}
        )

        self.assertRaises(errors.Outage, self.plugin.create, context)
