"""What all types on OpenStack do, shown by networks."""

import dataclasses

from orch import errors
from orch.clients import lookup
from orch.clients import rest
from orch.context import request
from orch.plugin import call_context
from orch.plugin import listing
from orch.plugin import reality
from orch.resources.openstack import errors as cloud_errors
from orch.resources.openstack import type_data
from tests.unit.resources import contexts
from tests.unit.resources.openstack import clouds


class NetsTestCase(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Neutron::Net")

    def setUp(self) -> None:
        super().setUp()
        self.use(
            clouds.Cloud(
                networks=clouds.Collection(
                    "network",
                    "networks",
                    defaults={
                        "status": "ACTIVE",
                        "project_id": "",
                        "tags": [],
                        "qos_policy_id": None,
                    },
                ),
                qos__policies=clouds.Collection("policy", "policies"),
            )
        )
        self.nets = self.cloud.collections["/networks"].rows

    def network(self, context: call_context.Context) -> clouds.Body:
        return self.nets[context.physical_id or ""]


class PhysicalResourceTest(NetsTestCase):
    """What is done with resources."""

    def test_it_is_made_with_what_is_given_and_its_token(self) -> None:
        policy = self.cloud.add("/qos/policies", name="gold")

        context = self.made(shared=True, qos_policy="gold")

        found = self.network(context)
        self.assertEqual("shop-thing-abcdefghijkl", found["name"])
        self.assertTrue(found["shared"])
        self.assertEqual(policy, found["qos_policy_id"])
        self.assertIn(contexts.TOKEN, found["description"])
        self.assertNotIn(contexts.TOKEN, str(self.plugin.show(context)))
        self.assertNotIn("value_specs", found)
        self.assertNotIn("dns_domain", found)

    def test_value_specs_stand_in_the_request_as_they_are(self) -> None:
        context = self.made(
            value_specs={"mtu": 1400, "description": "of mine"}
        )

        found = self.network(context)
        self.assertEqual(1400, found["mtu"])
        self.assertEqual(
            f"of mine [orch {contexts.TOKEN}]", found["description"]
        )
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual(
            {"mtu": 1400, "description": "of mine"}, live["value_specs"]
        )

    def test_what_a_lost_attempt_made_is_found(self) -> None:
        context = self.made(value_specs={"description": "of mine"})
        self.cloud.add("/networks", description="of mine")

        found = self.plugin.find(
            dataclasses.replace(context, physical_id=None)
        )

        self.assertEqual(context.physical_id, found)

    def test_a_text_without_room_keeps_its_words(self) -> None:
        full = "x" * 250

        context = self.made(value_specs={"description": full})

        self.assertEqual(full, self.network(context)["description"])
        self.assertRaises(
            call_context.OutcomeUnknown, self.plugin.find, context
        )

    def test_nothing_is_found_where_nothing_was_made(self) -> None:
        self.cloud.add("/networks", description="[orch other]")

        self.assertIsNone(self.plugin.find(self.context()))

    def test_all_with_the_token_are_found(self) -> None:
        made = [self.made().physical_id for _ in range(2)]
        self.cloud.add("/networks", description="of somebody else")

        self.assertIn(self.plugin.find(self.context()), made)
        self.assertEqual(made, list(self.plugin.find_all(self.context())))

    def test_nothing_is_found_where_no_token_has_room(self) -> None:
        context = self.made(value_specs={"description": "x" * 250})

        self.assertEqual((), self.plugin.find_all(context))

    def test_it_is_waited_for(self) -> None:
        context = self.made()
        self.network(context)["status"] = "BUILD"

        self.assertIsInstance(
            self.plugin.is_created(context), call_context.Pending
        )

        self.network(context)["status"] = "ERROR"
        error = self.assertRaises(
            cloud_errors.InError, self.plugin.is_created, context
        )
        self.assertEqual("ResourceInError", errors.kind_of(error))
        self.assertIn("ERROR", error.message)
        self.assertRaises(cloud_errors.InError, self.plugin.check, context)

    def test_a_name_that_nothing_has_is_refused(self) -> None:
        context = self.context(qos_policy="gold")

        error = self.assertRaises(
            lookup.NameNotFound, self.plugin.create, context
        )

        self.assertEqual("EntityNotFound", errors.kind_of(error))
        self.assertEqual([], self.cloud.find_requests("POST"))

    def test_a_name_that_several_have_is_refused(self) -> None:
        for _ in range(2):
            self.cloud.add("/qos/policies", name="gold")

        self.assertRaises(
            lookup.Ambiguous,
            self.plugin.create,
            self.context(qos_policy="gold"),
        )

    def test_only_what_differs_is_sent(self) -> None:
        context = self.made(name="a", shared=False)

        self.changed(context, shared=True)

        puts = [each for each in self.cloud.requests if each.method == "PUT"]
        self.assertEqual(
            [{"network": {"shared": True}}], [each.body for each in puts]
        )

    def test_what_is_not_given_any_more_is_undone(self) -> None:
        policy = self.cloud.add("/qos/policies", name="gold")
        context = self.made(name="a", qos_policy=policy)

        self.changed(context, name=None, qos_policy=None)

        found = self.network(context)
        self.assertIsNone(found["qos_policy_id"])
        self.assertEqual("shop-thing-abcdefghijkl", found["name"])

    def test_tags_take_a_request_of_their_own_where_they_differ(self) -> None:
        context = self.made()
        place = f"/networks/{context.physical_id}/tags"
        self.cloud.answers["PUT", place] = 200, {"tags": []}

        self.changed(context, tags=["b", "a"])
        self.assertEqual([f"PUT {place}"], self.cloud.find_requests("PUT"))

        self.network(context)["tags"] = ["a", "b"]
        self.changed(context, tags=["b", "a"])
        self.assertEqual([], self.cloud.find_requests("PUT"))

    def test_it_is_removed_and_gone_is_success(self) -> None:
        context = self.made()

        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))
        self.plugin.delete(context)

        self.assertEqual({}, self.nets)

    def test_one_that_was_never_made_needs_no_request(self) -> None:
        self.plugin.delete(self.context())

        self.assertIsNone(self.plugin.is_deleted(self.context()))
        self.assertEqual([], self.cloud.requests)

    def test_what_others_hold_is_removed_once_they_let_go(self) -> None:
        context = self.made()
        place = f"/networks/{context.physical_id}"
        for _ in range(2):
            self.cloud.refuse("DELETE", place, 409)

        self.plugin.delete(context)
        self.assertIsInstance(
            self.plugin.is_deleted(context), call_context.Pending
        )
        self.assertIsInstance(
            self.plugin.is_deleted(context), call_context.Pending
        )

        self.assertEqual({}, self.nets)
        self.assertIsNone(self.plugin.is_deleted(context))

    def test_what_others_hold_for_too_long_fails(self) -> None:
        context = self.made()
        for _ in range(2):
            self.cloud.refuse(
                "DELETE", f"/networks/{context.physical_id}", 409
            )
        self.plugin.delete(context)
        self.clock.time += 10000

        self.assertRaises(errors.Busy, self.plugin.is_deleted, context)

    def test_a_conflict_that_passes_is_told_from_one_that_lasts(self) -> None:
        for message, raised in (
            (
                {
                    "NeutronError": {
                        "type": "IpAddressAlreadyAllocated",
                        "message": "IP address 10.0.0.4 already allocated in"
                        " subnet 7",
                    }
                },
                rest.CloudRefused,
            ),
            (
                {
                    "conflictingRequest": {
                        "code": 409,
                        "message": "Multiple possible networks found, use a"
                        " Network ID to be more specific.",
                    }
                },
                rest.CloudRefused,
            ),
            (
                {
                    "error": {
                        "code": 409,
                        "message": "Conflict occurred attempting to store"
                        " user - Duplicate entry found with name ann.",
                    }
                },
                rest.CloudRefused,
            ),
            (
                {
                    "NeutronError": {
                        "type": "NetworkInUse",
                        "message": "There are ports still in use",
                    }
                },
                errors.Busy,
            ),
            ({"NeutronError": "odd"}, errors.Busy),
        ):
            self.cloud.refuse("POST", "/networks", 409, message)
            self.assertRaises(raised, self.plugin.create, self.context())

    def test_a_quota_blocks_whatever_status_tells_it(self) -> None:
        for status, message in (
            (409, "Quota exceeded for resources: ['network']."),
            (403, "Quota exceeded for cores: Requested 1, but used 9 of 9"),
            (413, "too large"),
        ):
            self.cloud.refuse(
                "POST",
                "/networks",
                status,
                {"NeutronError": {"message": message}},
            )
            self.assertRaises(
                errors.QuotaExceeded, self.plugin.create, self.context()
            )

    def test_a_service_that_cannot_now_is_asked_again(self) -> None:
        for status in (429, 500, 503):
            self.cloud.refuse("POST", "/networks", status)
            self.assertRaises(
                errors.Transient, self.plugin.create, self.context()
            )

    def test_a_service_may_say_when_to_come_again(self) -> None:
        self.cloud.headers["Retry-After"] = "7"
        self.cloud.refuse("POST", "/networks", 429)

        error = self.assertRaises(
            errors.Transient, self.plugin.create, self.context()
        )

        self.assertEqual(7.0, error.after_s)

    def test_what_the_service_refuses_fails(self) -> None:
        for status in (400, 403):
            self.cloud.refuse("POST", "/networks", status)
            self.assertRaises(
                rest.CloudRefused, self.plugin.create, self.context()
            )

    def test_what_is_adopted_has_to_be_there(self) -> None:
        there = self.cloud.add("/networks")
        given = call_context.AdoptedResource(
            physical_id=there, data={}, metadata={}
        )

        self.assertEqual(
            given, self.plugin.handle_adopt(self.context(), given)
        )
        self.assertRaises(
            rest.CloudNotFound,
            self.plugin.handle_adopt,
            self.context(),
            dataclasses.replace(given, physical_id="none"),
        )

    def test_what_the_project_has_is_listed_by_name_and_tag(self) -> None:
        ids = {
            name: self.cloud.add(
                "/networks", name=name, tags=tags, project_id="demo"
            )
            for name, tags in (("web-1", ["a"]), ("web-2", []), ("db", ["a"]))
        }
        self.cloud.add("/networks", name="web-3", project_id="another")
        requested_by = request.RequestContext(project_id="demo")

        def listed(**desired: str) -> list[str]:
            found = self.plugin.list_physical_resources(
                requested_by, listing.PhysicalResourceFilter(**desired)
            )
            return [each.physical_id for each in found or ()]

        self.assertEqual(list(ids.values()), listed())
        self.assertEqual([ids["web-1"], ids["web-2"]], listed(name="web-*"))
        self.assertEqual([ids["web-1"], ids["db"]], listed(tag="a"))

    def test_a_stack_may_be_whom_things_are_listed_for(self) -> None:
        asked: list[str] = []
        connect = self.plugin.cloud

        def note(context: call_context.Context) -> object:
            asked.append(context.stack_id)
            return connect(context)

        self.patch(self.plugin, "cloud", note)
        requested_by = request.RequestContext(project_id="demo")

        list(
            self.plugin.list_physical_resources(
                requested_by, listing.PhysicalResourceFilter()
            )
            or ()
        )
        desired = listing.PhysicalResourceFilter(acts_for="stack-7")
        list(self.plugin.list_physical_resources(requested_by, desired) or ())

        self.assertEqual({"", "stack-7"}, set(asked))
        self.assertEqual("stack-7", asked[-1])

    def test_attributes_take_one_request(self) -> None:
        context = self.made(name="a")
        self.network(context)["mtu"] = 1450

        found = self.plugin.read_attributes(
            context, ("name", "mtu", "segments")
        )

        self.assertEqual({"name": "a", "mtu": 1450, "segments": None}, found)
        self.assertEqual(1, len(self.cloud.requests))


