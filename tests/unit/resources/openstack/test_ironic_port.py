"""Ports of a node, whose token is in a map."""

import typing

from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import constraints as plugin_constraints
from orch.resources.openstack import constraints
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

Body = dict[str, typing.Any]

_NODE: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000a"


class FakeIronic(clouds.Cloud):
    """Answers requests of a microversion that has what they are about.

    Ports have ``is_smartnic`` since 1.53, and there are port groups since
    1.23.
    """

    def find_answer(
        self, method: str, path: str, body: typing.Any
    ) -> clouds.Answer:
        asked = self.requests[-1].headers["x-openstack-ironic-api-version"]
        needed = 53 if path.startswith("/ports") else 23
        if int(asked.removeprefix("1.")) < needed:
            return 404, {"error_message": f"not in version {asked}"}
        if (method, path) in self.answers:
            return self.answers[method, path]
        return super().find_answer(method, path, body)


class IronicPortTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Ironic::Port")

    def setUp(self) -> None:
        super().setUp()
        self.use(FakeIronic())
        for noun, name in (("node", "rack-1"), ("portgroup", "bond-1")):
            found = {"uuid": _NODE, "name": name}
            self.cloud.answers["GET", f"/{noun}s"] = 200, {f"{noun}s": [found]}
            self.cloud.answers["GET", f"/{noun}s/{_NODE}"] = 200, found
        self.cloud.answers["POST", "/ports"] = 201, {"uuid": "p"}
        self.cloud.answers["GET", "/ports/p"] = 200, {"uuid": "p"}
        self.cloud.answers["PATCH", "/ports/p"] = 200, {"uuid": "p"}

    def test_a_node_is_found_by_its_name(self) -> None:
        context: call_context.Context = self.context(
            node="rack-1", address="52:54:00:00:00:01"
        )

        self.assertEqual("p", self.plugin.create(context))

        sent = typing.cast(Body, self.cloud.requests[-1].body)
        self.assertEqual(_NODE, sent["node_uuid"])

    def test_the_token_of_a_port_is_in_its_extra(self) -> None:
        context = self.made(
            node=_NODE, address="52:54:00:00:00:01", extra={"rack": 7}
        )
        marked = {"rack": 7, "orch:token": context.token}
        self.assertEqual(marked, self.sent_extra(context))
        self.cloud.answers["GET", "/ports/p"] = (
            200,
            {"uuid": "p", "extra": marked},
        )

        live = self.plugin.get_reality(context)

        assert live is not None
        self.assertEqual({"rack": 7}, live["extra"])
        self.assertEqual(
            {"extra": {"rack": 7}},
            self.plugin.read_attributes(context, ["extra"]),
        )
        for given in ({"rack": 8}, None):
            self.changed(context, extra=given)
            self.assertEqual(
                [
                    {
                        "op": "replace",
                        "path": "/extra",
                        "value": {
                            **(given or {}),
                            "orch:token": context.token,
                        },
                    }
                ],
                self.cloud.requests[-1].body,
            )

    def sent_extra(self, context: call_context.Context) -> object:
        self.plugin.create(context)
        return typing.cast(Body, self.cloud.requests[-1].body)["extra"]

    def test_one_of_a_lost_creation_is_found_by_its_token(self) -> None:
        path = "/ports/detail?address=52%3A54%3A00%3A00%3A00%3AAA&limit=1000"
        context = self.context(node=_NODE, address="52:54:00:00:00:AA")
        shown = {
            "uuid": "p",
            "address": "52:54:00:00:00:aa",
            "node_uuid": _NODE,
        }
        for extra, expected in (
            ({"orch:token": context.token}, ["p"]),
            ({"orch:token": "another"}, []),
            ({}, []),
        ):
            self.cloud.answers["GET", path] = (
                200,
                {"ports": [{**shown, "extra": extra}]},
            )

            self.assertEqual(expected, list(self.plugin.find_all(context)))
            self.assertEqual(
                next(iter(expected), None), self.plugin.find(context)
            )

    def test_the_address_of_another_port_is_refused(self) -> None:
        said = "A port with MAC address 52:54:00:00:00:01 already exists."
        self.cloud.answers["POST", "/ports"] = (
            409,
            {"error_message": {"faultcode": "Client", "faultstring": said}},
        )
        context: call_context.Context = self.context(
            node=_NODE, address="52:54:00:00:00:01"
        )

        error = self.assertRaises(
            rest.CloudRefused, self.plugin.create, context
        )

        self.assertIn("already exists", error.message)

    def test_a_port_group_is_given_later(self) -> None:
        context = self.made(node=_NODE, address="52:54:00:00:00:01")

        self.changed(context, portgroup="bond-1")

        self.assertEqual(
            [{"op": "add", "path": "/portgroup_uuid", "value": _NODE}],
            self.cloud.requests[-1].body,
        )

    def test_constraints_ask_for_the_microversion(self) -> None:
        login = typing.cast(
            typing.Any, self.login.connect(None, region_name=None)
        )
        for name, values in (
            ("ironic.node", ("rack-1", _NODE)),
            ("ironic.portgroup", ("bond-1", _NODE)),
        ):
            for value in values:
                constraints.CONSTRAINTS[name](login, value)
                self.assertRaises(
                    plugin_constraints.NotAccepted,
                    constraints.CONSTRAINTS[name],
                    login,
                    value.replace("1", "2"),
                )
