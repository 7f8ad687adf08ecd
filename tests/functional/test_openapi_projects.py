"""No request that the OpenAPI document describes reaches another project."""

import pathlib
import tempfile
import typing
import warnings

import bcrypt
import hypothesis
import requests
import schemathesis

from tests.support import rest
from tests.support import serving

_OWNER, _OTHER = "owner", "other"
_ROLES: typing.Final = {
    "nothing": "",
    "looking": "reader",
    "changing": "reader,member",
    "leading": "reader,member,admin",
    "agent": "heat_stack_user",
}
"""Users of the other project, and their roles there."""
_EXAMPLES: typing.Final = 2
_CANARY: typing.Final = "canary-value"
_GROUP: typing.Final = "canary-group"
_SERVER: typing.Final = "canary-server"
_HARMLESS: typing.Final = {"project", "server_id"}
"""Parameters that may name anything: a server has no configs elsewhere."""
_TEMPLATE: typing.Final = {
    "heat_template_version": "2021-04-16",
    "description": _CANARY,
    "parameters": {"word": {"type": "string", "default": _CANARY}},
    "resources": {
        _GROUP: {
            "type": "OS::Heat::ResourceGroup",
            "properties": {
                "count": 1,
                "resource_def": {
                    "type": "OS::Heat::Value",
                    "properties": {"value": {"get_param": "word"}},
                },
            },
        },
        "handle": {"type": "OS::Heat::WaitConditionHandle"},
    },
    "outputs": {"key": {"value": {"get_param": "word"}}},
}
# A stream would keep a connection open for minutes.
_STREAM, _END = "follow", {"until": "idle"}


Json = dict[str, typing.Any]


def _line(user: str) -> str:
    hashed = bcrypt.hashpw(user.encode(), bcrypt.gensalt(4)).decode()
    return f"{user}:{hashed}\n"


class ForeignRequestTest(serving.ServerTestCase):
    """Users of one project name what another one has, on every route."""

    limit_s = 900

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        users = pathlib.Path(directory.name) / "htpasswd"
        users.write_text("".join(map(_line, (_OWNER, *_ROLES))))
        grants = [f"{_OWNER} {_OWNER} reader,member"]
        grants += [f"{user} {_OTHER} {_ROLES[user]}" for user in _ROLES]
        cls.options = {
            "DEFAULT": {"enable_stack_abandon": True},
            "api": {
                "auth": "basic",
                "user_file": users,
                "basic_grants": "\nbasic_grants = ".join(
                    each for each in grants if not each.endswith(" ")
                ),
            },
        }
        super().setUpClass()

    def setUp(self) -> None:
        super().setUp()
        self.base = f"http://127.0.0.1:{self.system.port}"
        self.session = requests.Session()
        self.addCleanup(self.session.close)
        self.schema = schemathesis.openapi.from_url(
            f"{self.base}/openapi.json"
        )
        self.owner = rest.Client(
            f"{self.base}/v1/{_OWNER}", login=(_OWNER, _OWNER)
        )
        self.addCleanup(self.owner.close)
        self.stack = self.owner.create("canary-name", _TEMPLATE)
        self.owner.wait(self.stack, "CREATE_COMPLETE")
        self.foreign = self.make_targets(self.stack)
        self.canaries = {_CANARY, *self.foreign.values()}

    def test_no_route_shows_or_changes_what_another_project_has(self) -> None:
        operations = [each.ok() for each in self.schema.get_all_operations()]
        self.assertGreater(len(operations), 70)
        before = self.stored()
        failures = [
            failure
            for project in (_OTHER, _OWNER)
            for operation in operations
            for failure in self.failures(operation, project)
        ]
        self.assertEqual([], failures, "\n".join(failures))
        self.assertEqual(before, self.stored())

    def failures(
        self, operation: schemathesis.APIOperation, project: str
    ) -> list[str]:
        """Return what is wrong with the answers to requests.

        Each request is sent by all users.
        """
        found: list[str] = []
        named = {
            name
            for name in (*self.foreign, "project")
            if f"{{{name}}}" in operation.path
        }

        @hypothesis.settings(
            max_examples=_EXAMPLES,
            derandomize=True,
            phases=(hypothesis.Phase.generate,),
            deadline=None,
            database=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(
            operation.as_strategy(
                schemathesis.GenerationMode.POSITIVE,
                path_parameters={
                    name: {**self.foreign, "project": project}[name]
                    for name in named
                }
                or None,
            )
        )
        def ask(case: schemathesis.Case) -> None:
            case.query = {**(case.query or {})}
            if _STREAM in case.query:
                case.query.update(_END)
            for user in _ROLES:
                answer = case.call(
                    base_url=self.base,
                    session=self.session,
                    auth=(user, user),
                    timeout=60,
                )
                found.extend(self.wrong(answer, user, project, named))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ask()
        return found

    def wrong(
        self,
        answer: schemathesis.Response,
        user: str,
        project: str,
        named: set[str],
    ) -> list[str]:
        """Return what is wrong with an answer to a user.

        :param named: parameters of its address that name what is foreign
        """
        asked = answer.request
        where = f"{user} at {project}: {asked.method} {asked.url}"
        status = answer.status_code
        found = []
        if status >= 500:
            found.append(f"{where} -> {status} {answer.text}")
        is_foreign = project == _OWNER and "project" in named
        if (is_foreign or named - _HARMLESS) and status < 400:
            found.append(f"{where} -> {status}")
        request = f"{asked.url} {asked.body!r}"
        found.extend(
            f"{where} shows {canary}"
            for canary in self.canaries
            if canary in answer.text and canary not in request
        )
        return found

    def stored(self) -> Json:
        """Return all that the owner can read of what it has."""
        return {
            path: self.owner.ask("GET", path)
            for path in (
                "/stacks",
                "/software_configs",
                "/software_deployments",
                f"/software_deployments/metadata/{_SERVER}",
                *(
                    self.stack.path + suffix
                    for suffix in (
                        "",
                        "/template",
                        "/resources?nested_depth=5",
                        "/events?nested_depth=5",
                        "/snapshots",
                        "/operations",
                        "/plans",
                    )
                ),
            )
        }

    def make_targets(self, stack: rest.Stack) -> dict[str, str]:
        """Return what may be in an address, by its parameter."""
        config = self.owner.post(
            "/software_configs", "software_config", name="c", config=_CANARY
        )
        deployment = self.owner.post(
            "/software_deployments",
            "software_deployment",
            config_id=config["id"],
            server_id=_SERVER,
        )
        snapshot = self.owner.ask("POST", f"{stack.path}/snapshots", {})
        self.owner.wait(stack, "SNAPSHOT_COMPLETE")
        plan = self.owner.post(f"{stack.path}/plans", "plan", action="check")
        events = self.owner.get(f"{stack.path}/events", "events")
        operations = self.owner.get(f"{stack.path}/operations", "operations")
        return {
            "name": stack.name,
            "stack_id": stack.id,
            "resource": _GROUP,
            "config_id": config["id"],
            "deployment_id": deployment["id"],
            "server_id": _SERVER,
            "snapshot_id": snapshot["id"],
            "event_id": events[0]["id"],
            "operation_id": operations[0]["id"],
            "plan_id": plan["id"],
            "arn": f"arn:openstack:heat::{_OWNER}:{stack.path[1:]}"
            "/resources/handle",
        }
