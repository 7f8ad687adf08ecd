"""Servers log in to tell how a deployment went."""

from tests.functional import deploying
from tests.functional import guarded
from tests.functional import stack_users
from tests.support import agent
from tests.support import agents
from tests.support import keystone
from tests.support import rest
from tests.support import waiting


class TestHeatSignals(stack_users.UsersTestCase):
    """Servers log in to tell how a deployment went."""

    def begun(self, **given: object) -> rest.Stack:
        wanted = stack_users.software(**given)
        return self.cleaned(self.member.create(self.name, wanted))

    def cleaned(self, stack: rest.Stack) -> rest.Stack:
        """Return the stack; the test leaves nothing of it."""
        self.addCleanup(self.delete, self.member, stack)
        return stack

    def followed(self, stack: rest.Stack) -> agents.Agent:
        """Return an agent on the server of a stack."""
        place = f"{self.member.endpoint}{stack.path}/resources/server/metadata"
        login = stack_users.ServerLogins(self, stack).poller()
        return self.useFixture(agents.Agent(place, login))

    def test_a_server_tells_as_a_user_of_its_stack(self) -> None:
        stack = self.begun(actions=["CREATE", "UPDATE", "DELETE"])
        found = self.followed(stack)
        self.member.wait(stack, "CREATE_COMPLETE")
        self.assertEqual("hello", self.member.outputs(stack)["result"])

        wanted = stack_users.software(
            actions=["CREATE", "UPDATE", "DELETE"],
            input_values={"greeting": "later"},
        )
        self.member.ask("PUT", stack.path, {"template": wanted})
        self.member.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual("later", self.member.outputs(stack)["result"])
        self.assertEqual(2, len(self.names("users")))
        self.assertEqual(self.names("users"), self.names("projects"))

        self.delete(self.member, stack)
        self.assertEqual(
            ["hello", "later", "later"],
            [greeting for _, greeting in found.said("applied")],
        )
        self.assertEqual([], [*self.names("users"), *self.names("projects")])

    def test_what_goes_wrong_on_the_server_fails_the_stack(self) -> None:
        stack = self.begun()
        answer = agent.signal(
            stack_users.ServerLogins(self, stack).config(),
            {"deploy_status_code": 3},
        )
        self.assertEqual(200, answer.status_code)
        shown = self.member.wait(stack, "CREATE_FAILED")
        self.assertIn("non-zero status code: 3", shown["stack_status_reason"])
        self.delete(self.member, stack)
        self.assertEqual([], self.names("users"))

    def test_it_may_signal_its_deployment_and_do_nothing_else(self) -> None:
        stack = self.begun()
        other = self.cleaned(
            self.member.create(f"{self.name}-other", stack_users.software())
        )
        login = agent.login_of(stack_users.ServerLogins(self, stack).inputs())
        guest = self.guest(login).client
        deployment = f"{stack.path}/resources/deployment"
        for status, method, path in (
            (403, "GET", stack.path),
            (403, "GET", "/stacks"),
            (403, "DELETE", stack.path),
            (403, "GET", deployment),
            (404, "GET", f"{stack.path}/resources/server/metadata"),
            (404, "POST", f"{stack.path}/resources/server/signal"),
            (404, "POST", f"{stack.path}/resources/nothing/signal"),
            (404, "POST", f"{other.path}/resources/deployment/signal"),
        ):
            self.assertEqual(status, self.refusal(guest, method, path), path)
        own = rest.Client(self.member.endpoint, token=guarded.token_of(login))
        self.addCleanup(own.close)
        self.assertEqual(
            403, self.refusal(own, "POST", f"{deployment}/signal", {})
        )

        guest.ask("POST", f"{deployment}/signal", {"deploy_status_code": 0})

        self.member.wait(stack, "CREATE_COMPLETE")
        self.assertEqual(
            "CREATE_IN_PROGRESS", self.member.show(other)["stack_status"]
        )

    def test_who_has_logged_in_may_tell_of_later_actions_too(self) -> None:
        stack = self.begun()
        told = stack_users.ServerLogins(self, stack)
        first = told.config()
        login = agent.login_of(told.inputs())
        guest = self.guest(login).client
        agent.signal(first, {}).raise_for_status()
        self.member.wait(stack, "CREATE_COMPLETE")
        wanted = stack_users.software(input_values={"greeting": "later"})
        self.member.ask("PUT", stack.path, {"template": wanted})

        waiting.wait_for(
            lambda: told.config()["id"] != first["id"], "another config"
        )

        # Keystone takes no token from before a change of the password.
        self.assertEqual(login, agent.login_of(told.inputs()))
        guest.ask(
            "POST",
            f"{stack.path}/resources/deployment/signal",
            {"deploy_status_code": 0},
        )
        self.member.wait(stack, "UPDATE_COMPLETE")

    def test_one_that_another_took_the_place_of_tells_of_its_end(self) -> None:
        stack = self.begun(actions=["CREATE", "DELETE"])
        told = stack_users.ServerLogins(self, stack)
        first = told.config()
        agent.signal(first, {}).raise_for_status()
        self.member.wait(stack, "CREATE_COMPLETE")
        wanted = deploying.elsewhere(stack_users.software(actions=["CREATE"]))
        self.member.ask("PUT", stack.path, {"template": wanted})
        agent.signal(told.config("other"), {}).raise_for_status()
        waiting.wait_for(
            lambda: told.config()["id"] != first["id"], "another config"
        )

        agent.signal(told.config(), {}).raise_for_status()

        self.member.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(2, len(self.names("users")))

    def test_it_has_no_say_in_what_waits_for_people(self) -> None:
        stack = self.begun()
        guest = self.guest(
            agent.login_of(stack_users.ServerLogins(self, stack).inputs())
        ).client

        guest.ask(
            "POST",
            f"{stack.path}/resources/deployment/signal",
            {"unset_hook": "pre-create", "deploy_status_code": 1},
        )

        # It was taken for what a server tells, and that went wrong.
        self.member.wait(stack, "CREATE_FAILED")


class TestDomainAdmin(stack_users.UsersTestCase):
    """An administrator of the domain alone makes users in it."""

    @classmethod
    def setUpClass(cls) -> None:
        identity = keystone.shared().admin.identity
        found = identity.find_domain(stack_users.DOMAIN)
        domain = found or identity.create_domain(name=stack_users.DOMAIN)
        name = "keeper-of-users"
        made = identity.find_user(
            name, domain_id=domain.id
        ) or identity.create_user(
            name=name, password=keystone.PASSWORD, domain_id=domain.id
        )
        cls.addClassCleanup(identity.delete_user, made.id)
        identity.assign_domain_role_to_user(
            domain.id, made.id, identity.find_role("admin").id
        )
        cls.own = {
            "stack_user_domain_id": domain.id,
            "stack_domain_admin": name,
            "stack_domain_admin_password": keystone.PASSWORD,
        }
        super().setUpClass()

    def test_it_makes_and_removes_them(self) -> None:
        wanted = stack_users.software()
        wanted["resources"]["key"] = {
            "type": "AWS::IAM::AccessKey",
            "properties": {"UserName": stack_users.ref("poller")},
        }
        stack = self.member.create(self.name, wanted)
        told = stack_users.ServerLogins(self, stack)
        agent.signal(told.config(), {}).raise_for_status()
        self.member.wait(stack, "CREATE_COMPLETE")
        self.assertEqual(3, len(self.names("users")))
        self.delete(self.member, stack)
        self.assertEqual(["keeper-of-users"], self.names("users"))
