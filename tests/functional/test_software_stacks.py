"""Deployments in stacks: what the agent of a server finds, tells and does."""

from tests.functional import deploying
from tests.support import rest

_UNKNOWN = "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11"


class DeploymentTests(deploying.StacksTestCase):
    def test_a_server_applies_and_tells(self) -> None:
        self.begin(
            deploying.template(input_values={"greeting": "hi"}, name="50")
        )

        found = self.agent.fetch()
        self.assertEqual("IN_PROGRESS", self.deployment()["status"])
        self.agent.send_result(
            found, result=42, deploy_stdout="hi\n", other="x"
        )
        self.wait("CREATE_COMPLETE")

        inputs = self.agent.inputs(found)
        self.assertEqual(
            ("50", "script", deploying.SCRIPT),
            (found["name"], found["group"], found["config"]),
        )
        self.assertEqual(
            ("hi", self.physical_id("server"), "CREATE", "deployment"),
            (
                inputs["greeting"],
                inputs["deploy_server_id"],
                inputs["deploy_action"],
                inputs["deploy_resource_name"],
            ),
        )
        self.assertEqual(f"s/{self.stack.id}", inputs["deploy_stack_id"])
        self.assertEqual(
            {"result": 42, "stdout": "hi\n"}, self.client.outputs(self.stack)
        )
        attributes = self.client.get(
            f"{self.stack.path}/resources/deployment?with_attr=result",
            "resource",
        )["attributes"]
        self.assertEqual(
            (42, "hi\n", 0),
            (
                attributes["result"],
                attributes["deploy_stdout"],
                attributes["deploy_status_code"],
            ),
        )
        shown = self.deployment()
        self.assertEqual(
            ("COMPLETE", "Outputs received", found["id"]),
            (shown["status"], shown["status_reason"], shown["config_id"]),
        )
        self.assertNotIn("other", shown["output_values"])
        self.assertIn(
            f"Signal: deployment {shown['id']} succeeded", self.reasons()
        )

    def test_the_same_is_told_by_server(self) -> None:
        self.begin(deploying.template(signal_transport="NO_SIGNAL"))
        self.wait("CREATE_COMPLETE")

        found = self.client.get(
            f"/software_deployments/metadata/{self.physical_id('server')}",
            "metadata",
        )

        self.assertEqual(self.agent.deployments(), found)
        self.assertEqual(1, len(found))

    def test_a_failure_on_the_server_fails_the_stack(self) -> None:
        self.begin(deploying.template())

        self.agent.apply(deploy_status_code=1, deploy_stderr="no\n")
        shown = self.wait("CREATE_FAILED")

        self.assertIn(
            "Deployment to server failed: deploy_status_code : Deployment"
            " exited with non-zero status code: 1",
            shown["stack_status_reason"],
        )
        self.assertEqual(
            "no\n", self.deployment()["output_values"]["deploy_stderr"]
        )

    def test_an_error_output_fails_the_stack(self) -> None:
        self.begin(deploying.template())

        self.agent.apply(broken="leg")
        shown = self.wait("CREATE_FAILED")

        self.assertIn(
            "Deployment to server failed: broken : leg",
            shown["stack_status_reason"],
        )

    def test_a_retry_lets_the_server_apply_it_again(self) -> None:
        self.begin(deploying.template())
        self.agent.apply(deploy_status_code=1)
        self.wait("CREATE_FAILED")

        self.client.retry(self.stack)
        self.agent.apply(result="at last")
        self.wait("CREATE_COMPLETE")

        self.assertEqual(2, len(set(self.agent.observed)))
        self.assertEqual("at last", self.client.outputs(self.stack)["result"])

    def test_an_update_hands_over_anew(self) -> None:
        self.begin(deploying.template())
        self.agent.apply(result=1)
        self.wait("CREATE_COMPLETE")
        before = self.physical_id()

        self.update(deploying.template(input_values={"greeting": "bye"}))
        found = self.agent.apply(result=2)
        self.wait("UPDATE_COMPLETE")

        inputs = self.agent.inputs(found)
        self.assertEqual(
            ("bye", "UPDATE"), (inputs["greeting"], inputs["deploy_action"])
        )
        self.assertEqual(before, self.physical_id())
        self.assertEqual(2, self.client.outputs(self.stack)["result"])
        self.assertEqual(
            [found["id"]], [one["id"] for one in self.agent.deployments()]
        )

    def test_an_update_without_a_change_asks_nobody(self) -> None:
        self.begin(deploying.template())
        self.agent.apply()
        self.wait("CREATE_COMPLETE")

        self.update(deploying.template())
        self.wait("UPDATE_COMPLETE")

        self.assertEqual(
            self.agent.observed,
            [one["id"] for one in self.agent.deployments()],
        )

    def test_a_changed_config_is_handed_over(self) -> None:
        self.begin(deploying.template())
        self.agent.apply()
        self.wait("CREATE_COMPLETE")
        old = self.physical_id("config")

        self.update(
            deploying.template(deploying.config(config="#!/bin/true\n"))
        )
        found = self.agent.apply()
        self.wait("UPDATE_COMPLETE")

        self.assertEqual("#!/bin/true\n", found["config"])
        refused = self.assertRaises(
            rest.RefusedError,
            self.client.get,
            f"/software_configs/{old}",
            "software_config",
        )
        self.assertEqual(404, refused.status)

    def test_an_input_may_ask_for_another_deployment(self) -> None:
        replacing = deploying.config(
            inputs=[{"name": "greeting", "replace_on_change": True}]
        )
        self.begin(deploying.template(replacing, signal_transport="NO_SIGNAL"))
        self.wait("CREATE_COMPLETE")
        before = self.physical_id()

        self.update(
            deploying.template(
                replacing,
                signal_transport="NO_SIGNAL",
                input_values={"greeting": "new"},
            )
        )
        self.wait("UPDATE_COMPLETE")

        self.assertNotEqual(before, self.physical_id())
        found = self.client.get(
            "/software_deployments", "software_deployments"
        )
        self.assertEqual([self.physical_id()], [one["id"] for one in found])

    def test_suspend_resume_and_delete_take_part_on_request(self) -> None:
        self.begin(deploying.template(actions=["SUSPEND", "RESUME", "DELETE"]))
        self.wait("CREATE_COMPLETE")
        self.assertEqual([], self.agent.deployments())
        acts = []

        for action in ("suspend", "resume"):
            self.client.ask(
                "POST", f"{self.stack.path}/actions", {action: None}
            )
            acts.append(self.agent.apply())
            self.wait(f"{action.upper()}_COMPLETE")
        self.client.delete(self.stack)
        acts.append(self.agent.apply())
        self.wait("DELETE_COMPLETE")

        self.assertEqual(
            ["SUSPEND", "RESUME", "DELETE"],
            [self.agent.inputs(one)["deploy_action"] for one in acts],
        )
        self.assertEqual([], self.configs())

    def test_one_that_another_took_the_place_of_tells_of_its_end(self) -> None:
        wanted = deploying.template(actions=["CREATE", "DELETE"])
        self.begin(wanted)
        self.agent.apply()
        self.wait("CREATE_COMPLETE")

        self.update(deploying.elsewhere(wanted))
        deploying.Agent(self.client, self.stack, "other").apply()
        last = self.agent.apply()
        self.wait("UPDATE_COMPLETE")

        self.assertEqual("DELETE", self.agent.inputs(last)["deploy_action"])
        found = self.client.get(
            "/software_deployments", "software_deployments"
        )
        self.assertEqual([self.physical_id()], [one["id"] for one in found])

    def test_nothing_is_left_after_a_delete(self) -> None:
        self.begin(deploying.template())
        self.agent.apply()
        self.wait("CREATE_COMPLETE")
        server = self.physical_id("server")

        self.client.delete(self.stack)
        self.wait("DELETE_COMPLETE")

        self.assertEqual([], self.configs())
        for path, key in (
            ("/software_deployments", "software_deployments"),
            (f"/software_deployments/metadata/{server}", "metadata"),
        ):
            self.assertEqual([], self.client.get(path, key))

    def test_whoever_may_change_a_deployment_can_finish_it(self) -> None:
        self.begin(deploying.template())
        self.agent.fetch()

        self.client.ask(
            "PUT",
            f"/software_deployments/{self.physical_id()}",
            {"status": "COMPLETE", "output_values": {"result": "by hand"}},
        )
        self.wait("CREATE_COMPLETE")

        self.assertEqual("by hand", self.client.outputs(self.stack)["result"])

    def test_one_that_somebody_removes_fails(self) -> None:
        self.begin(deploying.template())
        self.agent.fetch()

        self.client.ask(
            "DELETE", f"/software_deployments/{self.physical_id()}"
        )
        shown = self.wait("CREATE_FAILED")
        self.client.retry(self.stack)
        self.agent.apply()
        self.wait("CREATE_COMPLETE")

        self.assertIn("removed it", shown["stack_status_reason"])

    def test_a_component_is_applied_in_its_own_actions(self) -> None:
        wanted = deploying.template(actions=["CREATE"])
        configs = [
            {"actions": ["UPDATE"], "tool": "script", "config": "up"},
            {"actions": ["DELETE"], "tool": "script", "config": "down"},
        ]
        wanted["resources"]["config"] = {
            "type": "OS::Heat::SoftwareComponent",
            "properties": {
                "configs": configs,
                "outputs": [{"name": "result"}],
            },
        }
        self.begin(wanted)
        self.wait("CREATE_COMPLETE")
        self.assertEqual([], self.agent.deployments())

        self.client.delete(self.stack)
        found = self.agent.apply()
        self.wait("DELETE_COMPLETE")

        self.assertEqual(
            ("component", {"configs": configs}),
            (found["group"], found["config"]),
        )

    def test_a_structured_config_is_filled_in(self) -> None:
        wanted = deploying.template()
        wanted["resources"]["config"] = {
            "type": "OS::Heat::StructuredConfig",
            "properties": {
                "group": "ansible",
                "config": {"hosts": [{"get_input": "greeting"}]},
                "outputs": [{"name": "result"}],
            },
        }
        wanted["resources"]["deployment"] = {
            **deploying.deployment(
                input_values={"greeting": {"a": 1}},
                signal_transport="NO_SIGNAL",
            ),
            "type": "OS::Heat::StructuredDeployment",
        }
        self.begin(wanted)
        self.wait("CREATE_COMPLETE")

        self.assertEqual({"hosts": [{"a": 1}]}, self.agent.fetch()["config"])

    def test_a_config_that_is_not_there_fails_the_stack(self) -> None:
        self.begin(deploying.template(config=_UNKNOWN))

        shown = self.wait("CREATE_FAILED")

        self.assertIn(
            f"Software config with id {_UNKNOWN} not found",
            shown["stack_status_reason"],
        )

    def test_what_nobody_serves_is_refused_at_once(self) -> None:
        wanted = deploying.template()
        wanted["resources"]["server"]["properties"] = {
            "software_config_transport": "ZAQAR_MESSAGE"
        }
        for bad, word in (
            (
                deploying.template(signal_transport="ZAQAR_SIGNAL"),
                "ZAQAR_SIGNAL",
            ),
            (wanted, "ZAQAR_MESSAGE"),
        ):
            refused = self.assertRaises(
                rest.RefusedError, self.client.create, "s", bad
            )
            self.assertEqual(400, refused.status)
            self.assertIn(word, str(refused.body))


