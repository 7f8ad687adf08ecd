"""What a project may have: as much as the limit, and one thing more."""

import concurrent.futures
import itertools
import json
import typing

import botocore.exceptions
import fixtures

from tests import base
from tests.functional import databases
from tests.functional.cfn import querying
from tests.support import ports
from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import systems
from tests.support import world_templates

Json = world_templates.Json

_MOST = 3
_AT_ONCE = 8
_PROJECTS = itertools.count()
_VERSION: Json = {"heat_template_version": "2021-04-16"}


def template(count: int = 1) -> Json:
    """Return a template of so many resources."""
    made = {"type": "OS::Heat::RandomString"}
    return {**_VERSION, "resources": {f"r{n}": made for n in range(count)}}


def stack_request(name: str, count: int = 1) -> Json:
    """Return the body that asks for a stack."""
    return {"stack_name": name, "template": template(count)}


class QuotaTestCase(serving.ServerTestCase):
    """Each test has a project of its own.

    :ivar mine: asks for the project
    """

    @classmethod
    def setUpClass(cls) -> None:
        cls.port = ports.find_free()
        cls.arguments = ("--cfn-port", str(cls.port))
        super().setUpClass()

    def setUp(self) -> None:
        super().setUp()
        self.project = f"p{next(_PROJECTS)}"
        self.mine = rest.Client(
            self.client.endpoint.replace("/demo", f"/{self.project}")
        )
        self.addCleanup(self.mine.close)
        self.aws = querying.client(self.port, querying.Key(self.project))

    def check_exceeded(
        self,
        said: str,
        path: str,
        body: Json,
        method: str = "POST",
        kind: str = "RequestLimitExceeded",
    ) -> None:
        """Check that a request asks for too much, and that it is told so."""
        error = self.assertRaises(
            rest.RefusedError, self.mine.ask, method, path, body
        )
        self.assertEqual((400, kind), (error.status, error.type))
        self.assertIn(said, error.message)

    def check_cfn_exceeded(self, said: str, request: Json | str) -> None:
        """Check that a stack is too much for the CloudFormation API, too."""
        text = request if isinstance(request, str) else json.dumps(request)
        error = self.assertRaises(
            botocore.exceptions.ClientError,
            self.aws.create_stack,
            StackName="more",
            TemplateBody=text,
        )
        told = error.response
        self.assertEqual(
            (400, "LimitExceededException"),
            (
                told["ResponseMetadata"]["HTTPStatusCode"],
                told["Error"]["Code"],
            ),
        )
        self.assertIn(said, told["Error"]["Message"])

    def made(self, name: str, count: int = 1) -> rest.Stack:
        stack = self.mine.create(name, template(count))
        self.mine.wait(stack, "CREATE_COMPLETE")
        return stack

    def names(self) -> list[object]:
        found = self.mine.get("/stacks", "stacks")
        listed = typing.cast(list[Json], found)
        return sorted(str(each["stack_name"]) for each in listed)


