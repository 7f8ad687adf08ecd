"""Deployments: what is handed over when, and what comes of signals."""

import dataclasses

from orch import errors
from orch.clients import rest
from orch.conf import load
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import software
from orch.resources.heat.software import software_deployment
from orch.resources.heat.software import structured_deployment
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.heat.software import stores

Values = dict[str, object]

_SOURCE = "5d4b3a1e-0000-4000-8000-000000000009"
_WELL = {"deploy_status_code": 0, "deploy_stdout": "hi", "o": 1}


class DeploymentsTestCase(base.TestCase):
    """One deployment, called as the engine calls it.

    :ivar signals: what the engine keeps of signals
    """

    KIND: type[software_deployment.SoftwareDeployment] = (
        software_deployment.SoftwareDeployment
    )

    def setUp(self) -> None:
        super().setUp()
        conf = load.load([], files=[])
        conf.set_override("seal_keys", ["k" * 32], "signals")
        self.store = stores.Store()
        self.plugin = self.KIND(conf)
        self.plugin.use(self.store)
        self.signals: Values = {}
        self.data: Values = {}
        self.store_config()

    def store_config(self, **given: object) -> None:
        values = {
            "group": "script",
            "config": "echo",
            "outputs": [{"name": "o"}, {"name": "e", "error_output": True}],
        }
        self.store.configs.pop(_SOURCE, None)
        self.store.create_config(
            "demo", _SOURCE, software.Definition(**(values | given))
        )

    def context(
        self, started_at: float = 1000.0, **properties: object
    ) -> call_context.Context:
        values = {"config": _SOURCE, "server": "web", **properties}
        made = contexts.make(
            self.KIND,
            physical_id=contexts.TOKEN if self.data else None,
            data=self.data,
            started_at=started_at,
            **values,
        )
        return dataclasses.replace(
            made, stack_project="demo", signals=self.signals
        )

    def create(self, **properties: object) -> call_context.Context:
        context = self.context(**properties)
        made = self.plugin.create(context)
        self.assertEqual(contexts.TOKEN, made.physical_id)
        self.data = dict(made.data)
        return context

    def send_signal(self, details: object) -> str:
        """Send a signal; return what the event says."""
        found = self.plugin.handle_signal(self.context(), details)
        self.signals = dict(found.signal_data or {})
        return found.reason

    @property
    def deployed(self) -> software.Deployment:
        return self.store.deployments[contexts.TOKEN]

    @property
    def config(self) -> software.Config:
        """What the agent of the server finds."""
        (found,) = self.store.list_configs("demo", "web")
        return found

    def inputs(self) -> Values:
        return {str(one["name"]): one["value"] for one in self.config.inputs}


