"""Deployments whose servers log in to tell how it went."""

import dataclasses

from orch import errors
from orch.plugin import call_context
from orch.plugin import software
from tests.unit.resources import contexts
from tests.unit.resources import stack_users
from tests.unit.resources.heat.software import test_deployments

_LOGS_IN = {"signal_transport": "HEAT_SIGNAL"}


class LoginTests(test_deployments.DeploymentsTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.users = stack_users.Users()
        self.plugin.use_stack_users(self.users)

    def test_the_server_is_told_who_it_is(self) -> None:
        self.create(**_LOGS_IN)

        inputs = self.inputs()

        password = self.users.passwords[contexts.TOKEN]
        self.assertEqual(
            {
                "deploy_auth_url": "http://keystone/v3",
                "deploy_username": contexts.TOKEN,
                "deploy_user_id": f"id-{contexts.TOKEN}",
                "deploy_password": password,
                "deploy_project_id": f"project-{contexts.TOKEN}",
                "deploy_region_name": "north",
                "deploy_signal_transport": "HEAT_SIGNAL",
            },
            {
                name: value
                for name, value in inputs.items()
                if name
                not in (
                    "deploy_server_id",
                    "deploy_action",
                    "deploy_stack_id",
                    "deploy_resource_name",
                )
            },
        )
        self.assertIsNone(self.plugin.given_address(self.context(**_LOGS_IN)))

    def test_an_attempt_that_comes_again_changes_no_password(self) -> None:
        self.create(**_LOGS_IN)
        told = self.inputs()["deploy_password"]

        self.create(**_LOGS_IN)

        self.assertEqual(told, self.users.passwords[contexts.TOKEN])
        self.assertEqual(told, self.inputs()["deploy_password"])

    def test_another_action_has_the_same_password(self) -> None:
        self.create(**_LOGS_IN)
        before = self.config.id
        told = self.inputs()["deploy_password"]

        self.plugin.update(self.context(2000.0, **_LOGS_IN), {}, [])

        self.assertNotEqual(before, self.config.id)
        self.assertEqual(told, self.inputs()["deploy_password"])
        self.assertEqual({contexts.TOKEN: told}, self.users.passwords)
        self.assertEqual([], self.users.changed)

    def test_a_user_whose_password_is_lost_is_made_anew(self) -> None:
        self.users.make(contexts.TOKEN, "by a lost attempt", "lost")

        self.create(**_LOGS_IN)

        told = self.inputs()["deploy_password"]
        self.assertNotEqual("lost", told)
        self.assertEqual({contexts.TOKEN: told}, self.users.passwords)
        self.assertEqual([], self.users.changed)

    def test_a_user_who_was_removed_has_the_password_again(self) -> None:
        self.create(**_LOGS_IN)
        told = self.inputs()["deploy_password"]
        self.users.remove(contexts.TOKEN)

        self.plugin.update(self.context(2000.0, **_LOGS_IN), {}, [])

        self.assertEqual(told, self.inputs()["deploy_password"])
        self.assertEqual({contexts.TOKEN: told}, self.users.passwords)

    def test_what_another_deployment_logs_in_with_is_not_taken(self) -> None:
        self.create(**_LOGS_IN)
        told = self.inputs()["deploy_password"]
        self.store.configs[self.config.id] = dataclasses.replace(
            self.config,
            inputs=[
                {"name": "deploy_username", "value": "another"},
                {"name": "deploy_password", "value": told},
            ],
        )

        self.plugin.update(self.context(2000.0, **_LOGS_IN), {}, [])

        self.assertNotEqual(told, self.inputs()["deploy_password"])

    def test_what_cannot_be_handed_over_leaves_no_user(self) -> None:
        self.store_config(inputs=[{"name": "n", "type": "Number"}])

        self.assertRaises(
            errors.Invalid,
            self.plugin.create,
            self.context(input_values={"n": "none"}, **_LOGS_IN),
        )

        self.assertEqual({}, self.users.passwords)

    def test_what_cannot_be_changed_keeps_the_user_it_has(self) -> None:
        self.create(**_LOGS_IN)
        self.store_config(inputs=[{"name": "n", "type": "Number"}])

        self.assertRaises(
            errors.Invalid,
            self.plugin.update,
            self.context(2000.0, input_values={"n": "none"}, **_LOGS_IN),
            {},
            [],
        )

        self.assertEqual([contexts.TOKEN], list(self.users.passwords))

    def test_the_user_goes_with_the_deployment(self) -> None:
        self.create(**_LOGS_IN)
        context = self.context(2000.0, **_LOGS_IN)
        self.plugin.delete(context)

        self.assertIsNone(self.plugin.is_deleted(context))

        self.assertEqual({}, self.users.passwords)

    def test_one_that_is_adopted_gets_a_user_of_its_own(self) -> None:
        given = call_context.AdoptedResource(
            physical_id="elsewhere",
            data={"config_id": "c", "action": "CREATE"},
            metadata={},
        )

        self.plugin.handle_adopt(self.context(**_LOGS_IN), given)

        self.assertEqual([contexts.TOKEN], list(self.users.passwords))
        found = self.store.deployments["elsewhere"]
        self.assertEqual(software.Status.COMPLETE, found.status)

    def test_without_users_it_is_refused(self) -> None:
        plugin = self.KIND(contexts.options())
        error = self.assertRaises(errors.Invalid, plugin.validate, _LOGS_IN)
        self.assertIn("stack_user_domain_id", error.message)
        self.plugin.validate(_LOGS_IN)