class CountTests(QuotaTestCase):
    options: typing.ClassVar[systems.Options] = {
        "DEFAULT": {
            "max_stacks_per_tenant": _MOST,
            "max_software_configs_per_tenant": _MOST,
            "max_software_deployments_per_tenant": _MOST,
            "max_snapshots_per_stack": _MOST,
            "max_plans_per_stack": _MOST,
            "max_resources_per_stack": 4,
            "enable_stack_adopt": True,
            "enable_stack_abandon": True,
        }
    }

    def test_stacks_of_a_project(self) -> None:
        said = f"The project has {_MOST} stacks already"
        made = [self.made(f"s{number}") for number in range(_MOST)]

        self.check_exceeded(said, "/stacks", stack_request("more"))
        self.check_exceeded(said, "/stacks/preview", stack_request("more"))
        document = {"template": _VERSION, "resources": {}}
        self.check_exceeded(
            said,
            "/stacks",
            {"stack_name": "more", "adopt_stack_data": document},
        )
        self.check_cfn_exceeded(said, template())

        self.assertEqual(["s0", "s1", "s2"], self.names())
        self.mine.delete(made[0])
        self.mine.wait(made[0], "DELETE_COMPLETE")
        self.made("more")
        self.check_exceeded(said, "/stacks", stack_request("s0"))

    def test_a_name_that_is_taken_is_told_first(self) -> None:
        for number in range(_MOST):
            self.mine.create(f"s{number}", template())

        error = self.assertRaises(
            rest.RefusedError, self.mine.create, "s0", template()
        )

        self.assertEqual((409, "StackExists"), (error.status, error.type))

    def test_a_project_does_not_count_for_another(self) -> None:
        for number in range(_MOST):
            self.mine.create(f"s{number}", template())

        stack = self.client.create(f"of-{self.project}", template())

        self.client.wait(stack, "CREATE_COMPLETE")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

    def test_resources_of_a_stack(self) -> None:
        said = "Maximum resources per stack exceeded"
        stack = self.made("full", 4)

        self.check_exceeded(said, "/stacks", stack_request("more", 5))
        self.check_exceeded(said, "/stacks/preview", stack_request("more", 5))
        body = {"template": template(5)}
        self.check_exceeded(said, stack.path, body, "PUT")
        self.check_exceeded(said, stack.path, body, "PATCH")
        self.check_exceeded(
            said, f"{stack.path}/plans", {"action": "update", **body}
        )
        self.check_cfn_exceeded(said, template(5))

        shown = self.mine.show(stack)
        self.assertEqual("CREATE_COMPLETE", shown["stack_status"])
        self.assertEqual(4, len(self.mine.resources(stack)))
        self.assertEqual(["full"], self.names())

    def test_snapshots_of_a_stack(self) -> None:
        stack = self.made("s")
        path = f"{stack.path}/snapshots"
        taken = []
        for _ in range(_MOST):
            taken.append(typing.cast(Json, self.mine.ask("POST", path, {})))
            self.mine.wait(stack, "SNAPSHOT_COMPLETE")

        said = f"has {_MOST} snapshots, as many as are allowed"
        self.check_exceeded(said, path, {})
        shown = self.mine.show(stack)
        self.mine.ask("DELETE", f"{path}/{taken[0]['id']}")
        self.mine.ask("POST", path, {})

        self.assertEqual("SNAPSHOT_COMPLETE", shown["stack_status"])
        self.mine.wait(stack, "SNAPSHOT_COMPLETE")
        kept = typing.cast(list[Json], self.mine.get(path, "snapshots"))
        self.assertEqual(_MOST, len(kept))

    def test_plans_of_a_stack(self) -> None:
        stack = self.made("s")
        path, check = f"{stack.path}/plans", {"action": "check"}
        for _ in range(_MOST):
            self.mine.ask("POST", path, check)

        said = f"has {_MOST} plans that can be applied"
        self.check_exceeded(said, path, check)
        first = typing.cast(list[Json], self.mine.get(path, "plans"))[-1]
        self.mine.ask("DELETE", f"{path}/{first['id']}")
        self.mine.ask("POST", path, check)
        self.check_exceeded(said, path, check)

    def test_plans_that_nobody_can_apply_give_way(self) -> None:
        stack = self.made("s")
        path, check = f"{stack.path}/plans", {"action": "check"}
        applied = []
        for _ in range(_MOST + 2):
            made = typing.cast(
                dict[str, Json], self.mine.ask("POST", path, check)
            )
            applied.append(made["plan"]["id"])
            self.mine.ask("POST", f"{path}/{applied[-1]}/apply", {})
            self.mine.wait(stack, "CHECK_COMPLETE")

        found = typing.cast(list[Json], self.mine.get(path, "plans"))

        self.assertEqual(
            applied[-_MOST:], [each["id"] for each in reversed(found)]
        )

    def test_tags_of_a_stack(self) -> None:
        said = "51 are given, and a stack has at most 50"
        few: list[object] = [f"t{number}" for number in range(50)]
        many = [*few, "one-more"]
        body: Json = {"template": template(1)}
        stack = self.made("s")
        adopted = {**self.abandoned(), "tags": many}

        for tags in (many, ",".join(map(str, many))):
            for method in ("PUT", "PATCH"):
                self.check_exceeded(
                    said, stack.path, {**body, "tags": tags}, method
                )
            new = {**body, "stack_name": "t", "tags": tags}
            self.check_exceeded(said, "/stacks", new)
            self.check_exceeded(said, "/stacks/preview", new)
        error = self.assertRaises(
            botocore.exceptions.ClientError,
            self.aws.create_stack,
            StackName="t",
            TemplateBody=json.dumps(template(1)),
            Tags=[{"Key": str(each), "Value": "x"} for each in many],
        )
        self.assertIn(said, error.response["Error"]["Message"])
        for given in (adopted, json.dumps(adopted)):
            wanted = {"stack_name": "a", "adopt_stack_data": given}
            self.check_exceeded(said, "/stacks", {**body, **wanted})
        long = {**adopted, "tags": ["x" * 81]}
        refused = self.assertRaises(
            rest.RefusedError,
            self.mine.ask,
            "POST",
            "/stacks",
            {**body, "stack_name": "a", "adopt_stack_data": long},
        )

        self.assertEqual(400, refused.status)
        self.mine.ask("PATCH", stack.path, {**body, "tags": few})
        self.mine.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(
            set(few),
            set(typing.cast(list[str], self.mine.show(stack)["tags"])),
        )

    def abandoned(self) -> Json:
        """Return the document of a stack that was abandoned."""
        stack = self.made("abandoned")
        return typing.cast(
            Json, self.mine.ask("DELETE", f"{stack.path}/abandon")
        )

    def test_software_configs_of_a_project(self) -> None:
        body: Json = {"name": "c", "config": "x"}
        said = f"the project has {_MOST} software configs"
        made = [self.config(body) for _ in range(_MOST)]

        self.check_exceeded(said, "/software_configs", body)
        self.mine.ask("DELETE", f"/software_configs/{made[0]}")
        self.config(body)

        self.check_exceeded(said, "/software_configs", body)

    def test_a_stack_has_no_more_software_configs_either(self) -> None:
        body: Json = {"name": "c", "config": "x"}
        for _ in range(_MOST - 1):
            self.config(body)
        software: Json = {
            "type": "OS::Heat::SoftwareConfig",
            "properties": {"config": "x"},
        }
        resources = {"one": software, "two": {**software, "depends_on": "one"}}

        stack = self.mine.create("s", {**_VERSION, "resources": resources})
        shown = self.mine.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Resource CREATE failed: RequestLimitExceeded: resources.two:"
            f" Request limit exceeded: the project has {_MOST} software"
            " configs, as many as are allowed; delete one first.",
            shown["stack_status_reason"],
        )

    def test_software_deployments_of_a_project(self) -> None:
        config = self.config({"name": "c", "config": "x"})
        body: Json = {"config_id": config, "server_id": "server"}
        said = f"the project has {_MOST} software deployments"
        path, key = "/software_deployments", "software_deployment"
        made = [
            typing.cast(dict[str, Json], self.mine.ask("POST", path, body))
            for _ in range(_MOST)
        ]

        self.check_exceeded(said, path, body)
        self.mine.ask("DELETE", f"{path}/{made[0][key]['id']}")
        self.mine.ask("POST", path, body)

        self.check_exceeded(said, path, body)

    def config(self, body: Json) -> str:
        """Return the id of a new software config."""
        made = self.mine.ask("POST", "/software_configs", body)
        found = typing.cast(dict[str, Json], made)["software_config"]
        return str(found["id"])


