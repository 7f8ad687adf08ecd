"""Types that are read from data files."""

import dataclasses
import json
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import facts
from orch.resources.openstack import type_data
from tests import base
from tests.unit.resources.openstack import clouds
from tests.unit.resources.openstack import packages

Json = dict[str, typing.Any]

PROJECT: typing.Final = "5d4b3a1e00004000800000000000000b"
GOOD: typing.Final[Json] = {
    "at": {"service": "network", "path": "/things", "key": "thing"},
    "properties": {"name": {"type": "string", "wire": {"is_named": True}}},
}


class LoadedTest(base.TestCase):
    def load(self, package: str, types: Json | str) -> tuple[Json, Json]:
        """Return the loaded types of a package, and why others are not."""
        self.useFixture(
            packages.Package(self.make_directory(), package, types)
        )
        left_out: Json = {}

        def report(name: str, error: BaseException) -> None:
            if name in types or package in name:
                left_out[name] = error

        found = type_data.load_types(report)
        return {
            name: declared.load()
            for name, declared in found.items()
            if name in types
        }, left_out

    def test_all_own_types_load(self) -> None:
        left_out: list[str] = []

        found = type_data.load_types(lambda name, _: left_out.append(name))

        self.assertEqual([], [x for x in left_out if x.startswith("OS::")])
        for name in found:
            kind = type_data.load_type(name)
            self.assertEqual(name, kind.type_name)
            self.assertEqual(
                {each.name for each in kind.properties} - {"value_specs"},
                kind.table.fields.keys(),
            )

    def test_wrong_words_are_told_and_other_types_load(self) -> None:
        def changed(path: str, value: object) -> Json:
            written = json.loads(json.dumps(GOOD))
            *above, key = path.split(".")
            found = written
            for each in above:
                found = found[each]
            found[key] = value
            return typing.cast("Json", written)

        wrong = {
            "at.colour": ("red", "unknown: colour; there may be"),
            "at.path": (7, "7 has another type"),
            "at.status": ({"pending": "BUILD"}, "'BUILD' has another type"),
            "at.host": ("server", "server is no property"),
            "properties.name.wire": ({"form": "loud"}, "loud is no form"),
            "properties.name.wire.refers_to": ("Acme", "nothing is known of"),
            "properties.name.type": ("colour", "no type of values"),
            "class": ("json:JSONDecoder", "is no OpenStackResource"),
        }
        types = {
            f"Acme::X::{number}": changed(path, value)
            for number, (path, (value, _)) in enumerate(wrong.items())
        }

        loaded, left_out = self.load(
            "acme_wrong", {**types, "Acme::X::Good": GOOD}
        )

        self.assertEqual({"Acme::X::Good"}, loaded.keys())
        self.assertEqual(types.keys(), left_out.keys())
        for (name, error), (path, (_, said)) in zip(
            sorted(left_out.items()), wrong.items(), strict=True
        ):
            self.assertIsInstance(error, facts.BadFacts, path)
            self.assertIn(said, error.message)
            self.assertIn(name if "at" in path else "", error.message)

    def test_an_alias_acts_as_the_type_that_it_names(self) -> None:
        loaded, left_out = self.load(
            "acme_alias",
            {
                "Acme::X::Good": GOOD,
                "Acme::X::Old": {
                    "like": "Acme::X::Good",
                    "support_status": "HIDDEN",
                },
                "Acme::X::Lost": {"like": "Acme::X::None"},
            },
        )

        old, good = loaded["Acme::X::Old"], loaded["Acme::X::Good"]
        self.assertEqual("Acme::X::Old", old.type_name)
        self.assertEqual("HIDDEN", old.support_status)
        self.assertEqual("SUPPORTED", good.support_status)
        self.assertIs(good.properties, old.properties)
        self.assertTrue(good.table.is_listed)
        self.assertEqual(good.type_name, old.table.listed_as)
        self.assertEqual({"Acme::X::Lost"}, left_out.keys())
        self.assertIn("Acme::X::None", left_out["Acme::X::Lost"].message)

    def test_a_broken_file_is_left_out(self) -> None:
        loaded, left_out = self.load("acme_broken", "{")

        self.assertEqual({}, loaded)
        (file,) = left_out
        self.assertIn("types.json", file)

    def test_a_package_of_others_replaces_ours(self) -> None:
        loaded, left_out = self.load("acme_nets", {"OS::Neutron::Net": GOOD})

        self.assertEqual({}, left_out)
        self.assertEqual("/things", loaded["OS::Neutron::Net"].table.path)


