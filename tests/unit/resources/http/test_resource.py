import dataclasses

from orch import errors
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.http import client
from orch.resources.http import shown as shown_values
from tests.unit.resources import contexts
from tests.unit.resources.http import http_case


class HttpResourceTest(http_case.HttpTestCase):
    def test_it_is_made_by_a_request_and_named_by_the_answer(self) -> None:
        self.answers["POST", "/things"] = (201, {"id": 7})

        physical_id = self.plugin.create(
            self.make(
                headers={"Authorization": "Bearer x"},
                create={**http_case.CREATE, "headers": {"X-More": "{name}"}},
            )
        )

        self.assertEqual("7", physical_id)
        (seen,) = self.service.requests
        self.assertEqual({"name": "n"}, seen.body)
        self.assertEqual("Bearer x", seen.headers["authorization"])
        self.assertEqual("shop-thing-abcdefghijkl", seen.headers["x-more"])
        self.assertEqual(contexts.TOKEN, seen.headers["idempotency-key"])

    def test_headers_of_the_connection_are_refused(self) -> None:
        """Before and while it is made, wherever they are set."""
        for name in (
            "Host",
            "content-length",
            "Transfer-Encoding",
            "CONNECTION",
            "Keep-Alive",
            "Proxy-Authorization",
            "TE",
            "Trailer",
            "Upgrade",
            "Transfer-Encoding ",
            "X-A: 1\r\nHost",
            "",
        ):
            given = {name: "x"}
            for properties in (
                {"headers": given},
                {"create": {**http_case.CREATE, "headers": given}},
                {"read": {"headers": given}},
            ):
                context = self.make(**properties)
                for act, subject in (
                    (self.plugin.validate, context.properties),
                    (self.plugin.create, context),
                ):
                    error = self.assertRaises(errors.Invalid, act, subject)
                    self.assertIn(
                        f"headers may not have {name!r}", error.message
                    )
        self.assertEqual([], self.service.requests)

    def test_the_id_may_stand_anywhere_in_the_answer(self) -> None:
        self.answers["POST", "/things"] = (202, {"thing": [{"uuid": "u"}]})

        physical_id = self.plugin.create(
            self.make(
                create={**http_case.CREATE, "id_pointer": "/thing/0/uuid"}
            )
        )

        self.assertEqual("u", physical_id)

    def test_an_answer_without_an_id_says_what_to_do(self) -> None:
        for document in ({}, {"id": None}, {"id": ""}, {"id": True}, None):
            self.answers["POST", "/things"] = (201, document)
            error = self.assertRaises(
                client.ServiceRefused, self.plugin.create, self.make()
            )
            self.assertIn("no id at /id", error.message)

    def test_placeholders_are_filled_in(self) -> None:
        self.answers["POST", "/things"] = (201, {"id": "a/b?"})
        self.plugin.create(
            self.make(
                create={
                    **http_case.CREATE,
                    "body": {"tags": ["t-{token}", 5], "text": "{other}"},
                }
            )
        )
        self.answers["GET", "/things/a%2Fb%3F"] = (200, {"x": 1})

        shown = self.plugin.show(self.make("a/b?"))

        self.assertEqual(
            {"tags": [f"t-{contexts.TOKEN}", 5], "text": "{other}"},
            self.service.requests[0].body,
        )
        self.assertEqual({"x": 1}, shown)

    def test_what_stands_is_seen_and_tells_no_properties(self) -> None:
        self.answers["GET", "/things/7"] = (200, {"status": "up"})

        self.assertEqual({}, self.plugin.get_reality(self.make("7")))

    def test_an_answer_that_is_no_object_shows_nothing(self) -> None:
        ignored = {"comparison": {"ignored_pointers": [""]}}
        for status, shown in (
            (200, None),
            (200, []),
            (200, [{"name": "m"}]),
            (200, 5),
            (200, {}),
            (204, None),
        ):
            self.answers["GET", "/things/7"] = (status, shown)

            self.assertRaises(
                shown_values.NothingShown,
                self.plugin.get_reality,
                self.make("7"),
            )
            self.assertIsNone(self.plugin.inspect(self.make("7")).reality)
            for given in ({"create": {"path": "/things"}}, ignored):
                # No part of a body is compared: it is only seen.
                self.assertEqual(
                    {}, self.plugin.get_reality(self.make("7", **given))
                )

    def test_an_adoption_needs_one_request(self) -> None:
        self.answers["GET", "/things/7"] = (200, {"name": "m", "up": 0})
        ready = {"pointer": "/up", "value": 1}

        seen = self.plugin.inspect(self.make("7", read={}, ready=ready))

        assert seen.fault is not None
        self.assertIn("it is not usable: /up is 0", seen.fault.message)
        self.assertEqual(
            {"create": {**http_case.CREATE, "body": {"name": "m"}}},
            {
                "create": {
                    key: value
                    for key, value in dict(
                        (seen.reality or {})["create"]  # type: ignore[call-overload]
                    ).items()
                    if key in http_case.CREATE
                }
            },
        )
        self.assertEqual(1, len(self.service.requests))

    def test_an_adoption_of_what_is_not_there_has_a_fault(self) -> None:
        self.answers["GET", "/things/7"] = (404, {})

        seen = self.plugin.inspect(self.make("7", read={}))

        self.assertIsInstance(seen.fault, client.NotFound)
        self.assertIsNone(seen.reality)

    def test_what_is_not_there_cannot_be_read(self) -> None:
        self.answers["GET", "/things/7"] = (404, {})

        error = self.assertRaises(
            client.NotFound, self.plugin.get_reality, self.make("7")
        )

        self.assertNotIsInstance(error, reality.Vanished)
        self.assertIn("give the property read", error.message)

    def test_d4_what_read_should_show_and_does_not_has_vanished(self) -> None:
        self.answers["GET", "/things/7"] = (410, {})

        error = self.assertRaises(
            reality.Vanished, self.plugin.get_reality, self.make("7", read={})
        )

        self.assertIsInstance(error, client.NotFound)

    def test_d2_what_was_sent_is_told_as_the_service_shows_it(self) -> None:
        sent = {
            "name": "{name}",
            "size": 5,
            "secret": "x",
            "disks": [{"gib": 1}, {"gib": 2}],
            "owner": {"team": "a", "tags": {}},
        }
        shown = {
            "name": "shop-thing-abcdefghijkl",
            "size": 6,
            "disks": [{"gib": 1, "id": "d1"}, {"gib": 4, "id": "d2"}],
            "owner": {"team": "b", "since": "today"},
            "updated_at": "now",
        }
        self.answers["GET", "/things/7"] = (200, shown)
        made = self.make("7", create={**http_case.CREATE, "body": sent})

        self.assertEqual(
            {
                "create": {
                    **http_case.CREATE,
                    "body": {
                        "name": "{name}",
                        "size": 6,
                        "secret": "x",
                        "disks": [{"gib": 1}, {"gib": 4}],
                        "owner": {"team": "b", "tags": {}},
                    },
                }
            },
            self.plugin.get_reality(made),
        )

    def test_d2_what_can_be_changed_is_told_as_the_change(self) -> None:
        update = {"method": "PATCH", "body": {"size": 5}}
        self.answers["GET", "/things/7"] = (200, {"name": "m", "size": 6})

        self.assertEqual(
            {"update": {"method": "PATCH", "body": {"size": 6}}},
            self.plugin.get_reality(self.make("7", update=update)),
        )
        for body in (None, [{"op": "replace"}], {"resize": 6}):
            other = self.make("7", update={**update, "body": body})
            self.assertEqual({}, self.plugin.get_reality(other))

    def test_without_properties_nobody_knows_where_to_look(self) -> None:
        context = dataclasses.replace(self.make("7"), properties={})

        self.assertIsNone(self.plugin.get_reality(context))
        self.assertEqual([], self.service.requests)

    def test_a_refusal_is_the_reason(self) -> None:
        self.answers["POST", "/things"] = (400, {"error": "name is taken"})

        error = self.assertRaises(
            client.ServiceRefused, self.plugin.create, self.make()
        )

        self.assertIn("name is taken", error.message)

    def test_it_is_ready_at_once_unless_told_how_to_look(self) -> None:
        self.assertIsNone(self.plugin.is_created(self.make("7")))
        self.assertEqual([], self.service.requests)

    def test_it_is_ready_once_the_service_says_so(self) -> None:
        context = self.make(
            "7",
            ready={
                "pointer": "/status",
                "value": "ACTIVE",
                "failed_value": "ERROR",
            },
        )

        for status, document, note in (
            (200, {"status": "BUILD"}, "/status is 'BUILD'"),
            (200, {}, "/status is not there"),
            (503, {}, "answered 503"),
        ):
            self.answers["GET", "/things/7"] = (status, document)
            pending = self.plugin.is_created(context)
            assert pending is not None
            self.assertIn(note, pending.note)
        self.answers["GET", "/things/7"] = (200, {"status": "ACTIVE"})
        self.assertIsNone(self.plugin.is_created(context))
        self.answers["GET", "/things/7"] = (200, {"status": "ERROR"})
        self.assertRaises(
            client.ServiceRefused, self.plugin.is_created, context
        )

    def test_readiness_is_asked_for_where_reading_is(self) -> None:
        self.answers["GET", "/status/7"] = (200, {"up": True})

        self.assertIsNone(
            self.plugin.is_created(
                self.make(
                    "7",
                    read={"path": "/status/{id}"},
                    ready={"pointer": "/up", "value": True},
                )
            )
        )

    def test_a_lost_creation_is_found_by_its_token(self) -> None:
        path = f"/things?tag={contexts.TOKEN}"
        context = self.make(find={"path": "/things?tag={token}"})

        self.answers["GET", path] = (200, [])
        self.assertIsNone(self.plugin.find(context))
        self.answers["GET", path] = (404, None)
        self.assertIsNone(self.plugin.find(context))
        foreign, ours = {"id": "6"}, {"id": "7", "tag": contexts.TOKEN}
        self.answers["GET", path] = (200, [foreign])
        self.assertIsNone(self.plugin.find(context))
        self.answers["GET", path] = (200, [foreign, ours])
        self.assertEqual("7", self.plugin.find(context))
        self.answers["GET", path] = (500, None)
        self.assertRaises(errors.Transient, self.plugin.find, context)

    def test_a_thing_whose_id_we_chose_is_found_by_it(self) -> None:
        context = self.make(
            create={
                "method": "PUT",
                "path": "/things/{token}",
                "id": "{token}",
            }
        )
        self.answers["PUT", f"/things/{contexts.TOKEN}"] = (200, None)

        self.assertIsNone(self.plugin.find(context))
        self.assertEqual(contexts.TOKEN, self.plugin.create(context))
        self.answers["GET", f"/things/{contexts.TOKEN}"] = (200, {})
        self.assertEqual(contexts.TOKEN, self.plugin.find(context))

    def test_an_idempotent_service_may_be_asked_again(self) -> None:
        context = self.make(create={**http_case.CREATE, "is_idempotent": True})

        self.assertTrue(self.plugin.creates_once(context))
        # Its deletion does not create again: it has to find out.
        self.assertRaises(
            call_context.OutcomeUnknown, self.plugin.find, context
        )

    def test_without_any_way_to_find_it_we_say_so_and_stop(self) -> None:
        error = self.assertRaises(
            call_context.OutcomeUnknown, self.plugin.find, self.make()
        )

        self.assertIn("give the property find", error.message)
        self.assertEqual([], self.service.requests)

    def test_what_only_looks_is_mended_and_nothing_else(self) -> None:
        before = self.make(headers={"a": "old"}).properties
        after = self.make(
            create={
                **http_case.CREATE,
                "body": {"new": True},
                "is_idempotent": True,
            },
            find={"path": "/things?tag={token}"},
            update={"body": {"size": 5}},
            headers={"a": "new"},
        ).properties

        mended = self.plugin.lookup_properties(before, after)

        self.assertEqual(after["find"], mended["find"])
        self.assertEqual({"a": "new"}, mended["headers"])
        self.assertTrue(mended["create"]["is_idempotent"])
        self.assertEqual(before["create"]["body"], mended["create"]["body"])
        self.assertEqual(before.get("update"), mended.get("update"))
        elsewhere = {**after, "url": "http://other.example"}
        self.assertEqual(
            before, self.plugin.lookup_properties(before, elsewhere)
        )

    def test_it_is_removed_by_a_request(self) -> None:
        self.answers["DELETE", "/things/7"] = (204, None)
        context = self.make("7")

        self.plugin.delete(context)

        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual("DELETE", self.service.requests[0].method)
        self.assertIsNone(self.service.requests[0].body)

    def test_removing_what_is_gone_is_success(self) -> None:
        for status in (404, 410):
            self.answers["DELETE", "/things/7"] = (status, None)
            self.plugin.delete(self.make("7"))

    def test_a_removal_that_is_refused_fails(self) -> None:
        self.answers["DELETE", "/things/7"] = (403, {"error": "in use"})

        error = self.assertRaises(
            client.ServiceRefused, self.plugin.delete, self.make("7")
        )

        self.assertIn("in use", error.message)

    def test_it_waits_until_it_is_gone_if_told_so(self) -> None:
        context = self.make("7", delete={"wait_until_gone": True})

        for status in (200, 503):
            self.answers["GET", "/things/7"] = (status, {})
            self.assertIsNotNone(self.plugin.is_deleted(context))
        del self.answers["GET", "/things/7"]
        self.assertIsNone(self.plugin.is_deleted(context))

    def test_id_and_body_are_attributes(self) -> None:
        self.answers["GET", "/things/7"] = (200, {"ip": "10.0.0.9"})
        context = self.make("7")

        self.assertEqual(
            {"id": "7"}, self.plugin.read_attributes(context, {"id"})
        )
        self.assertEqual(
            {"id": "7", "body": {"ip": "10.0.0.9"}},
            self.plugin.read_attributes(context, {"body", "id"}),
        )

    def test_requests_that_can_never_be_right_are_refused(self) -> None:
        for properties, words in (
            ({"url": "nowhere"}, "no URL"),
            ({"create": {"path": "/{id}"}}, "create.path holds {id}"),
            ({"create": {"id": "fixed"}}, "create.id needs {token}"),
            ({"create": {"id_pointer": "id"}}, "no JSON pointer"),
            ({"find": {"path": "/all"}}, "find.path needs {token}"),
            ({"find": {}}, "find.path needs {token}"),
            ({"read": {"path": "/../{id}"}}, "'..'"),
            ({"headers": {"A": ["b"]}}, "need a text"),
            ({"ready": {"pointer": "x", "value": 1}}, "ready.pointer"),
            ({"suspend": {"pointer": "x"}}, "suspend.pointer"),
            ({"resume": {"path": "/.."}}, "'..'"),
        ):
            error = self.assertRaises(
                errors.Invalid,
                self.plugin.validate,
                self.make(**properties).properties,
            )
            self.assertIn(words, error.message)
        self.plugin.validate(self.make().properties)
        self.plugin.validate({"create": http_case.CREATE})

    def test_the_operators_fence_is_known_on_acceptance(self) -> None:
        allowed = ["https://example.org/"]
        plugin = http_case.KIND(contexts.options(allowed_urls=allowed))

        self.assertRaises(
            errors.Forbidden, plugin.validate, self.make().properties
        )

    def test_a_retry_bears_the_same_key(self) -> None:
        self.answers["POST", "/things"] = (503, None)
        context = self.make()
        self.assertRaises(errors.Transient, self.plugin.create, context)

        again = dataclasses.replace(context, attempt=2)
        self.assertRaises(errors.Transient, self.plugin.create, again)

        first, second = self.service.requests
        self.assertEqual(
            first.headers["idempotency-key"],
            second.headers["idempotency-key"],
        )
