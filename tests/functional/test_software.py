"""Software configs and deployments over REST, without any stack."""

from tests import base
from tests.support import rest
from tests.support import running

Json = dict[str, object]

_UNKNOWN = "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11"


class SoftwareTestCase(base.TestCase):
    """All on one server; each test has a project of its own."""

    limit_s = 120

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        found = running.Embedded()
        cls.addClassCleanup(found.cleanUp)
        found.setUp()
        cls.system = found.system

    def setUp(self) -> None:
        super().setUp()
        self.client = self.project(self.id().rpartition(".")[2])

    def project(self, name: str) -> rest.Client:
        """Return a client of a project, for somebody who is no admin."""
        start = self.system.endpoint.rpartition("/")[0]
        client = rest.Client(f"{start}/{name}")
        client._session.headers["X-Roles"] = "member"
        self.addCleanup(client.close)
        return client

    def config(self, **given: object) -> Json:
        answer = self.client.ask(
            "POST", "/software_configs", {"name": "c", **given}
        )
        return answer["software_config"]

    def deploy(self, config: Json, **given: object) -> Json:
        body = {"config_id": config["id"], "server_id": "web", **given}
        answer = self.client.ask("POST", "/software_deployments", body)
        return answer["software_deployment"]

    def refused(
        self, method: str, path: str, body: Json | None = None
    ) -> Json:
        error = self.assertRaises(
            rest.RefusedError, self.client.ask, method, path, body
        )
        return {"status": error.status, **error.body["error"]}


class ConfigTests(SoftwareTestCase):
    def test_a_config_comes_back_as_it_was_stored(self) -> None:
        made = self.config(
            group="script",
            config="#!/bin/sh\n",
            inputs=[{"name": "a"}, {"name": "b", "type": "Json"}],
            outputs=[{"name": "o", "error_output": "true"}],
            options={"x": [1]},
        )

        shown = self.client.get(
            f"/software_configs/{made['id']}", "software_config"
        )

        self.assertEqual(made, shown)
        self.assertRegex(made.pop("creation_time"), r"^\d{4}-.*Z$")
        del made["id"]
        self.assertEqual(
            {
                "name": "c",
                "group": "script",
                "config": "#!/bin/sh\n",
                "inputs": [
                    {"name": "a", "type": "String"},
                    {"name": "b", "type": "Json"},
                ],
                "outputs": [
                    {"name": "o", "type": "String", "error_output": True}
                ],
                "options": {"x": [1]},
            },
            made,
        )

    def test_lists_are_paged_and_tell_no_content(self) -> None:
        for name in ("first", "second", "third"):
            self.config(name=name)

        page = self.client.get("/software_configs?limit=2", "software_configs")
        rest_ = self.client.get(
            f"/software_configs?marker={page[-1]['id']}", "software_configs"
        )

        self.assertEqual(
            ["third", "second", "first"],
            [each["name"] for each in (*page, *rest_)],
        )
        self.assertEqual(
            {"id", "name", "group", "creation_time"}, set(page[0])
        )

    def test_a_deployed_config_cannot_be_removed(self) -> None:
        made = self.config()
        deployed = self.deploy(made)
        path = f"/software_configs/{made['id']}"

        refused = self.refused("DELETE", path)
        self.client.ask("DELETE", f"/software_deployments/{deployed['id']}")
        self.client.ask("DELETE", path)

        self.assertEqual(
            (400, "InvalidRestrictedAction"),
            (refused["status"], refused["type"]),
        )
        self.assertEqual(404, self.refused("GET", path)["status"])

    def test_those_of_others_are_not_there(self) -> None:
        made = self.config()
        deployed = self.deploy(made)
        self.client = self.project("others")

        for path in (
            f"/software_configs/{made['id']}",
            f"/software_deployments/{deployed['id']}",
        ):
            for method in ("GET", "DELETE"):
                refused = self.refused(method, path)
                self.assertEqual(
                    (404, "NotFound"), (refused["status"], refused["type"])
                )
        self.assertEqual(
            [], self.client.get("/software_configs", "software_configs")
        )
        self.assertEqual(
            [],
            self.client.get("/software_deployments/metadata/web", "metadata"),
        )

    def test_nobody_lists_those_of_all_projects(self) -> None:
        refused = self.refused("GET", "/software_configs?global_tenant=true")

        self.assertEqual(403, refused["status"])

    def test_a_wrong_body_is_refused(self) -> None:
        for wrong in (
            {"name": 3},
            {"inputs": {}},
            {"inputs": [3]},
            {"inputs": [{"type": "String"}]},
            {"inputs": [{"name": "a", "type": "Nonsense"}]},
            {"inputs": [{"name": "a", "colour": "red"}]},
            {"outputs": [{"name": "a", "error_output": "perhaps"}]},
            {"options": []},
        ):
            refused = self.refused("POST", "/software_configs", wrong)
            self.assertEqual(400, refused["status"], wrong)


