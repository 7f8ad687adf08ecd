"""What tests of users of stacks start from."""

import typing

from tests.functional import deploying
from tests.functional import guarded
from tests.support import keystone
from tests.support import ports
from tests.support import rest
from tests.support import systems
from tests.support import waiting

DOMAIN: typing.Final = "stacks"
_PASSWORD = "aA1!guest-of-the-stack"


class Guest(typing.NamedTuple):
    """A user of a stack, as a client logs in.

    :ivar client: asks below the user's own project
    """

    client: rest.Client
    project: str


class UsersTestCase(guarded.GuardedTestCase):
    """Both APIs of an Orch whose stacks may have users."""

    own: typing.ClassVar[dict[str, object]] = {
        "stack_user_domain_name": DOMAIN
    }

    @classmethod
    def setUpClass(cls) -> None:
        identity = keystone.shared().admin.identity
        found = identity.find_domain(DOMAIN)
        cls.domain = (found or identity.create_domain(name=DOMAIN)).id
        cls.port = ports.find_free()
        cls.arguments = ("--cfn-port", str(cls.port))
        cls.more: systems.Options = {
            "DEFAULT": {"enable_stack_abandon": True, **cls.own}
        }
        super().setUpClass()

    def setUp(self) -> None:
        super().setUp()
        self.keystone.publish(self.system)
        self.member = self.client_of("member")

    def names(self, kind: str) -> list[str]:
        """Return the names of users, or projects, of stacks."""
        listed = getattr(self.keystone.admin.identity, kind)
        return sorted(each.name for each in listed(domain_id=self.domain))

    def guest(self, login: dict[str, str]) -> Guest:
        """Return a client that bears a token of a user of a stack."""
        token = guarded.token_of(login)
        found = self.keystone.admin.session.get(
            f"{self.keystone.url}/auth/tokens",
            headers={"X-Subject-Token": token},
        ).json()["token"]
        self.assertEqual(
            ["heat_stack_user"], [each["name"] for each in found["roles"]]
        )
        project = found["project"]["id"]
        client = rest.Client(
            f"http://127.0.0.1:{self.system.port}/v1/{project}", token=token
        )
        self.addCleanup(client.close)
        return Guest(client, project)

    def refusal(
        self, client: rest.Client, method: str, path: str, body: object = None
    ) -> int:
        """Return the status of a request that is refused."""
        error = self.assertRaises(
            rest.RefusedError, client.ask, method, path, body
        )
        return error.status


def user(*policies: object, **given: object) -> guarded.Json:
    """Return a user who is bound to policies, and logs in by a password."""
    return {
        "type": "AWS::IAM::User",
        "properties": {
            "Policies": list(policies),
            "LoginProfile": {"Password": _PASSWORD},
            **given,
        },
    }


def policy(*allowed: str) -> guarded.Json:
    return {
        "type": "OS::Heat::AccessPolicy",
        "properties": {"AllowedResources": list(allowed)},
    }


def ref(name: str) -> guarded.Json:
    return {"get_resource": name}


def software(**given: object) -> guarded.Json:
    """Return a server that logs in to poll, and to tell how it went."""
    wanted: guarded.Json = deploying.template(
        signal_transport="HEAT_SIGNAL", **given
    )
    # The server polls until the deployment has gone.
    wanted["resources"]["deployment"]["depends_on"] = "poller"
    wanted["resources"]["poller"] = user(ref("policy"))
    wanted["resources"]["policy"] = policy("server")
    return wanted


def guarded_values(**bound: list[object]) -> guarded.Json:
    """Return two values, two policies, and users who are bound to some.

    :param bound: policies of each user, by the user's name
    """
    resources: dict[str, guarded.Json] = {
        "both": policy("left", "right"),
        "one": policy("left"),
        "handle": {"type": "OS::Heat::WaitConditionHandle"},
    }
    for name in ("left", "right"):
        resources[name] = {
            "type": "OS::Heat::Value",
            "properties": {"value": name},
            "metadata": {"told": name},
        }
    outputs = {}
    for name, policies in bound.items():
        resources[name] = user(*policies)
        resources[f"{name}_key"] = {
            "type": "AWS::IAM::AccessKey",
            "properties": {"UserName": ref(name)},
        }
        outputs[name] = {
            "value": [
                ref(name),
                ref(f"{name}_key"),
                {"get_attr": [f"{name}_key", "SecretAccessKey"]},
                {"get_attr": [f"{name}_key", "UserName"]},
            ]
        }
    return {
        "heat_template_version": "2021-04-16",
        "resources": resources,
        "outputs": outputs,
    }


class ServerLogins:
    """Logins of a stack, as its server comes to know them."""

    def __init__(self, case: UsersTestCase, stack: rest.Stack) -> None:
        self._case = case
        self._stack = stack

    def poller(self) -> dict[str, str]:
        """Return how the user of the template logs in, once it is made."""
        member = self._case.member

        def find() -> str | None:
            found = member.resources(self._stack).get("poller", {})
            is_made = found.get("resource_status") == "CREATE_COMPLETE"
            return found["physical_resource_id"] if is_made else None

        name = waiting.wait_for(find, "the user of the server")
        return self.login(str(name))

    def login(self, name: str) -> dict[str, str]:
        """Return how a user of that name logs in."""
        return {
            "auth_url": self._case.keystone.url,
            "username": name,
            "user_domain_id": self._case.domain,
            "password": _PASSWORD,
            "project_name": name,
            "project_domain_id": self._case.domain,
        }

    def config(self, name: str = "server") -> guarded.Json:
        """Return what a server has to apply, once there is something."""
        server = deploying.Agent(self._case.member, self._stack, name)
        config: guarded.Json = waiting.wait_for(
            lambda: next(iter(server.deployments()), None), "a config"
        )
        return config

    def inputs(self) -> dict[str, str]:
        """Return the inputs of what the server has to apply."""
        return {
            one["name"]: str(one.get("value"))
            for one in self.config()["inputs"]
        }
