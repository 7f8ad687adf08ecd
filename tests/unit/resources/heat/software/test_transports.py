import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import clouds
from orch.resources.heat.software import software_deployment
from orch.resources.heat.software import transports
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.heat import installations

KIND = software_deployment.SoftwareDeployment
CONTAINER = "/AUTH_1/shop-thing-abcdefghijkl"


class TransportsTest(base.TestCase):
    def context(self) -> call_context.Context:
        return contexts.make(
            KIND,
            server="s",
            signal_transport=transports.TEMP_URL_SIGNAL,
        )

    def test_ways_that_nobody_serves_are_refused(self) -> None:
        error = self.assertRaises(
            errors.Invalid,
            transports.check_transport,
            {"signal_transport": "ZAQAR_SIGNAL"},
        )
        self.assertIn("TEMP_URL_SIGNAL", error.message)
        for served in ("TEMP_URL_SIGNAL", "CFN_SIGNAL", "NO_SIGNAL"):
            transports.check_transport({"signal_transport": served})

    def test_without_a_cloud_there_is_no_object_store(self) -> None:
        plugin = KIND(contexts.options())

        error = self.assertRaises(
            clouds.NoCloud, plugin._signal, self.context(), "config"
        )

        self.assertIn("Keystone", error.message)

    def test_the_address_is_that_of_an_object_for_the_config(self) -> None:
        there = self.useFixture(installations.Installation())
        there.headers["X-Container-Meta-Temp-URL-Key"] = "key"
        there.answers["HEAD", CONTAINER] = 204, None
        plugin = KIND(contexts.options())
        url = f"{there.url}/AUTH_1"
        plugin.use_clouds(
            typing.cast(
                "clouds.Clouds", self.useFixture(installations.Cloud(url))
            )
        )

        signal = plugin._signal(self.context(), "config-7")

        held = plugin.holds(self.context().physical_name, {})
        self.assertEqual([CONTAINER.rpartition("/")[2]], list(held))
        self.assertEqual("PUT", signal.verb)
        self.assertTrue(
            str(signal.address).startswith(
                f"{there.url}{CONTAINER}/config-7?temp_url_sig="
            )
        )