class DeploymentTests(SoftwareTestCase):
    def test_a_deployment_is_changed_key_by_key(self) -> None:
        deployed = self.deploy(
            self.config(),
            action="CREATE",
            status="IN_PROGRESS",
            input_values={"a": 1},
        )
        path = f"/software_deployments/{deployed['id']}"

        self.client.ask(
            "PUT",
            path,
            {
                "status": "COMPLETE",
                "status_reason": "well",
                "output_values": {"deploy_stdout": "hi"},
                "action": None,
            },
        )

        shown = self.client.get(path, "software_deployment")
        self.assertRegex(shown.pop("updated_time"), r"^\d{4}-.*Z$")
        changed = {
            "status": "COMPLETE",
            "status_reason": "well",
            "output_values": {"deploy_stdout": "hi"},
        }
        self.assertIsNone(deployed.pop("updated_time"))
        self.assertEqual({**deployed, **changed}, shown)
        self.assertEqual(
            ("CREATE", {"a": 1}), (shown["action"], shown["input_values"])
        )

    def test_those_to_one_server_are_listed(self) -> None:
        config = self.config()
        mine = self.deploy(config)
        other = self.deploy(config, server_id="db")

        found = self.client.get(
            "/software_deployments?server_id=web", "software_deployments"
        )
        every = self.client.get(
            "/software_deployments", "software_deployments"
        )

        self.assertEqual([mine], found)
        self.assertEqual([mine, other], every)

    def test_a_server_reads_its_configs_in_the_order_of_names(self) -> None:
        last = self.config(name="z", config="2")
        first = self.config(name="a", config="1")
        for each in (last, first):
            self.deploy(each)
        self.deploy(self.config(name="b"), server_id="db")

        found = self.client.get(
            "/software_deployments/metadata/web", "metadata"
        )

        self.assertEqual([first, last], found)

    def test_no_other_project_is_named(self) -> None:
        own = self.client.endpoint.rpartition("/")[2]
        body = {"config_id": self.config()["id"], "server_id": "web"}

        refused = self.refused(
            "POST",
            "/software_deployments",
            {**body, "stack_user_project_id": "victim"},
        )
        self.deploy(self.config(), stack_user_project_id=own)

        self.assertEqual(400, refused["status"])
        self.assertIn(
            "stack_user_project_id: no stack of your project has a user in"
            " the project victim",
            refused["message"],
        )
        found = self.client.get(
            "/software_deployments", "software_deployments"
        )
        self.assertEqual(1, len(found))

    def test_what_is_wrong_is_refused(self) -> None:
        good = {"config_id": self.config()["id"], "server_id": "web"}
        for status, wrong in (
            (400, {"config_id": None}),
            (400, {"server_id": ""}),
            (400, {"server_id": 4}),
            (400, {"server_id": "a\0"}),
            (400, {"action": "x" * 256}),
            (400, {"input_values": []}),
            (404, {"config_id": _UNKNOWN}),
            (404, {"config_id": "nosuch"}),
        ):
            refused = self.refused(
                "POST", "/software_deployments", {**good, **wrong}
            )
            self.assertEqual(status, refused["status"], wrong)

    def test_one_that_is_not_there_is_told(self) -> None:
        for missing in (_UNKNOWN, "nosuch"):
            for method in ("GET", "PUT", "DELETE"):
                refused = self.refused(
                    method, f"/software_deployments/{missing}", {}
                )
                self.assertEqual(
                    (404, f"Deployment with id {missing} not found"),
                    (refused["status"], refused["message"]),
                )