class HandoverTests(DeploymentsTestCase):
    def test_the_server_finds_config_inputs_and_where_to_signal(self) -> None:
        self.store_config(inputs=[{"name": "a", "default": 7}, {"name": "b"}])

        self.create(input_values={"b": [1], "c": "free"}, name="50-web")

        self.assertEqual(
            ("50-web", "script", "echo"),
            (self.config.name, self.config.group, self.config.config),
        )
        inputs = self.inputs()
        self.assertRegex(
            inputs.pop("deploy_signal_id"), "^http://.*/v1/signal/arn"
        )
        self.assertEqual(
            {
                "a": 7,
                "b": [1],
                "c": "free",
                "deploy_server_id": "web",
                "deploy_action": "CREATE",
                "deploy_stack_id": "shop/5d4b3a1e-0000-4000-8000-000000000001",
                "deploy_resource_name": "thing",
                "deploy_signal_transport": "CFN_SIGNAL",
                "deploy_signal_verb": "POST",
            },
            inputs,
        )
        self.assertEqual(
            ("IN_PROGRESS", "Deploy data available"),
            (self.deployed.status, self.deployed.status_reason),
        )

    def test_a_repeated_call_hands_over_once(self) -> None:
        context = self.create()
        first = self.config

        self.plugin.create(context)
        self.plugin.continue_creation(self.context())

        self.assertEqual(first, self.config)

    def test_a_retry_hands_over_anew(self) -> None:
        self.create()
        first = self.config.id

        self.plugin.continue_creation(self.context(2000.0))

        self.assertNotEqual(first, self.config.id)

    def test_d2_what_somebody_else_has_deployed_is_told(self) -> None:
        self.create()
        as_made = self.plugin.get_reality(self.context())
        self.store.deployments[contexts.TOKEN] = dataclasses.replace(
            self.deployed, config_id="theirs"
        )

        as_found = self.plugin.get_reality(self.context())

        self.assertEqual({"server": "web", "config": _SOURCE}, as_made)
        self.assertEqual({"server": "web", "config": "theirs"}, as_found)

    def test_d4_one_that_somebody_removed_has_vanished(self) -> None:
        self.create()
        del self.store.deployments[contexts.TOKEN]

        self.assertRaises(
            reality.Vanished, self.plugin.get_reality, self.context()
        )

    def test_one_that_was_never_handed_over_tells_nothing(self) -> None:
        self.create(actions=["DELETE"])

        self.assertEqual({}, self.plugin.get_reality(self.context()))
        self.assertEqual({}, self.store.deployments)

    def test_nobody_waits_without_a_signal(self) -> None:
        context = self.create(signal_transport="NO_SIGNAL")

        self.assertIsNone(self.plugin.is_created(context))
        self.assertEqual(
            ("COMPLETE", "Not waiting for outputs signal"),
            (self.deployed.status, self.deployed.status_reason),
        )
        self.assertNotIn("deploy_signal_id", self.inputs())

    def test_other_actions_hand_nothing_over(self) -> None:
        context = self.create(actions=["UPDATE"])

        self.assertIsNone(self.plugin.is_created(context))
        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual({}, self.store.deployments)

    def test_each_action_that_it_takes_part_in_hands_over(self) -> None:
        every = ["CREATE", "UPDATE", "DELETE", "SUSPEND", "RESUME"]
        self.create(actions=every, signal_transport="NO_SIGNAL")
        seen = [self.config.id]
        for at, act in enumerate(("update", "suspend", "resume", "delete")):
            context = self.context(
                2000.0 + at, actions=every, signal_transport="NO_SIGNAL"
            )
            arguments = ({}, ["name"]) if act == "update" else ()
            getattr(self.plugin, act)(context, *arguments)
            self.assertEqual(act.upper(), self.inputs()["deploy_action"])
            seen.append(self.config.id)

        self.assertEqual(5, len(set(seen)))
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual({}, self.store.deployments)
        self.assertEqual({_SOURCE}, set(self.store.configs))

    def test_a_component_says_itself_when_it_is_applied(self) -> None:
        self.store_config(
            group="component",
            config={"configs": [{"actions": ["DELETE"], "tool": "script"}]},
        )
        self.create(actions=["CREATE"])
        before = dict(self.store.deployments)

        self.assertEqual({}, before)

    def test_a_component_is_handed_over_whole(self) -> None:
        said = {"configs": [{"actions": ["CREATE"], "tool": "script"}]}
        self.store_config(group="component", config=said)

        self.create(actions=["DELETE"])

        self.assertEqual(
            ("component", said), (self.config.group, self.config.config)
        )

    def test_without_a_config_inputs_alone_are_handed_over(self) -> None:
        self.create(config=None, input_values={"a": 1})

        self.assertEqual(
            ("Heat::Ungrouped", "", 1),
            (self.config.group, self.config.config, self.inputs()["a"]),
        )

    def test_a_config_that_is_not_there_fails_it(self) -> None:
        error = self.assertRaises(
            errors.Permanent, self.plugin.create, self.context(config="nosuch")
        )

        self.assertIn("nosuch", str(error))

    def test_a_config_that_is_gone_does_not_keep_it_alive(self) -> None:
        actions = ["CREATE", "DELETE"]
        self.create(actions=actions, signal_transport="NO_SIGNAL")
        del self.store.configs[_SOURCE]
        context = self.context(actions=actions)

        self.plugin.delete(context)

        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual({}, self.store.deployments)

    def test_what_was_removed_already_is_not_applied_again(self) -> None:
        self.create(actions=["CREATE", "DELETE"])
        context = self.context(2000.0, actions=["CREATE", "DELETE"])
        self.plugin.delete(context)
        self.send_signal(_WELL)
        context = dataclasses.replace(context, signals=self.signals)
        self.assertIsNone(self.plugin.is_deleted(context))

        self.plugin.delete(context)

        self.assertEqual({}, self.store.deployments)

    def test_the_server_is_told_of_each_change(self) -> None:
        """It may look elsewhere than at our API."""
        self.create()
        self.plugin.continue_creation(self.context())
        self.plugin.update(self.context(2000.0), {}, [])
        self.assertEqual(["web"] * 3, self.store.published)
        context = self.context(3000.0)
        self.plugin.delete(context)
        self.assertEqual(["web"] * 3, self.store.published)

        self.assertIsNone(self.plugin.is_deleted(context))

        self.assertEqual(["web"] * 4, self.store.published)

    def test_what_told_the_server_may_be_gone_when_it_goes(self) -> None:
        self.create()
        self.store.refusal = rest.CloudNotFound("no container")
        self.assertRaises(
            rest.CloudNotFound,
            self.plugin.update,
            self.context(2000.0),
            {},
            [],
        )
        context = self.context(3000.0)
        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual({}, self.store.deployments)

    def test_a_server_has_a_name_that_can_be_stored(self) -> None:
        self.plugin.validate({"server": "s" * 255})

        self.assertRaises(
            errors.Invalid, self.plugin.validate, {"server": "s" * 256}
        )

    def test_transports_that_nobody_serves_are_refused(self) -> None:
        error = self.assertRaises(
            errors.Invalid,
            self.plugin.validate,
            {"signal_transport": "ZAQAR_SIGNAL"},
        )
        self.assertIn("ZAQAR_SIGNAL", str(error))
        self.plugin.validate({"signal_transport": "CFN_SIGNAL"})
        self.plugin.validate({})