class SizeTests(QuotaTestCase):
    options: typing.ClassVar[systems.Options] = {
        "DEFAULT": {
            "max_template_size": 2000,
            "max_json_body_size": 4000,
            "max_nested_stack_depth": 2,
        }
    }

    @staticmethod
    def text(size: int) -> str:
        """Return a template that is so many bytes long."""
        begun = json.dumps(template())
        return begun + " " * (size - len(begun))

    def test_the_text_of_a_template(self) -> None:
        stack = self.mine.create("s", self.text(2000))
        self.mine.wait(stack, "CREATE_COMPLETE")
        body = {"stack_name": "more", "template": self.text(2001)}
        said = "exceeds maximum allowed size (2000 bytes)"

        self.check_exceeded(said, "/stacks", body)
        self.check_exceeded(said, "/stacks/preview", body)
        self.check_exceeded(said, "/validate", {"template": self.text(2001)})
        self.check_exceeded(
            said, stack.path, {"template": self.text(2001)}, "PUT"
        )
        self.check_cfn_exceeded(said, self.text(2001))

        self.assertEqual(["s"], self.names())

    def test_the_body_of_a_request(self) -> None:
        body = {**stack_request("s"), "pad": ""}
        rest_of = len(json.dumps(body).encode())
        full = {**body, "pad": "x" * (4000 - rest_of)}
        larger = {**body, "pad": "x" * (4001 - rest_of)}

        self.check_exceeded(
            "JSON body size (4001 bytes) exceeds maximum allowed size"
            " (4000 bytes)",
            "/stacks",
            larger,
        )
        self.mine.ask("POST", "/stacks", full)

        self.assertEqual(["s"], self.names())

    def test_levels_of_nested_stacks(self) -> None:
        def nested(depth: int) -> Json:
            files = {
                f"{level}.yaml": json.dumps(
                    template()
                    if level == depth
                    else self.around(f"{level + 1}.yaml")
                )
                for level in range(1, depth + 1)
            }
            return {
                "stack_name": f"s{depth}",
                "template": self.around("1.yaml"),
                "files": files,
            }

        self.check_exceeded(
            "Recursion depth exceeds 2",
            "/stacks",
            nested(3),
            kind="StackValidationFailed",
        )
        self.mine.ask("POST", "/stacks", nested(2))

        self.assertEqual(["s2"], self.names())

    @staticmethod
    def around(file: str) -> Json:
        """Return a template with a stack of a file in it."""
        return {**_VERSION, "resources": {"inner": {"type": file}}}


