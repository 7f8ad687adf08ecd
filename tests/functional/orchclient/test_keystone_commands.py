"""The commands with a real Keystone, by logins that stand in clouds.yaml."""

import json
import os
import pathlib
import tempfile
import typing

import yaml

from tests.functional import guarded
from tests.support import forks
from tests.support import keystone
from tests.support import processes
from tests.support import rest
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

_FAILED = 3
_CHANGES = 11


class KeystoneCommandTests(guarded.GuardedTestCase):
    """Each login leads through the life of a stack.

    :cvar form: ``orch`` or ``openstack orch``
    """

    form: typing.ClassVar[tuple[str, ...]] = ("orch",)
    secrets: typing.ClassVar[list[str]]

    @classmethod
    def setUpClass(cls) -> None:
        cls.world = cls.use(world.World())
        super().setUpClass()
        cls.keystone.publish(cls.system)
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        cls.config = cls.directory / "clouds.yaml"
        cls.config.write_text(yaml.safe_dump({"clouds": cls._clouds()}))
        cls.template = cls.directory / "template.json"

    @classmethod
    def environment(cls) -> dict[str, str]:
        found = guarded.GuardedTestCase.environment()
        own = cls.world.environment
        paths = (found["PYTHONPATH"], own["PYTHONPATH"])
        return {**own, "PYTHONPATH": os.pathsep.join(paths)}

    @classmethod
    def _clouds(cls) -> guarded.Json:
        login = cls.keystone.login("member")
        identity = login.connect().identity
        made = identity.create_application_credential(
            cls.keystone.users["member"], name=f"{cls.__name__}-orch"
        )
        token = cls.keystone.fresh_token("member")
        cls.secrets = [keystone.PASSWORD, made.secret, token]
        place = {"auth_url": login.auth_url}
        return {
            "password": cls._cloud("password", login.options),
            "token": cls._cloud(
                "v3token",
                {
                    **place,
                    "token": token,
                    "project_id": cls.keystone.projects["demo"],
                },
            ),
            "application": cls._cloud(
                "v3applicationcredential",
                {
                    **place,
                    "application_credential_id": made.id,
                    "application_credential_secret": made.secret,
                },
            ),
        }

    @staticmethod
    def _cloud(kind: str, auth: dict[str, str]) -> guarded.Json:
        return {
            "auth_type": kind,
            "auth": auth,
            "region_name": keystone.REGION,
            "identity_api_version": "3",
        }

    def run_command(self, cloud: str, *words: str) -> processes.Done:
        done = processes.complete(
            (
                processes.find(self.form[0]),
                *("--os-cloud", cloud),
                *self.form[1:],
                *words,
            ),
            guarded.plain_environment()
            | {
                "OS_CLIENT_CONFIG_FILE": str(self.config),
                "HOME": str(self.directory),
            },
            launch=forks.clients().launch,
        )
        for secret in self.secrets:
            self.assertNotIn(secret, done.output + done.errors)
        return done

    def succeed(self, cloud: str, *words: str) -> processes.Done:
        done = self.run_command(cloud, *words)
        self.assertEqual(0, done.code, done)
        return done

    def write(self, label: str) -> str:
        wanted = world_templates.template(
            a=world_templates.declare_resource(label=label)
        )
        self.template.write_text(json.dumps(wanted))
        return str(self.template)

    def labels(self) -> list[str]:
        return [
            each.label for each in self.world.physical_resources(self.name)
        ]

    def check_life(self, cloud: str) -> None:
        named = ("--name", self.name)
        self.world.order(self.name, "create", "a", how="permanent")
        failed = self.run_command(cloud, "up", self.write("one"), *named)
        self.assertEqual(_FAILED, failed.code, failed)
        self.assertIn("retry", failed.output + failed.errors)
        self.world.forgive(self.name)
        self.succeed(cloud, "retry", self.name)
        self.assertEqual(["one"], self.labels())

        plan = self.run_command(
            cloud, "plan", self.write("two"), *named, "--exit-code"
        )
        self.assertEqual(_CHANGES, plan.code, plan)
        self.succeed(cloud, "apply", self.name)
        self.assertEqual(["two"], self.labels())

        self.succeed(cloud, "stack", "delete", "--yes", self.name)
        self.assertEqual([], self.labels())

    def test_a_password(self) -> None:
        self.check_life("password")

    def test_a_token(self) -> None:
        self.check_life("token")

    def test_an_application_credential(self) -> None:
        self.check_life("application")

    def test_logs_are_followed_to_the_end(self) -> None:
        self.succeed("password", "up", self.write("x"), "--name", self.name)
        self.world.order(self.name, "delete", "a")
        log = self.directory / "followed"
        program = (
            processes.find(self.form[0]),
            *("--os-cloud", "application"),
            *self.form[1:],
            *("logs", "--follow", self.name),
        )
        with log.open("wb") as output:
            following = forks.clients().launch(
                program,
                guarded.plain_environment()
                | {"OS_CLIENT_CONFIG_FILE": str(self.config)},
                output,
            )
        waiting.wait_for(
            lambda: b"CREATE_COMPLETE" in log.read_bytes(), "the first events"
        )
        member = self.client_of("member")
        listed = member.get(f"/stacks?name={self.name}", "stacks")
        stack = rest.Stack(self.name, str(listed[0]["id"]))
        member.delete(stack)
        waiting.wait_for(
            lambda: b"DELETE_IN_PROGRESS" in log.read_bytes(),
            f"the news: {log.read_bytes()!r}",
        )
        self.world.release(self.name)
        self.assertEqual(0, following.wait(60), log.read_bytes())
        self.assertIn(b"DELETE_COMPLETE", log.read_bytes())

    def test_debugging_shows_nothing_that_logs_in(self) -> None:
        for cloud in ("password", "token", "application"):
            done = self.succeed(cloud, "-v", "-v", "--debug", "stack", "list")
            # Requests are shown, what logs in stands there as a digest.
            self.assertIn("X-Auth-Token: {SHA256}", done.errors)

    def test_who_may_not_is_told(self) -> None:
        wanted = self.directory / "acting.json"
        wanted.write_text(json.dumps(guarded.login()))

        done = self.run_command(
            "application", "up", str(wanted), "--name", self.name
        )

        self.assertNotIn(done.code, (0, 1, _FAILED))
        self.assertIn("log in with a password", done.output + done.errors)


class OpenStackKeystoneCommandTests(KeystoneCommandTests):
    form = ("openstack", "orch")
