"""The page on Orch on OpenStack clouds works as it is written."""

import collections.abc
import configparser
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import textwrap
import typing

from tests import base
from tests.functional import databases
from tests.functional.cfn import test_awscli
from tests.support import apart
from tests.support import keystone
from tests.support import ports
from tests.support import processes
from tests.support import rabbit

_TOP: typing.Final = pathlib.Path(__file__).parents[2]
_PAGE: typing.Final = _TOP / "doc" / "source" / "cloud.rst"
_SAMPLE: typing.Final = _TOP / "etc" / "orch" / "orch.conf.sample"
_BLOCK = re.compile(
    r"^\.\. code-block:: (\w+)\n\n((?:   .*\n|\n)+)", re.MULTILINE
)
_WORD: typing.Final = """
heat_template_version: 2021-04-16
resources:
  word: {type: OS::Heat::RandomString}
"""
_HELLO: typing.Final = f"""{_WORD}
  user: {{type: AWS::IAM::User}}
"""
_LIMIT_S: typing.Final = 120
_READY_S: typing.Final = 60


def blocks(language: str) -> list[str]:
    """Return the blocks of the page in a language."""
    return [
        textwrap.dedent(found[2])
        for found in _BLOCK.finditer(_PAGE.read_text(encoding="utf-8"))
        if found[1] == language
    ]


def commands(program: str) -> list[str]:
    """Return the commands of the page that run a program, in their order."""
    text = "\n".join(blocks("console")).replace("\\\n", " ")
    lines = [line.removeprefix("$ ") for line in text.splitlines()]
    return [line for line in lines if line.startswith(f"{program} ")]


class OptionsTest(base.TestCase):
    def test_each_option_exists(self) -> None:
        (text,) = blocks("ini")
        given = configparser.ConfigParser(default_section="", strict=True)
        given.read_string(text)
        known = self.known()

        # Its own options are those of [trustee] too, by another loader.
        known["keystone_authtoken"] |= known["trustee"]
        self.assertEqual(
            {},
            {
                group: missing
                for group in given.sections()
                if (missing := {*given[group]} - known.get(group, set()))
            },
        )

    def known(self) -> dict[str, set[str]]:
        """Return the names of options by group, as the sample has them."""
        found: dict[str, set[str]] = {}
        group: set[str] = set()
        for line in _SAMPLE.read_text(encoding="utf-8").splitlines():
            if section := re.fullmatch(r"\[(\w+)\]", line):
                group = found.setdefault(section[1], set())
            elif option := re.match(r"#(\w+) =", line):
                group.add(option[1])
        return found


class PageTest(base.TestCase):
    limit_s = 600

    def setUp(self) -> None:
        super().setUp()
        self.directory = self.make_directory()
        broker = self.useFixture(rabbit.VirtualHost())
        database = self.useFixture(databases.PostgreSQL())
        self.keystone = keystone.Keystone()
        self.addCleanup(self.keystone.close)
        self.api, self.cfn = ports.find_free(), ports.find_free()
        self.replaced = {
            "rabbit://orch:BROKER_PASSWORD@broker.example.net:5672/orch": (
                broker.url()
            ),
            "postgresql+psycopg2://orch:DB_PASSWORD@db.example.net/orch": (
                database.url
            ),
            "https://cloud.example.net:5000/v3": self.keystone.url,
            "https://orch.example.net:8004": f"http://127.0.0.1:{self.api}",
            "https://orch.example.net:8000": f"http://127.0.0.1:{self.cfn}",
            "port = 8004": f"port = {self.api}",
            "port = 8000": f"port = {self.cfn}",
            "ORCH_PASSWORD": "word-of-orch",
            "DOMAIN_PASSWORD": "word-of-the-domain",
        }

    def test_it_leads_to_a_stack(self) -> None:
        self.forget_orch()
        *of_admin, create, delete = commands("openstack")
        admin = self.keystone.login("admin").environment
        for command in of_admin:
            self.run_command(command, admin)
        config = self.configure()

        _, sync, doctor = (
            each.replace("orch-manage", f"orch-manage --config-file {config}")
            for each in commands("orch-manage")
        )
        self.run_command(sync, {})
        self.start(config)
        self.run_command(doctor, {})

        (self.directory / "hello.yaml").write_text(_HELLO)
        member = self.keystone.login("member").environment
        told = self.run_command(create, member)
        self.assertIn("CREATE_COMPLETE", told)
        self.run_command(delete, member)
        self.deploy(member)

    def deploy(self, member: collections.abc.Mapping[str, str]) -> None:
        """Deploy the stack of the page by the ``aws`` command, if it is here.

        By the keys of a user, so it has nothing in the cloud.
        """
        program = apart.AWS.find()
        if program is None:
            return
        (self.directory / "hello.yaml").write_text(_WORD)
        (self.directory / "sitecustomize.py").write_text(
            test_awscli.SHORTER_PAUSES
        )
        told = self.run_command(
            "openstack ec2 credentials create -f json", member
        )
        keys = json.loads(told)
        (deploy,) = commands("aws")

        told = self.run_command(
            deploy,
            {
                "PATH": f"{pathlib.Path(program).parent}{os.pathsep}"
                f"{os.environ['PATH']}",
                "AWS_ACCESS_KEY_ID": keys["access"],
                "AWS_SECRET_ACCESS_KEY": keys["secret"],
                "AWS_DEFAULT_REGION": keystone.REGION,
                "PYTHONPATH": str(self.directory),
            },
        )

        self.assertIn("Successfully created/updated stack", told)

    def forget_orch(self) -> None:
        """Remove the accounts that tests have and a new cloud has not."""
        identity = self.keystone.admin.identity
        for user in identity.users(name=keystone.SERVICE):
            identity.delete_user(user)
        for role in identity.roles(name="heat_stack_user"):
            identity.delete_role(role)
        for project in identity.projects(name="service"):
            identity.delete_project(project)

    def configure(self) -> pathlib.Path:
        """Return the file of the page, with the keys that it describes."""
        first, *_ = commands("orch-manage")
        (other,) = commands("openssl")
        self.replaced["CREDENTIAL_KEY"] = self.run_command(first, {}).strip()
        self.replaced["ADDRESS_KEY"] = self.run_command(other, {}).strip()
        (text,) = blocks("ini")
        config = self.directory / "orch.conf"
        config.write_text(self.filled(text))
        return config

    def start(self, config: pathlib.Path) -> None:
        for program, port in (
            ("orch-engine", None),
            ("orch-api", self.api),
            ("orch-api-cfn", self.cfn),
        ):
            process = processes.Process(
                program,
                *("--config-file", str(config)),
                log=self.directory / f"{program}.log",
            )
            self.addCleanup(process.close)
            process.start()
            if port is not None:
                process.wait_until(
                    functools.partial(
                        processes.answers,
                        f"http://127.0.0.1:{port}/readiness",
                    ),
                    timeout_s=_READY_S,
                )

    def filled(self, text: str) -> str:
        """Return a text of the page for this machine."""
        for old, new in self.replaced.items():
            text = text.replace(old, new)
        return text

    def run_command(
        self, command: str, environment: collections.abc.Mapping[str, str]
    ) -> str:
        """Return what a command of the page prints."""
        program, *rest = shlex.split(self.filled(command))
        found = pathlib.Path(processes.find(program))
        done = subprocess.run(
            (str(found) if found.exists() else program, *rest),
            cwd=self.directory,
            env={"PATH": os.environ["PATH"], **environment},
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
        self.assertEqual(0, done.returncode, (command, done))
        return done.stdout
