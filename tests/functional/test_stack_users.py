"""Users of stacks in Keystone, and what policies let them look at."""

import json

import botocore.exceptions

from tests.functional import deploying
from tests.functional import guarded
from tests.functional import stack_users
from tests.functional.cfn import querying
from tests.support import rest
from tests.support import waiting


class KeysTestCase(stack_users.UsersTestCase):
    """Users ask both APIs."""

    def login_of(self, stack: rest.Stack, name: str) -> list[str]:
        """Return name, access key, secret, and whose key that is."""
        found = self.member.outputs(stack)[name]
        assert isinstance(found, list)
        return [str(each) for each in found]

    def aws(self, stack: rest.Stack, name: str) -> querying.Client:
        """Return a client that signs with the key of a user."""
        _, access, secret, _ = self.login_of(stack, name)
        return querying.client(self.port, querying.Key(access, secret))

    def bearing(self, stack: rest.Stack, name: str) -> rest.Client:
        """Return a client that bears a token of a user."""
        known_as = self.login_of(stack, name)[0]
        return self.guest(
            stack_users.ServerLogins(self, stack).login(known_as)
        ).client

    def read_metadata(
        self, aws: querying.Client, stack: str, name: str
    ) -> str:
        """Return the metadata of a resource, or the code of a refusal."""
        try:
            found = aws.describe_stack_resource(
                StackName=stack, LogicalResourceId=name
            )
        except botocore.exceptions.ClientError as error:
            return str(error.response["Error"]["Code"])
        return str(
            json.loads(found["StackResourceDetail"]["Metadata"])["told"]
        )


