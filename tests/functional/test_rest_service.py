"""What the service tells of itself, and what is stored beside stacks."""

import json

from tests.functional import test_rest_rules
from tests.support import move_bodies

_VERSION = "heat_template_version.2021-04-16"
_TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "description": "told",
    "parameters": {
        "word": {"type": "string", "default": "a"},
        "secret": {"type": "string", "default": "b", "hidden": True},
        "count": {"type": "number", "default": 3},
    },
    "resources": {
        "one": {
            "type": "OS::Heat::Value",
            "properties": {"value": {"get_param": "word"}},
            "metadata": {"key": "value"},
        }
    },
    "outputs": {
        "word": {
            "description": "said",
            "value": {"get_attr": ["one", "value"]},
        }
    },
}
_MOVES = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "goes": {"type": "OS::Heat::RandomString"},
        "stays": {"type": "OS::Heat::RandomString"},
    },
}


class ServiceTests(test_rest_rules.RestTestCase):
    def test_types(self) -> None:
        types = "/resource_types"
        every = self.ask("GET", types, 200).json()["resource_types"]
        self.assertLess(100, len(every))
        for query, found in (
            ("name=^OS::Heat::Value$", ["OS::Heat::Value"]),
            ("name=OS::Heat::Val", ["OS::Heat::Value"]),
            ("name=Heat::Val", []),
            ("name=.*t::Value", ["OS::Heat::Value"]),
            ("name=absent", []),
        ):
            listed = self.ask("GET", f"{types}?{query}", 200).json()
            self.assertEqual(found, listed["resource_types"], query)
        asked = "name=OS::Heat::Value&with_description=true"
        (told,) = self.ask("GET", f"{types}?{asked}", 200).json()[
            "resource_types"
        ]
        self.assertEqual("OS::Heat::Value", told["resource_type"])
        shown = self.ask("GET", f"{types}/OS::Heat::Value", 200).json()
        self.assertEqual({"type", "value"}, set(shown["properties"]))
        self.assertNotIn("description", shown)
        self.ask("GET", f"{types}/OS::Absent", 404)
        for asked, language in (
            ("", "HeatTemplateFormatVersion"),
            ("?template_type=cfn", "HeatTemplateFormatVersion"),
            ("?template_type=hot", "heat_template_version"),
        ):
            path = f"{types}/OS::Heat::Value/template{asked}"
            self.assertIn(language, self.ask("GET", path, 200).json())
        path = f"{types}/OS::Heat::Value/template?template_type=other"
        self.ask("GET", path, 400)

    def test_versions_and_functions(self) -> None:
        listed = self.ask("GET", "/template_versions", 200).json()
        versions = {
            each["version"]: each for each in listed["template_versions"]
        }
        self.assertEqual("hot", versions[_VERSION]["type"])
        path = f"/template_versions/{_VERSION}/functions"
        plain, more = (
            {
                each["functions"]
                for each in self.ask("GET", f"{path}{asked}", 200).json()[
                    "template_functions"
                ]
            }
            for asked in ("", "?with_condition_func=true")
        )
        self.assertIn("get_param", plain)
        self.assertEqual({"and", "or", "not", "equals"} - plain, more - plain)
        self.ask("GET", "/template_versions/absent/functions", 404)

    def test_processes(self) -> None:
        (service,) = self.ask("GET", "/services", 200).json()["services"]
        self.assertEqual("up", service["status"])
        found = self.ask("GET", "/build_info", 200).json()
        self.assertEqual({"api", "engine"}, set(found))
        self.ask("GET", "/services", 403, headers={"X-Roles": "member,reader"})

    def test_validation(self) -> None:
        found = self.ask(
            "POST", "/validate", 200, json={"template": _TEMPLATE}
        ).json()
        self.assertEqual("told", found["Description"])
        word = found["Parameters"]["word"]
        self.assertEqual(
            ("String", "a", "false"),
            (word["Type"], word["Default"], word["NoEcho"]),
        )
        self.assertEqual("true", found["Parameters"]["secret"]["NoEcho"])
        self.ask("POST", "/validate", 400, json={})
        self.ask(
            *("POST", "/validate?ignore_errors=some", 400),
            json={"template": _TEMPLATE},
        )

    def test_parts_of_a_stack(self) -> None:
        stack = self.make("parts", _TEMPLATE)
        path = stack.path
        shown = self.ask("GET", path, 200).json()["stack"]
        self.assertEqual(
            ("a", "******", "3", stack.id),
            tuple(
                shown["parameters"][key]
                for key in ("word", "secret", "count", "OS::stack_id")
            ),
        )
        brief = self.ask("GET", f"{path}?resolve_outputs=false", 200).json()
        self.assertNotIn("outputs", brief["stack"])
        listed = self.ask("GET", f"{path}/outputs", 200).json()
        self.assertEqual(
            [{"output_key": "word", "description": "said"}],
            listed["outputs"],
        )
        output = self.ask("GET", f"{path}/outputs/word", 200).json()
        self.assertEqual("a", output["output"]["output_value"])
        self.ask("GET", f"{path}/outputs/absent", 404)
        found = self.ask("GET", f"{path}/template", 200).json()
        self.assertEqual(_TEMPLATE["resources"], found["resources"])
        found = self.ask("GET", f"{path}/environment", 200).json()
        self.assertLessEqual(
            {"parameters", "parameter_defaults", "resource_registry"},
            set(found),
        )
        self.assertEqual({}, self.ask("GET", f"{path}/files", 200).json())
        one = f"{path}/resources/one"
        found = self.ask("GET", f"{one}/metadata", 200).json()
        self.assertEqual({"metadata": {"key": "value"}}, found)
        found = self.ask("GET", one, 200).json()["resource"]
        self.assertEqual("a", found["attributes"]["value"])
        self.ask("POST", f"{one}/signal", 400)
        self.ask("PATCH", one, 400, json={"mark_unhealthy": True, "more": 1})

    def test_changes_answer_as_heat_does(self) -> None:
        stack = self.make("changed", _TEMPLATE)
        body = {"template": _TEMPLATE, "parameters": {"word": "b"}}
        made = self.ask(
            *("POST", "/stacks/preview", 200),
            json={"stack_name": "tried", "template": _TEMPLATE},
        ).json()["stack"]
        (one,) = made["resources"]
        self.assertEqual("a", one["properties"]["value"])
        self.ask("GET", "/stacks/tried", 404)
        preview = self.ask(
            "PUT", f"{stack.path}/preview", 200, json=body
        ).json()["resource_changes"]
        self.assertEqual(
            ["one"], [each["resource_name"] for each in preview["updated"]]
        )
        answer = self.ask("PUT", stack.path, 202, json=body).json()
        self.assertEqual("202 Accepted", answer["code"])
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.ask("PUT", stack.path, 400, json={})
        self.ask("PATCH", stack.path, 202, json={"parameters": {"word": "c"}})
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual({"word": "c"}, self.client.outputs(stack))
        conflict = self.ask(
            *("POST", "/stacks", 409),
            json={"stack_name": "changed", "template": _TEMPLATE},
        ).json()
        self.assertEqual("StackExists", conflict["error"]["type"])

    def test_no_tags_take_the_tags_away(self) -> None:
        stack = self.make("tagged", _TEMPLATE, tags="a,b")
        tags = ["a", "b"]
        for sent, kept in (
            ({}, tags),
            ({"tags": None}, tags),
            ({"tags": ""}, None),
            ({"tags": "c"}, ["c"]),
            ({"tags": []}, None),
        ):
            self.ask("PATCH", stack.path, 202, json=sent)
            self.client.wait(stack, "UPDATE_COMPLETE")
            shown = self.client.get(stack.path, "stack")
            self.assertEqual(kept, shown["tags"], sent)

    def test_operations_and_plans(self) -> None:
        stack = self.make("planned", _TEMPLATE)
        path = f"{stack.path}/operations"
        (listed,) = self.ask("GET", path, 200).json()["operations"]
        self.assertEqual("CREATE", listed["action"])
        shown = self.ask("GET", f"{path}/{listed['id']}", 200).json()
        self.assertEqual(listed["id"], shown["operation"]["id"])
        path = f"{stack.path}/plans"
        made = self.ask(
            *("POST", path, 201),
            json={
                "action": "update",
                "existing": True,
                "parameters": {"word": "b"},
            },
        ).json()["plan"]
        (kept,) = self.ask("GET", path, 200).json()["plans"]
        self.assertEqual(made["id"], kept["id"])
        shown = self.ask("GET", f"{path}/{kept['id']}", 200).json()["plan"]
        (change,) = shown["changes"]
        self.assertEqual("one", change["resource_name"])
        self.ask("POST", f"{path}/{kept['id']}/apply", 202)
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.ask("DELETE", f"{path}/{kept['id']}", 204)
        self.ask("GET", f"{path}/{kept['id']}", 404)

    def test_a_plan_of_nothing_leaves_no_answer_under_its_key(self) -> None:
        stack = self.make("still", _TEMPLATE)
        self.ask("POST", f"{stack.path}/actions", 200, json={"suspend": None})
        self.client.wait(stack, "SUSPEND_COMPLETE")
        for _ in range(2):
            self.ask(
                *("POST", f"{stack.path}/plans", 409),
                json={"action": "suspend"},
                headers={"Idempotency-Key": "nothing"},
            )

    def test_a_move_is_tried_and_done(self) -> None:
        source = self.make("source", _MOVES)
        target = self.make("target", _TEMPLATE)
        body = move_bodies.written(
            self.system.endpoint, source, "target", {"goes": "came"}
        )
        tried = self.ask(
            "POST", f"{source.path}/move/preview", 200, json=body
        ).json()["move"]
        self.assertEqual({"goes": "came"}, tried["resources"])
        moved = self.ask("POST", f"{source.path}/move", 202, json=body).json()[
            "move"
        ]
        self.assertEqual("target", moved["target"]["stack_name"])
        self.client.wait(target, "UPDATE_COMPLETE")
        self.assertIn("came", self.client.resources(target))

    def test_snapshots(self) -> None:
        stack = self.make("snapped", _TEMPLATE)
        path = f"{stack.path}/snapshots"
        made = self.ask("POST", path, 200, json={"name": "first"}).json()
        self.assertEqual("IN_PROGRESS", made["status"])
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        one = f"{path}/{made['id']}"
        shown = self.ask("GET", one, 200).json()["snapshot"]
        self.assertEqual("COMPLETE", shown["status"])
        self.assertEqual("snapped", shown["data"]["name"])
        (listed,) = self.ask("GET", path, 200).json()["snapshots"]
        self.assertEqual("first", listed["name"])
        self.ask("POST", f"{one}/restore", 202)
        self.client.wait(stack, "RESTORE_COMPLETE")
        self.ask("DELETE", one, 204)
        self.ask("GET", one, 404)

    def test_documents_of_a_stack(self) -> None:
        stack = self.make("let-go", _TEMPLATE)
        exported = self.ask("GET", f"{stack.path}/export", 200).json()
        abandoned = self.ask("DELETE", f"{stack.path}/abandon", 200).json()
        self.assertEqual(exported["resources"], abandoned["resources"])
        self.client.wait(stack, "DELETE_COMPLETE")
        adopted = self.ask(
            *("POST", "/stacks", 201),
            json={
                "stack_name": "taken",
                "adopt_stack_data": json.dumps(abandoned),
            },
        )
        made = adopted.json()["stack"]
        self.assertEqual(made["links"][0]["href"], adopted.headers["Location"])

    def test_software(self) -> None:
        configs, deployments = "/software_configs", "/software_deployments"
        made = self.ask(
            *("POST", configs, 200), json={"name": "c", "config": "x"}
        ).json()["software_config"]
        self.assertEqual(
            [made["id"]],
            [
                each["id"]
                for each in self.ask("GET", f"{configs}?limit=5", 200).json()[
                    "software_configs"
                ]
            ],
        )
        marked = f"{configs}?marker={made['id']}"
        self.assertEqual(
            [], self.ask("GET", marked, 200).json()["software_configs"]
        )
        self.ask("GET", f"{configs}?global_tenant=true", 403)
        one = f"{configs}/{made['id']}"
        self.ask("GET", one, 200)
        put = self.ask(
            *("POST", deployments, 200),
            json={"config_id": made["id"], "server_id": "web"},
        ).json()["software_deployment"]
        self.ask("DELETE", one, 400)
        found = self.ask("GET", f"{deployments}?server_id=web", 200).json()
        self.assertEqual(1, len(found["software_deployments"]))
        found = self.ask("GET", f"{deployments}?server_id=db", 200).json()
        self.assertEqual([], found["software_deployments"])
        told = self.ask("GET", f"{deployments}/metadata/web", 200).json()
        self.assertEqual("x", told["metadata"][0]["config"])
        path = f"{deployments}/{put['id']}"
        changed = self.ask("PUT", path, 200, json={"status": "COMPLETE"})
        self.assertEqual(
            "COMPLETE", changed.json()["software_deployment"]["status"]
        )
        self.ask("DELETE", path, 204)
        self.ask("DELETE", one, 204)
        self.ask("GET", one, 404)