class SignalTests(DeploymentsTestCase):
    def test_it_waits_until_the_server_tells(self) -> None:
        context = self.create()
        pending = self.plugin.is_created(context)

        reason = self.send_signal(_WELL)
        done = self.plugin.is_created(self.context())

        self.assertTrue(pending.awaits_signal)
        self.assertEqual(
            f"Signal: deployment {contexts.TOKEN} succeeded", reason
        )
        self.assertIsNone(done)
        self.assertEqual(
            ("COMPLETE", "Outputs received"),
            (self.deployed.status, self.deployed.status_reason),
        )
        self.assertEqual(
            {"deploy_stdout": "hi", "o": 1},
            self.plugin.read_attributes(
                self.context(), ["deploy_stdout", "o"]
            ),
        )

    def test_a_failure_on_the_server_fails_it(self) -> None:
        self.create()

        reason = self.send_signal({"e": "broken"})
        error = self.assertRaises(
            errors.Permanent, self.plugin.is_created, self.context()
        )

        self.assertEqual(f"Signal: deployment {contexts.TOKEN} failed", reason)
        self.assertEqual("Deployment to server failed: e : broken", str(error))

    def test_a_signal_of_before_says_nothing_of_the_next_action(self) -> None:
        self.create()
        self.send_signal(_WELL)
        self.plugin.is_created(self.context())

        context = self.context(2000.0, name="new")
        self.plugin.update(context, {}, ["name"])
        before = self.plugin.is_updated(context)
        self.send_signal({"o": 2})

        self.assertTrue(before.awaits_signal)
        self.assertIsNone(self.plugin.is_updated(self.context(2000.0)))
        self.assertEqual(2, self.deployed.output_values["o"])

    def test_a_call_after_a_crash_forgets_no_signal(self) -> None:
        context = self.context(2000.0)
        self.create()
        self.plugin.update(context, {}, ["name"])
        self.send_signal(_WELL)

        self.plugin.update(self.context(2000.0), {}, ["name"])

        self.assertIsNone(self.plugin.is_updated(self.context(2000.0)))

    def test_a_second_signal_changes_nothing(self) -> None:
        self.create()
        self.send_signal(_WELL)
        self.plugin.is_created(self.context())
        before = self.deployed

        self.send_signal({"deploy_status_code": 1})

        self.assertIsNone(self.plugin.is_created(self.context()))
        self.assertEqual(before, self.deployed)

    def test_it_may_be_finished_over_rest(self) -> None:
        self.create()
        self.store.finish(self.deployed, software.Status.COMPLETE, "", {})

        self.assertIsNone(self.plugin.is_created(self.context()))

    def test_what_others_remove_or_change_fails_it(self) -> None:
        self.create()
        found = self.store.deployments.pop(contexts.TOKEN)
        gone = self.assertRaises(
            errors.Permanent, self.plugin.is_created, self.context()
        )
        self.store.deployments[found.id] = dataclasses.replace(
            found, config_id=_SOURCE
        )
        changed = self.assertRaises(
            errors.Permanent, self.plugin.is_created, self.context()
        )

        self.assertIn("removed it", str(gone))
        self.assertIn("changed its config", str(changed))

    def test_what_is_no_map_is_refused(self) -> None:
        self.create()

        for details in ("text", [1], 3):
            self.assertRaises(errors.Invalid, self.send_signal, details)
        self.assertIn("succeeded", self.send_signal(None))

    def test_an_output_that_nobody_declares_is_refused(self) -> None:
        self.create()
        known = self.plugin.read_attributes(self.context(), ["o"])

        error = self.assertRaises(
            errors.Invalid,
            self.plugin.read_attributes,
            self.context(),
            ["colour"],
        )

        self.assertEqual({}, known)
        self.assertIn("colour", str(error))


