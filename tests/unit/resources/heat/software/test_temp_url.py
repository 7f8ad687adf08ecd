"""Servers whose agents poll objects of Swift."""

import collections.abc
import dataclasses
import typing
import urllib.parse

from orch import errors
from orch.clients import rest
from orch.conf import load
from orch.plugin import call_context
from orch.plugin import clouds
from orch.plugin import software
from orch.resources.heat.software import deployed_server
from orch.resources.openstack import type_data
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.heat import installations
from tests.unit.resources.heat.software import stores

_KIND = deployed_server.DeployedServer
_WAY = {"software_config_transport": "POLL_TEMP_URL"}
_OWN = "/AUTH_1/shop-thing-abcdefghijkl"
_NAMED = "/AUTH_1/named"
_METHODS = ("PUT", "DELETE", "POST", "HEAD")


class PolledObjectsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.there = self.useFixture(installations.Installation())
        self.there.headers["X-Container-Meta-Temp-URL-Key"] = "key"
        for path in (
            _OWN,
            f"{_OWN}/{contexts.TOKEN}",
            _NAMED,
            f"{_NAMED}/{contexts.TOKEN}",
        ):
            for method in _METHODS:
                self.there.answers[method, path] = 201, None
        self.plugin = _KIND(load.load([], files=[]))
        self.store = _Store()
        self.plugin.use(self.store)
        cloud = self.useFixture(
            installations.Cloud(f"{self.there.url}/AUTH_1")
        )
        self.plugin.use_clouds(typing.cast("clouds.Clouds", cloud))

    def context(self, **given: object) -> call_context.Context:
        made = contexts.make(_KIND, **_WAY, **given)
        return dataclasses.replace(
            made, metadata={"mine": 1}, stack_project="demo"
        )

    def made(self) -> call_context.Context:
        """Return the context of one that stands."""
        found = self.plugin.create(self.context())
        return dataclasses.replace(
            self.context(), physical_id=found.physical_id, data=found.data
        )

    def written(self, place: str = _OWN) -> list[typing.Any]:
        """Return what was written to the object, in order."""
        asked = self.there.find_requests("PUT", f"{place}/{contexts.TOKEN}")
        return [each.body for each in asked]

    def count_requests(self, method: str, path: str) -> int:
        return len(self.there.find_requests(method, path))

    def test_the_object_tells_the_agent_where_it_is(self) -> None:
        context = self.made()

        url = str(context.data["metadata_url"])
        self.assertEqual(
            f"{urllib.parse.urlsplit(self.there.url).path}"
            f"{_OWN}/{contexts.TOKEN}",
            urllib.parse.urlsplit(url).path,
        )
        agent = {
            "collectors": ["request", "local"],
            "request": {"metadata_url": url},
        }
        self.assertEqual(agent, self.plugin.agent(context))
        self.assertEqual(
            [{"mine": 1, "os-collect-config": agent, "deployments": []}],
            self.written(),
        )
        self.assertIsNone(self.plugin.given_address(context))

    def test_what_a_lost_attempt_left_is_found(self) -> None:
        self.assertEqual(
            self.plugin.create(self.context()),
            self.plugin.find(self.context()),
        )

    def test_it_holds_the_container_that_the_object_is_in(self) -> None:
        context = self.made()
        named = {**context.data, "metadata_container": "named"}
        own = _OWN.rpartition("/")[2]

        for plugin in (
            self.plugin,
            type_data.load_type("OS::Nova::Server")(contexts.options()),
        ):
            for data, held in (({}, {own}), (named, {own, "named"})):
                found = plugin.holds(context.physical_name, data)
                self.assertEqual(held, set(found))

    def test_what_changes_is_written_anew(self) -> None:
        context = dataclasses.replace(self.made(), metadata={"mine": 2})

        self.plugin.publish(context)

        self.assertEqual([1, 2], [each["mine"] for each in self.written()])

    def names(self) -> list[list[str]]:
        """Return the names of what the object told to apply, in order."""
        return [
            [config["name"] for config in each["deployments"]]
            for each in self.written()
        ]

    def test_what_is_overtaken_is_not_what_stays(self) -> None:
        """Two deployments to one server are told at the same time."""
        context = self.made()
        self.store.hand_over(_handover("a"))

        def overtake() -> None:
            self.store.hand_over(_handover("b"))
            self.plugin.publish(context)

        self.store.then.append(overtake)
        self.plugin.publish(context)

        # The second is what the first had read before.
        self.assertEqual([["a", "b"], ["a"], ["a", "b"]], self.names()[1:])

    def test_an_object_that_is_always_behind_is_told(self) -> None:
        context = self.made()
        names = (str(number) for number in range(99))
        self.store.then.extend(
            [lambda: self.store.hand_over(_handover(next(names)))] * 99
        )

        refused = self.assertRaises(
            errors.Transient, self.plugin.publish, context
        )

        self.assertIn("is behind", refused.message)

    def test_who_asks_our_api_is_told_nothing(self) -> None:
        asks = contexts.make(_KIND, physical_id=contexts.TOKEN)

        self.plugin.publish(asks)
        self.plugin.delete(asks)

        self.assertEqual([], self.there.requests)

    def test_an_object_of_another_name_takes_its_place(self) -> None:
        context = self.made()
        after = dataclasses.replace(
            context,
            properties={
                **context.properties,
                "deployment_swift_data": {"container": "named"},
            },
        )

        found = self.plugin.update(after, {}, ["deployment_swift_data"])

        self.assertEqual("named", found.data["metadata_container"])
        self.assertEqual(1, len(self.written(_NAMED)))
        self.assertEqual(
            (1, 0),
            (
                self.count_requests("DELETE", f"{_OWN}/{contexts.TOKEN}"),
                self.count_requests("DELETE", f"{_NAMED}/{contexts.TOKEN}"),
            ),
        )

    def test_another_way_leaves_no_object(self) -> None:
        context = self.made()
        after = dataclasses.replace(
            context,
            properties={
                **context.properties,
                "software_config_transport": "POLL_SERVER_HEAT",
            },
        )

        found = self.plugin.update(after, {}, ["software_config_transport"])

        self.assertEqual({}, found.data)
        self.assertEqual(
            1, self.count_requests("DELETE", f"{_OWN}/{contexts.TOKEN}")
        )

    def test_it_goes_with_the_server_and_others_stay(self) -> None:
        context = self.made()
        # Something else is in the container.
        self.there.answers["DELETE", _OWN] = 409, None

        self.plugin.delete(context)

        self.assertEqual(
            1, self.count_requests("DELETE", f"{_OWN}/{contexts.TOKEN}")
        )
        self.assertEqual(1, self.count_requests("DELETE", _OWN))

    def test_a_container_that_is_gone_is_told(self) -> None:
        context = self.made()
        self.there.answers["PUT", f"{_OWN}/{contexts.TOKEN}"] = 404, None
        self.assertRaises(rest.CloudNotFound, self.plugin.publish, context)

    def test_without_a_cloud_it_is_refused(self) -> None:
        bare = _KIND(load.load([], files=[]))
        error = self.assertRaises(errors.Invalid, bare.validate, dict(_WAY))
        self.assertIn("object store", error.message)
        self.plugin.validate(dict(_WAY))


class _Store(stores.Store):
    """One in which something happens right after it was read.

    :ivar then: what happens, each once
    """

    def __init__(self) -> None:
        super().__init__()
        self.then: list[collections.abc.Callable[[], None]] = []

    def list_configs(
        self, project_id: str, server_id: str
    ) -> list[software.Config]:
        found = super().list_configs(project_id, server_id)
        if self.then:
            self.then.pop()()
        return found


def _handover(name: str) -> software.Handover:
    """Return a config that is to be applied to the server."""
    return software.Handover(
        deployment_id=name,
        stack_id="s",
        resource_id=name,
        project_id="demo",
        server_id=contexts.TOKEN,
        config_id=name,
        definition=software.Definition(
            name=name, group="script", config="echo"
        ),
        input_values=None,
        action="CREATE",
        status=software.Status.IN_PROGRESS,
        status_reason="",
        signal_count=0,
    )