class UnappliedDeploymentTests(deploying.StacksTestCase):
    """Deployments that no server applies while their stack waits."""

    def fail_beside(self) -> None:
        """Let the operation of the stack fail for another resource."""
        template = deploying.template()
        template["resources"] |= {
            "handle": {"type": "OS::Heat::WaitConditionHandle"},
            "bad": {
                "type": "OS::Heat::WaitCondition",
                "properties": {
                    "handle": {"get_resource": "handle"},
                    "timeout": 300,
                },
            },
        }
        self.begin(template)
        self.agent.fetch()
        self.client.ask(
            "POST",
            f"{self.stack.path}/resources/handle/signal",
            {"status": "FAILURE", "reason": "no"},
        )
        self.wait("CREATE_FAILED")

    def test_one_fails_with_the_operation_of_its_stack(self) -> None:
        self.fail_beside()

        shown = self.deployment()
        self.assertEqual(
            ("FAILED", "Deployment cancelled."),
            (shown["status"], shown["status_reason"]),
        )

    def test_one_may_be_answered_after_a_cancellation(self) -> None:
        self.begin(deploying.template())
        self.agent.fetch()

        self.client.ask(
            "POST",
            f"{self.stack.path}/actions",
            {"cancel_without_rollback": None},
        )
        self.wait("CREATE_FAILED")

        self.assertEqual("IN_PROGRESS", self.deployment()["status"])

    def test_the_next_operation_delivers_it_again(self) -> None:
        self.fail_beside()

        self.update(deploying.template())
        self.agent.apply(deploy_stdout="hi")
        self.wait("UPDATE_COMPLETE")

        self.assertEqual("COMPLETE", self.deployment()["status"])