class ReplacementTests(DeploymentsTestCase):
    def needs(self, before: Values, after: Values) -> bool:
        return self.plugin.needs_replacement(
            {"config": _SOURCE, **before},
            {"config": _SOURCE, **after},
            [name for name in after if after.get(name) != before.get(name)],
        )

    def test_only_inputs_that_ask_for_it_replace(self) -> None:
        self.store_config(
            inputs=[
                {"name": "a", "replace_on_change": True, "default": 1},
                {"name": "b"},
            ]
        )

        for expected, after in (
            (True, {"a": 2}),
            (False, {"a": 1, "b": 1}),
            (False, {"b": 1}),
        ):
            found = self.needs({"input_values": {}}, {"input_values": after})
            self.assertEqual(expected, found, after)
        self.assertFalse(self.needs({"name": "x"}, {"name": "y"}))

    def test_a_config_that_is_gone_asks_for_nothing(self) -> None:
        del self.store.configs[_SOURCE]

        self.assertFalse(
            self.needs({"input_values": {}}, {"input_values": {"a": 1}})
        )


class StructuredTests(DeploymentsTestCase):
    KIND = structured_deployment.StructuredDeployment

    def test_values_take_the_place_of_inputs(self) -> None:
        self.store_config(
            inputs=[{"name": "b", "default": "two"}],
            config={
                "a": {"get_input": "a"},
                "l": [{"get_input": "b"}, "x"],
                "s": {"get_input": "deploy_server_id"},
                "both": {"get_input": "a", "other": 1},
                "none": {"get_input": "nosuch"},
            },
        )

        self.create(input_values={"a": {"x": 1}})

        self.assertEqual(
            {
                "a": {"x": 1},
                "l": ["two", "x"],
                "s": "web",
                "both": {"get_input": "a", "other": 1},
                "none": None,
            },
            self.config.config,
        )

    def test_another_word_may_stand_for_an_input(self) -> None:
        self.store_config(config={"a": {"GET": "a"}, "b": {"get_input": "a"}})

        self.create(input_key="GET", input_values={"a": 1})

        self.assertEqual({"a": 1, "b": {"get_input": "a"}}, self.config.config)

    def test_a_missing_value_can_be_forbidden(self) -> None:
        self.store_config(config={"a": [{"get_input": "nosuch"}]})

        error = self.assertRaises(
            errors.Invalid,
            self.plugin.create,
            self.context(input_values_validate="STRICT"),
        )

        self.assertIn("nosuch", str(error))
        self.assertEqual({}, self.store.deployments)