class RaceTests(base.TestCase):
    """Many at once, to several workers, get no more than the limit."""

    limit_s = 180
    options: typing.ClassVar[systems.Options] = {
        "DEFAULT": {
            "max_stacks_per_tenant": _MOST,
            "max_software_configs_per_tenant": _MOST,
            "max_software_deployments_per_tenant": _MOST,
        }
    }

    def check(self, database: type[fixtures.Fixture]) -> None:
        client = self.useFixture(
            running.Distributed(self.options, database=database)
        ).system.client

        def ask(path: str, body: Json) -> tuple[int, str]:
            try:
                client.ask("POST", path, body)
            except rest.RefusedError as error:
                return error.status, error.type
            return 200, ""

        for path, key in (
            ("/stacks", "stacks"),
            ("/software_configs", "software_configs"),
            ("/software_deployments", "software_deployments"),
        ):
            configs = self.configs(client, path)
            with concurrent.futures.ThreadPoolExecutor(_AT_ONCE) as pool:
                answers = [
                    pool.submit(ask, path, self.body(path, number, configs))
                    for number in range(2 * _AT_ONCE)
                ]
                told = sorted(each.result() for each in answers)

            refused = 2 * _AT_ONCE - _MOST
            self.assertEqual(
                [(200, "")] * _MOST
                + [(400, "RequestLimitExceeded")] * refused,
                told,
            )
            found = typing.cast(list[Json], client.get(path, key))
            self.assertEqual(_MOST, len(found))

    @staticmethod
    def configs(client: rest.Client, path: str) -> list[object]:
        """Return the ids of the software configs, where these are needed."""
        if path != "/software_deployments":
            return []
        found = client.get("/software_configs", "software_configs")
        return [each["id"] for each in typing.cast(list[Json], found)]

    @staticmethod
    def body(path: str, number: int, configs: list[object]) -> Json:
        if path == "/stacks":
            return stack_request(f"s{number}")
        if configs:
            return {"config_id": configs[0], "server_id": f"s{number}"}
        return {"name": f"c{number}", "config": "x"}

    def test_on_postgresql(self) -> None:
        self.check(databases.PostgreSQL)

    def test_on_mariadb(self) -> None:
        self.check(databases.MariaDB)
