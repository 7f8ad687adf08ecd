"""Handles, and the addresses that they make."""

import dataclasses
import json
import shlex
import urllib.parse

from oslo_config import cfg

from orch import errors
from orch.conf import api
from orch.conf import signals as signals_conf
from orch.context import seals
from orch.plugin import addresses
from orch.plugin import call_context
from orch.plugin import resource
from orch.resources.cfn import wait_condition_handle as cfn_handle
from orch.resources.heat import update_wait_condition_handle
from orch.resources.heat import wait_condition_handle
from orch.resources.signals import entries
from tests import base
from tests.unit.resources import contexts

KIND = wait_condition_handle.HeatWaitConditionHandle
CFN = cfn_handle.WaitConditionHandle
KEY = "k" * 32


def options(**given: object) -> cfg.ConfigOpts:
    conf = contexts.options()
    api.SECTION.register(conf)
    signals_conf.SECTION.register(conf)
    for name, value in ({"seal_keys": [KEY]} | given).items():
        conf.set_override(name, value, "signals")
    return conf


def made(
    plugin: resource.Resource, **properties: object
) -> call_context.Context:
    """Return the context of a handle that was made."""
    context = dataclasses.replace(
        contexts.make(type(plugin), **properties), stack_project="demo"
    )
    found = plugin.create(context)
    assert isinstance(found, call_context.CreateResult)
    return dataclasses.replace(
        context, physical_id=found.physical_id, data=found.data
    )


class AddressTest(base.TestCase):
    def test_it_is_sealed_with_the_first_key(self) -> None:
        conf = options(
            seal_keys=[KEY, "o" * 32], url_base="https://a.example/"
        )
        context = made(CFN(conf))
        found = urllib.parse.urlsplit(CFN(conf).reference_id(context))
        query = dict(urllib.parse.parse_qsl(found.query))

        self.assertEqual(
            "/v1/waitcondition/arn:openstack:heat::demo:stacks/shop"
            f"/{context.stack_id}/resources/thing",
            urllib.parse.unquote(found.path),
        )
        self.assertEqual(
            "https://a.example", f"{found.scheme}://{found.netloc}"
        )
        what = seals.Sealed(
            "waitcondition",
            "demo",
            "shop",
            context.stack_id,
            "thing",
            context.token,
            0,
        )
        self.assertEqual(
            {
                "Resource": context.token,
                "Expires": "0",
                "Signature": seals.seal_address(KEY, what),
            },
            query,
        )

    def test_it_expires_a_while_after_the_creation(self) -> None:
        url = made(CFN(options(url_lifetime=60))).data["url"]

        self.assertIn("Expires=1060&", str(url))

    def test_it_begins_where_the_api_is(self) -> None:
        conf = options()
        conf.set_override("host", "::1", "api")
        self.assertTrue(
            str(made(CFN(conf)).data["url"]).startswith(
                "http://[::1]:8004/v1/"
            )
        )
        conf.set_override("public_url", "https://public.example", "api")
        self.assertTrue(
            str(made(CFN(conf)).data["url"]).startswith(
                "https://public.example/v1/"
            )
        )

    def test_without_a_key_there_is_none(self) -> None:
        for kind in (
            KIND,
            CFN,
            update_wait_condition_handle.UpdateWaitConditionHandle,
        ):
            self.assertRaises(
                addresses.NoKey, made, kind(options(seal_keys=[]))
            )


class HandleTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.plugin = KIND(options())

    def test_the_command_can_be_given_to_a_shell(self) -> None:
        context = made(self.plugin)
        found = self.plugin.read_attributes(context, ["curl_cli"])

        words = shlex.split(str(found["curl_cli"]))
        self.assertEqual(["curl", "-i", "-X", "POST"], words[:4])
        self.assertEqual(found["endpoint"], words[-1])
        self.assertEqual(
            {"alarm_url": found["endpoint"]},
            json.loads(str(found["signal"])),
        )
        self.assertIn("/v1/signal/arn", str(found["endpoint"]))

    def test_its_reference_is_its_name(self) -> None:
        context = made(self.plugin)

        self.assertEqual(
            context.physical_name, self.plugin.reference_id(context)
        )

    def test_without_a_key_only_the_way_without_address_is_left(self) -> None:
        context = made(
            KIND(options(seal_keys=[])), signal_transport="NO_SIGNAL"
        )

        self.assertEqual({}, context.data)

    def test_services_that_we_have_no_client_of_are_named(self) -> None:
        for way, named in (
            ("HEAT_SIGNAL", "Keystone"),
            ("TEMP_URL_SIGNAL", "Swift"),
            ("ZAQAR_SIGNAL", "Zaqar"),
        ):
            error = self.assertRaises(
                errors.NotSupported,
                self.plugin.validate,
                {"signal_transport": way},
            )
            self.assertIn(named, error.message)

    def test_a_signal_is_kept_and_told_of(self) -> None:
        taken = self.plugin.handle_signal(made(self.plugin), {"data": 7})

        expected = {
            "status": "SUCCESS",
            "reason": "Signal 1 received",
            "data": 7,
        }
        self.assertEqual({"1": expected}, taken.signal_data)
        self.assertEqual({"1": expected}, taken.answer)
        self.assertEqual(
            "Signal: status:SUCCESS reason:Signal 1 received", taken.reason
        )

    def test_the_same_signal_again_is_not_told_of(self) -> None:
        context = made(self.plugin)
        details = {"id": 5, "status": "FAILURE"}
        first = self.plugin.handle_signal(context, details)
        again = self.plugin.handle_signal(
            dataclasses.replace(context, signals=first.signal_data), details
        )

        self.assertEqual(first.signal_data, again.signal_data)
        self.assertEqual("", again.reason)

    def test_metadata_shows_what_came_beside_its_own(self) -> None:
        plugin = CFN(options())
        entry = {"status": "SUCCESS", "reason": "r", "data": "d"}
        context = dataclasses.replace(
            made(plugin), metadata={"own": 1}, signals={"a": entry}
        )

        self.assertEqual(
            {
                "own": 1,
                "a": {"Status": "SUCCESS", "Reason": "r", "Data": "d"},
            },
            plugin.shown_metadata(context),
        )
        self.assertRaises(
            entries.BadSignal, plugin.handle_signal, context, None
        )
