"""A server that is there already."""

import dataclasses

from orch import errors
from orch.conf import load
from orch.plugin import call_context
from orch.plugin import software
from orch.resources.heat.software import deployed_server
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.heat.software import stores

_KIND = deployed_server.DeployedServer


class DeployedServerTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.store = stores.Store()
        self.plugin = _KIND(load.load([], files=[]))
        self.plugin.use(self.store)

    def test_it_is_an_id_and_nothing_else(self) -> None:
        context = contexts.make(_KIND)

        self.assertEqual(
            call_context.CreateResult(contexts.TOKEN),
            self.plugin.create(context),
        )
        self.assertIsNone(self.plugin.find(context))

    def test_its_metadata_tell_what_is_deployed_to_it(self) -> None:
        context = dataclasses.replace(
            contexts.make(_KIND, physical_id=contexts.TOKEN),
            metadata={"mine": 1},
            stack_project="demo",
        )
        self.store.hand_over(
            software.Handover(
                deployment_id="d",
                stack_id="s",
                resource_id="d",
                project_id="demo",
                server_id=contexts.TOKEN,
                config_id="c",
                definition=software.Definition(
                    name="n",
                    group="script",
                    config="echo",
                    inputs=[{"name": "a", "value": 1}],
                ),
                input_values=None,
                action="CREATE",
                status=software.Status.IN_PROGRESS,
                status_reason="",
                signal_count=0,
            )
        )

        shown = self.plugin.shown_metadata(context)

        self.assertEqual(1, shown["mine"])
        self.assertEqual(
            [
                {
                    "id": "c",
                    "name": "n",
                    "group": "script",
                    "config": "echo",
                    "inputs": [{"name": "a", "value": 1}],
                    "outputs": [],
                    "options": {},
                    "creation_time": "2023-11-14T22:13:20Z",
                }
            ],
            shown["deployments"],
        )
        self.assertEqual(
            {
                "collectors": ["cfn", "local"],
                "cfn": {"path": "thing.Metadata", "stack_name": "shop"},
            },
            shown["os-collect-config"],
        )

    def test_before_it_is_made_its_metadata_are_those_given(self) -> None:
        self.assertEqual({}, self.plugin.shown_metadata(contexts.make(_KIND)))

    def test_attributes_follow_the_properties(self) -> None:
        context = dataclasses.replace(
            contexts.make(
                _KIND,
                name="web",
                software_config_transport="POLL_SERVER_HEAT",
            ),
            stack_project="demo",
        )
        self.plugin.update(context, {}, ["name"])

        self.assertEqual(
            {
                "name": "web",
                "os_collect_config": {
                    "collectors": ["heat", "local"],
                    "heat": {
                        "metadata_url": (
                            "http://127.0.0.1:8004/v1/demo/stacks/shop"
                            f"/{context.stack_id}/resources/thing/metadata"
                        ),
                        "project_id": "demo",
                        "resource_name": "thing",
                        "stack_id": f"shop/{context.stack_id}",
                    },
                },
            },
            self.plugin.read_attributes(
                context, ["name", "os_collect_config"]
            ),
        )

    def test_a_name_of_the_stack_is_the_default(self) -> None:
        read = self.plugin.read_attributes(contexts.make(_KIND), ["name"])

        self.assertEqual("shop-thing-abcdefghijkl", read["name"])

    def test_transports_that_nobody_serves_are_refused(self) -> None:
        for transport in ("POLL_TEMP_URL", "ZAQAR_MESSAGE"):
            wanted = {"software_config_transport": transport}
            error = self.assertRaises(
                errors.Invalid, self.plugin.validate, wanted
            )
            self.assertIn(transport, str(error))
            self.assertRaises(
                errors.Invalid,
                self.plugin.create,
                contexts.make(_KIND, **wanted),
            )