class WordsTest(clouds.CloudTestCase):
    """Words that no served type uses yet."""

    def use_types(self, package: str, written: Json, **kept: str) -> None:
        types = {"Acme::Net::Thing": written}
        self.useFixture(
            packages.Package(self.make_directory(), package, types)
        )
        self.kind = type_data.load_type("Acme::Net::Thing", package)
        self.use(
            clouds.Cloud(
                **{
                    path: clouds.Collection(key, path)
                    for path, key in kept.items()
                }
            )
        )

    def test_a_quota_is_changed_and_reset(self) -> None:
        self.use_types(
            "acme_quota",
            {
                "at": {
                    "service": "network",
                    "path": "/quotas",
                    "key": "quota",
                    "token_key": "",
                    "host": "project",
                    "is_quota": True,
                    "is_listed": False,
                },
                "properties": {
                    "project": {
                        "type": "string",
                        "wire": {
                            "refers_to": "keystone.project",
                            "is_sent": False,
                            "is_read": False,
                        },
                    },
                    "port": {"type": "integer", "update_allowed": True},
                    "router": {"type": "integer", "update_allowed": True},
                },
            },
            quotas="quota",
        )
        self.cloud.add("/quotas", id=PROJECT, port=50, router=10)

        context = self.made(project=PROJECT, port=7)

        self.assertEqual(PROJECT, context.physical_id)
        self.assertIsNone(self.plugin.find(context))
        self.assertEqual(
            {"port": 7, "router": 10}, self.plugin.get_reality(context)
        )
        self.changed(context, port=8)
        self.assertEqual(
            ["PUT /quotas/" + PROJECT], self.cloud.find_requests("PUT")
        )
        self.cloud.requests.clear()
        # Its successor does not give the number of routers.
        replaced = dataclasses.replace(context, successor={"port": 9})
        self.cloud.answers["PUT", "/quotas/" + PROJECT] = 200, {}
        self.assertIsNone(self.plugin.is_deleted(replaced))
        self.assertEqual(
            [("DELETE", None), ("PUT", {"quota": {"port": 9}})],
            [
                (each.method, each.body)
                for each in self.cloud.requests
                if each.method != "GET"
            ],
        )
        self.cloud.requests.clear()
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual(
            ["DELETE /quotas/" + PROJECT], self.cloud.find_requests("DELETE")
        )

    def test_an_id_may_be_the_last_part_of_an_address(self) -> None:
        self.use_types(
            "acme_secret",
            {
                "at": {
                    "service": "key-manager",
                    "path": "/secrets",
                    "key": "",
                    "plural": "secrets",
                    "id_key": "secret_ref",
                    "token_key": "",
                },
                "properties": {"name": {"type": "string"}},
            },
        )
        address = {"secret_ref": "http://cloud/v1/secrets/s-1"}
        self.cloud.answers["POST", "/secrets"] = 201, address
        self.cloud.answers["GET", "/secrets/s-1"] = 200, address

        context = self.made(name="a")

        self.assertEqual(address["secret_ref"], context.physical_id)
        self.assertIsNone(self.plugin.check(context))

    def test_a_property_may_be_within_a_map_of_its_kind(self) -> None:
        self.use_types(
            "acme_alarm",
            {
                "at": {
                    "service": "alarming",
                    "path": "/alarms",
                    "key": "alarm",
                    "plural": "alarms",
                    "defaults": {"type": "threshold"},
                },
                "properties": {
                    "meter": {
                        "type": "string",
                        "update_allowed": True,
                        "wire": {"key": "threshold_rule.meter_name"},
                    }
                },
            },
            alarms="alarm",
        )

        context = self.made(meter="cpu")

        (made,) = self.cloud.collections["/alarms"].rows.values()
        self.assertEqual({"meter_name": "cpu"}, made["threshold_rule"])
        self.assertEqual("threshold", made["type"])
        self.assertEqual({"meter": "cpu"}, self.plugin.get_reality(context))
        self.changed(context, meter=None)
        self.assertEqual({"meter_name": None}, made["threshold_rule"])

    def test_what_a_property_needs_or_excludes_is_checked(self) -> None:
        self.use_types(
            "acme_needs",
            {
                "at": {
                    "service": "network",
                    "path": "/things",
                    "key": "thing",
                    "one_of": [["a", "b"]],
                    "needs": {"c": "a"},
                },
                "properties": {
                    name: {"type": "string"} for name in ("a", "b", "c")
                },
            },
        )
        for given, is_right in (
            ({"a": "1", "b": None, "c": "2"}, True),
            ({"a": None, "b": "1", "c": None}, True),
            ({"b": "1"}, True),
            ({"a": "1", "b": "1"}, False),
            ({"a": None, "b": None}, False),
            ({"a": None, "b": "1", "c": "2"}, False),
        ):
            if is_right:
                self.plugin.validate(given)
            else:
                self.assertRaises(errors.Invalid, self.plugin.validate, given)

    def test_states_are_waited_for_as_the_service_names_them(self) -> None:
        types = {
            "service": {
                "service": "load-balancer",
                "status": {
                    "key": "provisioning_status",
                    "pending": ["PENDING_CREATE"],
                },
            },
            "Acme::Net::Thing": {
                "at": {
                    "path": "/things",
                    "key": "thing",
                    "plural": "things",
                }
            },
        }
        self.useFixture(
            packages.Package(self.make_directory(), "acme_states", types)
        )
        self.kind = type_data.load_type("Acme::Net::Thing", "acme_states")
        self.use(clouds.Cloud(things=clouds.Collection("thing", "things")))
        context = self.made()
        (made,) = self.cloud.collections["/things"].rows.values()

        made["provisioning_status"] = "PENDING_CREATE"

        self.assertIsInstance(
            self.plugin.is_created(context), call_context.Pending
        )