class TestAccessPolicies(KeysTestCase):
    """Users of one stack may look at what their policies allow."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        place = cls.keystone.projects["demo"]
        maker = rest.Client(
            f"http://127.0.0.1:{cls.system.port}/v1/{place}",
            token=cls.keystone.token("member"),
        )
        cls.addClassCleanup(maker.close)
        cls.stack = maker.create(
            "policies",
            stack_users.guarded_values(
                bounded=[stack_users.ref("one")],
                doubly=[stack_users.ref("both"), "one"],
                free=[],
                astray=["left"],
            ),
        )
        cls.addClassCleanup(
            maker.wait, cls.stack, "DELETE_COMPLETE", timeout_s=60
        )
        cls.addClassCleanup(maker.delete, cls.stack)
        maker.wait(cls.stack, "CREATE_COMPLETE", timeout_s=60)

    def read_both(self, name: str) -> list[str]:
        """Return what a user is told of two resources."""
        aws = self.aws(self.stack, name)
        return [
            self.read_metadata(aws, self.stack.name, each)
            for each in ("left", "right")
        ]

    def test_who_signs_may_look_at_what_a_policy_allows(self) -> None:
        aws = self.aws(self.stack, "bounded")

        for named in (self.stack.name, self.stack.id):
            self.assertEqual("left", self.read_metadata(aws, named, "left"))
        for other in ("right", "bounded", "none"):
            self.assertEqual(
                "AccessDenied",
                self.read_metadata(aws, self.stack.name, other),
                other,
            )
        error = self.assertRaises(
            botocore.exceptions.ClientError, aws.list_stacks
        )
        self.assertEqual("AccessDenied", error.response["Error"]["Code"])

    def test_a_key_tells_whose_it_is(self) -> None:
        known_as, _, _, owner = self.login_of(self.stack, "bounded")
        self.assertEqual(known_as, owner)

    def test_all_policies_must_allow_it(self) -> None:
        self.assertEqual(["left", "AccessDenied"], self.read_both("doubly"))

    def test_without_a_policy_all_of_the_stack_is_seen(self) -> None:
        self.assertEqual(["left", "right"], self.read_both("free"))

    def test_what_is_no_policy_allows_nothing(self) -> None:
        self.assertEqual(
            ["AccessDenied", "AccessDenied"], self.read_both("astray")
        )

    def test_the_resources_of_other_stacks_are_not_there(self) -> None:
        other = self.created(self.member, stack_users.guarded_values())
        for name in ("free", "bounded"):
            aws = self.aws(self.stack, name)
            for named in (other.name, other.id):
                self.assertEqual(
                    "ValidationError", self.read_metadata(aws, named, "left")
                )

    def test_who_bears_a_token_may_look_at_the_same(self) -> None:
        guest = self.bearing(self.stack, "bounded")
        below = f"{self.stack.path}/resources"

        self.assertEqual(
            {"told": "left"}, guest.get(f"{below}/left/metadata", "metadata")
        )
        for path in (f"{below}/right/metadata", below, f"{below}/left"):
            self.assertEqual(403, self.refusal(guest, "GET", path), path)

    def test_name_and_id_belong_together_for_users_as_well(self) -> None:
        path = f"/stacks/other/{self.stack.id}/resources"
        free = self.bearing(self.stack, "free")

        for method, end in (
            ("GET", "left/metadata"),
            ("POST", "handle/signal"),
        ):
            for client in (free, self.member):
                self.assertEqual(
                    404, self.refusal(client, method, f"{path}/{end}", {})
                )

    def test_a_user_may_signal_what_policies_allow(self) -> None:
        path = f"{self.stack.path}/resources/handle"
        told = {"id": "7", "data": "told"}
        bounded = self.bearing(self.stack, "bounded")
        self.assertEqual(
            403, self.refusal(bounded, "POST", f"{path}/signal", told)
        )

        self.bearing(self.stack, "free").ask("POST", f"{path}/signal", told)

        found = self.member.get(f"{path}/metadata", "metadata")
        self.assertEqual("told", found["7"]["data"])


class TestUsers(KeysTestCase):
    """Users and keys come and go with their stack."""

    def begun(self) -> rest.Stack:
        """Return a stack with one user."""
        stack = self.created(
            self.member, stack_users.guarded_values(poller=[])
        )
        self.addCleanup(self.delete, self.member, stack)
        return stack

    def test_a_stack_at_rest_lets_nobody_in(self) -> None:
        stack = self.begun()
        aws = self.aws(stack, "poller")
        self.member.ask("POST", f"{stack.path}/actions", {"suspend": None})
        self.member.wait(stack, "SUSPEND_COMPLETE")
        self.assertEqual(
            "SignatureDoesNotMatch",
            self.read_metadata(aws, stack.name, "left"),
        )

        self.member.ask("POST", f"{stack.path}/actions", {"resume": None})
        self.member.wait(stack, "RESUME_COMPLETE")

        # Keystone revoked tokens as the user was locked out, and counts whole
        # seconds: one that is taken in the same second is refused as well.
        waiting.wait_for(
            lambda: self.read_metadata(aws, stack.name, "left") == "left",
            "the user is let in again",
        )

    def test_a_user_reads_what_its_own_project_has_deployed(self) -> None:
        stack = self.begun()
        known_as = self.login_of(stack, "poller")[0]
        poller = self.guest(
            stack_users.ServerLogins(self, stack).login(known_as)
        )

        deployed = self.deploy(self.member, poller.project)
        stranger = self.client_of("stranger", project="others")
        refused = self.assertRaises(
            rest.RefusedError, self.deploy, stranger, poller.project
        )

        self.assertEqual(400, refused.status)
        found = poller.client.get(
            "/software_deployments/metadata/web", "metadata"
        )
        self.assertEqual([deployed], [each["id"] for each in found])

    def deploy(self, client: rest.Client, project: str) -> str:
        """Return a config that users of a project may read for a server."""
        made = client.ask("POST", "/software_configs", {"name": "c"})
        config_id = str(made["software_config"]["id"])  # type: ignore[index]
        self.addCleanup(client.ask, "DELETE", f"/software_configs/{config_id}")
        body = {
            "config_id": config_id,
            "server_id": "web",
            "stack_user_project_id": project,
        }
        made = client.ask("POST", "/software_deployments", body)
        name = made["software_deployment"]["id"]  # type: ignore[index]
        self.addCleanup(client.ask, "DELETE", f"/software_deployments/{name}")
        return config_id

    def test_whose_key_it_is_must_be_a_user_of_the_stack(self) -> None:
        stack = self.begun()
        name = self.login_of(stack, "poller")[0]

        def wanted(user: str, **adopted: object) -> dict[str, object]:
            return {
                "heat_template_version": "2021-04-16",
                "resources": {
                    "taken": {**stack_users.user(), **adopted},
                    "key": {
                        "type": "AWS::IAM::AccessKey",
                        "properties": {"UserName": user},
                        "depends_on": "taken",
                    },
                },
            }

        other = self.member.create(f"{self.name}-other", wanted(name))
        self.member.wait(other, "CREATE_FAILED")
        found = self.member.resources(other)["key"]
        self.assertEqual("CREATE_FAILED", found["resource_status"])
        self.delete(self.member, other)
        error = self.assertRaises(
            rest.RefusedError,
            self.member.create,
            f"{self.name}-taken",
            wanted("taken", external_id=name),
        )
        self.assertEqual(400, error.status)
        self.assertEqual(1, len(self.keys_of(name)))

    def keys_of(self, name: str) -> list[object]:
        """Return the access keys that Keystone knows of a user."""
        identity = self.keystone.admin.identity
        found = identity.find_user(name, domain_id=self.domain)
        return list(identity.credentials(user_id=found.id))

    def test_what_is_gone_from_keystone_is_found_out(self) -> None:
        stack = self.begun()
        name = self.login_of(stack, "poller")[0]
        identity = self.keystone.admin.identity
        identity.delete_user(identity.find_user(name, domain_id=self.domain))

        self.member.ask("POST", f"{stack.path}/actions", {"check": None})

        self.member.wait(stack, "CHECK_FAILED")
        found = self.member.resources(stack)
        self.assertEqual(
            ["CHECK_FAILED", "CHECK_FAILED"],
            [
                found[each]["resource_status"]
                for each in ("poller", "poller_key")
            ],
        )


class TestWithoutDomain(guarded.GuardedTestCase):
    """Nobody has said where users of stacks are to live."""

    def test_what_needs_them_is_refused_at_once(self) -> None:
        member = self.client_of("member")
        for wanted in (
            deploying.template(signal_transport="HEAT_SIGNAL"),
            {
                "heat_template_version": "2021-04-16",
                "resources": {"poller": stack_users.user()},
            },
        ):
            error = self.assertRaises(
                rest.RefusedError, member.create, self.name, wanted
            )
            self.assertEqual(400, error.status)
            self.assertIn("stack_user_domain_id", error.message)