class RealityTest(NetsTestCase):
    """What is shown of the resources as they are."""

    def test_it_has_the_names_and_form_of_the_properties(self) -> None:
        policy = self.cloud.add("/qos/policies", name="gold")
        context = self.made(qos_policy="gold", tenant_id="p")

        found = self.plugin.get_reality(context)

        assert found is not None
        self.assertEqual(policy, found["qos_policy"])
        self.assertEqual("p", found["tenant_id"])
        self.assertNotIn("description", found)
        # Nothing is desired there, and nothing is to be missed.
        self.assertEqual({}, found["value_specs"])

    def test_what_is_gone_has_vanished(self) -> None:
        context = self.made()
        self.nets.clear()

        self.assertRaises(reality.Vanished, self.plugin.get_reality, context)

    def test_a_failure_is_not_taken_for_gone(self) -> None:
        context = self.made()
        self.cloud.refuse("GET", f"/networks/{context.physical_id}", 503)

        self.assertRaises(errors.Transient, self.plugin.get_reality, context)

    def test_many_take_a_request_a_page(self) -> None:
        self.cloud.page = 10
        some = [self.made(token=f"t{n}") for n in range(25)]
        self.cloud.requests.clear()

        found = self.plugin.observe(some)

        assert found is not None
        self.assertEqual(
            ["GET /networks"] * 3, self.cloud.find_requests("GET")
        )
        self.assertEqual(
            [self.plugin.get_reality(each) for each in some], list(found)
        )

    def test_one_that_no_list_tells_of_is_to_be_read_by_itself(self) -> None:
        one, gone = (self.made(token=f"t{n}") for n in range(2))
        del self.nets[gone.physical_id or ""]
        self.cloud.requests.clear()

        found = self.plugin.observe([one, gone])

        assert found is not None
        self.assertIs(reality.UNLISTED, found[1])
        self.assertEqual(["GET /networks"], self.cloud.find_requests("GET"))
        self.assertEqual(self.plugin.get_reality(one), found[0])

    def test_no_page_is_read_after_the_last_that_is_sought(self) -> None:
        self.cloud.page = 10
        some = [self.made(token=f"t{n}") for n in range(25)]
        self.cloud.requests.clear()

        self.plugin.observe(some[:7])

        self.assertEqual(["GET /networks"], self.cloud.find_requests("GET"))

    def test_one_alone_is_not_listed(self) -> None:
        self.assertIsNone(self.plugin.observe([self.made()]))

    def test_what_does_not_matter_is_lost(self) -> None:
        for name, one, other in (
            ("tags", ["b", "a"], ["a", "b"]),
            ("tags", None, []),
            ("dns_domain", None, ""),
        ):
            self.assertEqual(
                self.plugin.normalise(name, one),
                self.plugin.normalise(name, other),
            )
        self.assertNotEqual(
            self.plugin.normalise("shared", True),
            self.plugin.normalise("shared", False),
        )
