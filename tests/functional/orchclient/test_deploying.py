"""Deployments by the command, whose servers answer by an object store."""

import json
import typing

import requests

from tests.functional import guarded
from tests.support import forks
from tests.support import processes
from tests.support import swift


class DeployingTests(guarded.GuardedTestCase):
    """``orch software deployment create`` in a cloud."""

    def setUp(self) -> None:
        super().setUp()
        self.keystone.publish(self.system)

    def use_swift(self) -> swift.Swift:
        """Return an object store that the catalogue names from now on."""
        return self.useFixture(swift.Swift(self.keystone))

    def run_orch(self, *words: str) -> processes.Done:
        return processes.complete(
            (processes.find("orch"), *words),
            guarded.plain_environment()
            | self.keystone.login("member").environment,
            launch=forks.clients().launch,
        )

    def created(self, *words: str) -> dict[str, typing.Any]:
        done = self.run_orch(
            *("software", "deployment", "create", self.name, "-f", "json"),
            *("--server", f"server-{self.name}", *words),
        )
        self.assertEqual(0, done.code, done)
        found: dict[str, typing.Any] = json.loads(done.output)
        return found

    def read_inputs(self) -> dict[str, str]:
        """Return the inputs that the agent of the server reads."""
        found = typing.cast(
            dict[str, typing.Any],
            self.client_of("member").ask(
                "GET", f"/software_deployments/metadata/server-{self.name}"
            ),
        )
        (config,) = found["metadata"]
        return {each["name"]: each["value"] for each in config["inputs"]}

    def test_the_server_answers_without_an_account(self) -> None:
        store = self.use_swift()
        made = self.created()

        self.assertEqual("IN_PROGRESS", made["state"])
        told = self.read_inputs()
        self.assertEqual(
            ("TEMP_URL_SIGNAL", "PUT"),
            (told["deploy_signal_transport"], told["deploy_signal_verb"]),
        )
        ((container, held),) = store.containers.items()
        self.assertTrue(container.startswith(f"{self.name}-"))
        self.assertEqual([b""], list(held.values()))
        answer = requests.put(
            told["deploy_signal_id"], data=b'{"o": 1}', timeout=30
        )
        self.assertEqual(201, answer.status_code)
        self.assertEqual([b'{"o": 1}'], list(held.values()))
        spoilt = told["deploy_signal_id"].replace("sig=", "sig=0")
        self.assertEqual(401, requests.put(spoilt, timeout=30).status_code)

    def test_the_container_and_the_time_are_chosen(self) -> None:
        store = self.use_swift()
        store.containers["mine"] = {"old": b"kept"}
        store.keys["mine"] = "known"

        self.created("--container", "mine", "--timeout-mins", "0")

        self.assertEqual("known", store.keys["mine"])
        self.assertEqual(b"kept", store.containers["mine"]["old"])
        self.assertEqual(2, len(store.containers["mine"]))
        late = requests.put(self.read_inputs()["deploy_signal_id"], timeout=30)
        self.assertEqual(401, late.status_code)

    def test_a_config_that_is_not_there_makes_no_container(self) -> None:
        store = self.use_swift()
        done = self.run_orch(
            *("software", "deployment", "create", self.name),
            *("--server", "s", "--config", "nowhere"),
        )

        self.assertEqual(5, done.code, done)
        self.assertEqual({}, store.containers)

    def refused(self, *words: str) -> processes.Done:
        return self.run_orch(
            *("software", "deployment", "create", self.name),
            *("--server", "s" * 300, *words),
        )

    def configs(self) -> list[object]:
        """Return the names of the configs there are."""
        listed = self.client_of("member").get(
            "/software_configs", "software_configs"
        )
        return [
            each["name"]
            for each in typing.cast(list[dict[str, object]], listed)
        ]

    def test_what_is_refused_leaves_nothing(self) -> None:
        store = self.use_swift()
        store.containers["mine"] = {}
        store.keys["mine"] = "known"

        for words in ((), ("--container", "mine")):
            done = self.refused(*words)
            self.assertIn("server_id", done.errors)

        self.assertEqual({"mine": {}}, store.containers)
        self.assertNotIn(self.name, self.configs())

    def test_a_time_is_not_negative(self) -> None:
        done = self.refused("--timeout-mins", "-1")

        self.assertEqual(2, done.code, done)
        self.assertIn("-1 is less than 0", done.errors)

    def test_without_an_object_store_it_is_told_what_lacks(self) -> None:
        done = self.run_orch(
            *("software", "deployment", "create", self.name),
            *("--server", "s"),
        )

        self.assertEqual(9, done.code, done)
        self.assertIn("names no object-store service", done.errors)
        self.assertNotIn(self.name, self.configs())
