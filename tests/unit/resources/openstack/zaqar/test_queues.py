"""Queues, subscriptions and signatures on a fake of Zaqar."""

import dataclasses
import json
import re
import typing
import urllib.parse

from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import id_scopes
from orch.plugin import reality
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

Body = dict[str, typing.Any]

_QUEUE: typing.Final = re.compile(r"^/queues/([^/]+)$")
_SUBSCRIPTIONS: typing.Final = re.compile(
    r"^/queues/([^/]+)/subscriptions(?:/([^/]+))?$"
)
_NAME: typing.Final = "shop-thing-abcdefghijkl"


class FakeZaqar(clouds.Cloud):
    """Queues and subscriptions.

    It answers as the reference of the messaging API, version 2, has it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.queues: dict[str, Body] = {}
        self.subscriptions: dict[str, Body] = {}
        self.clients: set[str | None] = set()

    def find_answer(
        self, method: str, path: str, body: typing.Any
    ) -> clouds.Answer:
        self.clients.add(self.requests[-1].headers.get("client-id"))
        bare = path.partition("?")[0]
        if bare == "/queues":
            return self._list_queues(path.partition("?")[2])
        if found := _QUEUE.match(bare):
            return self._answer_queue(method, found[1], body)
        if found := _SUBSCRIPTIONS.match(bare):
            return self._answer_subscription(method, found[2], body)
        if bare.endswith("/share"):
            return 200, {
                "project": "p",
                "paths": [f"/v2/queues/q/{each}" for each in body["paths"]],
                "methods": body["methods"],
                "expires": body.get("expires", "2030-01-01T00:00:00"),
                "signature": "s3cret",
            }
        return super().find_answer(method, path, body)

    def _list_queues(self, query: str) -> clouds.Answer:
        """Return a page of queues; there is always a link to the next."""
        asked = dict(urllib.parse.parse_qsl(query))
        limit = int(asked.get("limit", 2))
        if limit > 20:
            return 400, {"title": "Limit must be no greater than 20."}
        names = sorted(self.queues)
        if "marker" in asked:
            names = [each for each in names if each > asked["marker"]]
        page = [{"name": each} for each in names[:limit]]
        links = [{"rel": "next", "href": f"/v2/queues?limit={limit}"}]
        return 200, {"queues": page, "links": links}

    def _answer_queue(
        self, method: str, name: str, body: typing.Any
    ) -> clouds.Answer:
        if method == "PUT":
            # One that exists stays as it is.
            status = 204 if name in self.queues else 201
            self.queues.setdefault(name, body)
            return status, None
        if method == "DELETE":
            self.queues.pop(name, None)
            return 204, None
        # One that does not exist is shown, as a message would create it.
        found = self.queues.get(name, {})
        if method == "PATCH":
            for each in body:
                pointer = each["path"].removeprefix("/metadata/")
                key = pointer.replace("~1", "/").replace("~0", "~")
                if each["op"] == "remove":
                    found.pop(key, None)
                elif each["op"] == "replace" and key not in found:
                    return 409, {"title": f"Can't replace {key}."}
                else:
                    found[key] = each["value"]
        return 200, {"_max_messages_post_size": 262144, **found}

    def _answer_subscription(
        self, method: str, identifier: str | None, body: typing.Any
    ) -> clouds.Answer:
        if identifier is None:
            found = {**body, "id": "1", "age": 0}
            if body["subscriber"].startswith("trust+"):
                # A change makes none.
                options = body.get("options") or {}
                found["options"] = {**options, "trust_id": "t"}
            self.subscriptions["1"] = found
            return 201, {"subscription_id": "1"}
        if identifier not in self.subscriptions:
            return 404, {"title": "Not found"}
        if method == "DELETE":
            del self.subscriptions[identifier]
            return 204, None
        if method == "PATCH":
            self.subscriptions[identifier].update(body)
            return 204, None
        return 200, self.subscriptions[identifier]


class _ZaqarTestCase(clouds.CloudTestCase):
    cloud: FakeZaqar

    def setUp(self) -> None:
        super().setUp()
        self.use(FakeZaqar())


class QueueTest(_ZaqarTestCase):
    kind = type_data.load_type("OS::Zaqar::Queue")

    def test_its_metadata_change_in_place(self) -> None:
        context = self.made(metadata={"a": "1", "b": 2})
        self.assertEqual(_NAME, context.physical_id)
        self.assertEqual(
            {"a": "1", "b": 2, "orch:token": context.token},
            self.cloud.queues[_NAME],
        )

        context = self.changed(context, metadata={"b": 3, "c/d": "4"})

        self.assertEqual(
            {"metadata": {"b": 3, "c/d": "4"}, "name": _NAME},
            self.plugin.get_reality(context),
        )
        self.changed(context, metadata={"b": 3, "c/d": "4"})
        self.assertEqual([], self.cloud.find_requests("PATCH"))
        self.changed(context, metadata=None)
        self.assertEqual(
            {"orch:token": context.token}, self.cloud.queues[_NAME]
        )
        self.assertNotIn(None, self.cloud.clients)

    def test_the_list_of_queues_is_not_read_for_ours(self) -> None:
        context = self.context(name="mail")
        made = dataclasses.replace(
            context, physical_id=str(self.plugin.create(context))
        )
        self.plugin.find(context)
        self.plugin.get_reality(made)
        self.plugin.delete(made)
        self.assertIsNone(self.plugin.is_deleted(made))

        self.assertEqual({}, self.cloud.queues)
        self.assertIsNone(self.plugin.find(context))
        self.assertNotIn("GET /queues", self.cloud.find_requests("GET"))

    def test_what_a_lost_attempt_left_is_found(self) -> None:
        context = self.made(name="mail")
        lost = dataclasses.replace(context, physical_id=None)

        self.assertEqual("mail", self.plugin.find(lost))
        self.assertEqual(["mail"], list(self.plugin.find_all(lost)))
        self.assertTrue(self.plugin.creates_once(lost))
        self.assertEqual("mail", self.plugin.create(lost))
        account = id_scopes.Account("p", None)
        self.assertEqual("p", self.plugin.get_id_scope(account, {}))

    def test_the_queue_of_others_is_not_taken(self) -> None:
        self.cloud.queues["mail"] = {"a": 1}
        context = self.context(name="mail")

        self.assertIsNone(self.plugin.find(context))
        error = self.assertRaises(
            rest.CloudRefused, self.plugin.create, context
        )

        self.assertIn("There is a queue mail already", error.message)
        self.assertEqual({"a": 1}, self.cloud.queues["mail"])

    def test_the_queue_of_others_without_metadata_is_not_taken(self) -> None:
        self.cloud.queues["mail"] = {}
        context = self.context(name="mail")

        self.assertIsNone(self.plugin.find(context))
        self.assertRaises(rest.CloudRefused, self.plugin.create, context)

        self.assertEqual({}, self.cloud.queues["mail"])

    def test_one_without_metadata_is_adopted_and_checked(self) -> None:
        for name in ("a", "b", "c", "d", "mail"):
            self.cloud.queues[name] = {}
        given = call_context.AdoptedResource(
            physical_id="mail", data={}, metadata={}
        )
        context = self.context(name="mail", physical_id="mail")

        self.assertEqual(given, self.plugin.handle_adopt(context, given))
        self.assertIsNone(self.plugin.check(context))
        self.assertEqual(
            {"metadata": {}, "name": "mail"}, self.plugin.get_reality(context)
        )
        del self.cloud.queues["mail"]
        self.assertRaises(rest.CloudNotFound, self.plugin.check, context)

    def test_reserved_metadata_that_are_given_are_shown(self) -> None:
        size = "_max_messages_post_size"
        context = self.made(metadata={size: 1000})
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual({size: 1000}, live["metadata"])

        self.cloud.queues[_NAME][size] = 2000
        self.assertEqual(["metadata"], self.differing(context, live))
        context = self.changed(context, metadata={size: 1000, "a": 1})
        self.assertEqual(1000, self.cloud.queues[_NAME][size])

        context = self.changed(context, metadata={"a": 1})
        self.assertNotIn(size, self.cloud.queues[_NAME])
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual({"a": 1}, live["metadata"])

        self.changed(context, metadata={size: 3000})
        self.assertEqual(3000, self.cloud.queues[_NAME][size])

    def test_it_has_an_address_and_vanishes(self) -> None:
        context = self.made()

        found = self.plugin.read_attributes(context, ["href"])

        self.assertEqual({"href": f"{self.cloud.url}/queues/{_NAME}"}, found)
        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertRaises(reality.Vanished, self.plugin.get_reality, context)


class SubscriptionTest(_ZaqarTestCase):
    kind = type_data.load_type("OS::Zaqar::Subscription")

    def test_it_lives_in_its_queue(self) -> None:
        context = self.made(
            queue_name="q", subscriber="mailto:a@b", ttl=60, options={"a": 1}
        )
        self.assertEqual("1", context.physical_id)
        self.assertEqual(
            {"subscriber": "mailto:a@b", "ttl": 60, "options": {"a": 1}},
            self.plugin.get_reality(context),
        )

        self.changed(context, subscriber="http://c", options=None)

        found = self.cloud.subscriptions["1"]
        self.assertEqual(
            ("http://c", {}), (found["subscriber"], found["options"])
        )
        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))

    def test_a_change_keeps_the_trust_of_the_service(self) -> None:
        context = self.made(
            queue_name="q", subscriber="trust+http://a", options={"a": 1}
        )
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual({"a": 1}, live["options"])

        for given, expected in (({"b": 2}, {"b": 2}), (None, {})):
            context = self.changed(context, options=given)

            self.assertEqual(
                {**expected, "trust_id": "t"},
                self.cloud.subscriptions["1"]["options"],
            )
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual({}, live["options"])

    def test_a_trust_that_the_template_gives_is_shown(self) -> None:
        options = {"trust_id": "u"}
        context = self.made(
            queue_name="q", subscriber="http://a", options=options
        )

        live = self.plugin.get_reality(context)

        assert live is not None
        self.assertEqual(options, live["options"])


class MistralTriggerTest(_ZaqarTestCase):
    kind = type_data.load_type("OS::Zaqar::MistralTrigger")

    def post_data(self) -> Body:
        options = self.cloud.subscriptions["1"]["options"]
        return typing.cast(Body, json.loads(options["post_data"]))

    def test_it_runs_a_workflow_for_each_message(self) -> None:
        context = self.made(
            queue_name="q",
            workflow_id="w",
            input={"a": 1},
            params={"env": {"b": 2}},
        )

        found = self.cloud.subscriptions["1"]
        self.assertEqual(
            f"trust+{self.cloud.url}/executions", found["subscriber"]
        )
        self.assertEqual(
            {
                "workflow_id": "w",
                "input": {"a": 1},
                "params": {"env": {"b": 2, "notification": "$zaqar_message$"}},
            },
            self.post_data(),
        )
        live = self.plugin.get_reality(context)
        assert live is not None
        for name in ("workflow_id", "input", "params"):
            self.assertEqual(context.properties[name], live[name])

        context = self.changed(context, workflow_id="v", params={})

        self.assertEqual("v", self.post_data()["workflow_id"])
        options = self.cloud.subscriptions["1"]["options"]
        self.assertEqual("t", options["trust_id"])
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual(("v", {}), (live["workflow_id"], live["params"]))

    def test_one_that_others_have_changed_has_drifted(self) -> None:
        context = self.made(queue_name="q", workflow_id="w")
        live = self.plugin.get_reality(context)
        assert live is not None

        for text in ("no JSON", json.dumps({"workflow_id": "v"})):
            self.cloud.subscriptions["1"]["options"] = {"post_data": text}
            self.assertEqual(["workflow_id"], self.differing(context, live))


class SignedQueueURLTest(_ZaqarTestCase):
    kind = type_data.load_type("OS::Zaqar::SignedQueueURL")

    def test_the_service_signs_and_all_of_it_is_a_query(self) -> None:
        context = self.context(
            queue="q", paths=["messages"], methods=["GET", "POST"], ttl=3600
        )

        made = self.plugin.create(context)

        assert isinstance(made, call_context.CreateResult)
        sent = typing.cast(Body, self.cloud.requests[-1].body)
        self.assertEqual("1970-01-01T01:16:40", sent["expires"])
        context = dataclasses.replace(
            context, physical_id=made.physical_id, data=made.data
        )
        found = self.plugin.read_attributes(
            context, [each.name for each in self.kind.attributes]
        )
        self.assertEqual("s3cret", found["signature"])
        self.assertEqual("p", found["project"])
        query = urllib.parse.parse_qs(str(found["query_str"]))
        self.assertEqual(["/v2/queues/q/messages"], query["paths"])
        self.assertEqual(["GET,POST"], query["methods"])
        self.assertEqual(["p"], query["project_id"])
        self.assertEqual(["q"], query["queue_name"])
        self.assertIsNone(self.plugin.find(context))
        self.assertIsNone(self.plugin.check(context))
        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertFalse(self.plugin.has_reality)

    def test_lists_of_an_adopted_one_are_read(self) -> None:
        kept = {
            "signature": "s3cret",
            "expires": "2030-01-01T00:00:00",
            "project": "p",
            "paths": json.dumps(["/v2/queues/q/messages"]),
            "methods": json.dumps(["GET", "POST"]),
        }
        context = self.context(queue="q")

        adopted = self.plugin.handle_adopt(
            context,
            call_context.AdoptedResource(
                physical_id="a", data=kept, metadata={}
            ),
        )

        found = self.plugin.read_attributes(
            dataclasses.replace(context, data=adopted.data),
            ["methods", "query_str"],
        )
        self.assertEqual(["GET", "POST"], found["methods"])
        query = urllib.parse.parse_qs(str(found["query_str"]))
        self.assertEqual(["/v2/queues/q/messages"], query["paths"])
        self.assertEqual(["GET,POST"], query["methods"])

    def test_an_adopted_text_that_is_no_list_remains(self) -> None:
        for text in ("GET,POST", '"GET"'):
            given = call_context.AdoptedResource(
                physical_id="a", data={"methods": text}, metadata={}
            )

            found = self.plugin.handle_adopt(self.context(queue="q"), given)

            self.assertEqual({"methods": text}, found.data)
