"""What a request to create or to preview a stack becomes."""

from orch import errors
from orch.db import errors as db_errors
from tests.unit.api import fakes

TEMPLATE = {"heat_template_version": "2018-08-31"}
BODY = {"stack_name": "web", "template": TEMPLATE}


class CreateTest(fakes.ApiTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["stack.create"] = fakes.ACCEPTED

    def test_an_accepted_stack_answers_201_and_its_address(self) -> None:
        answer = self.ask("POST", "/v1/demo/stacks", 201, json=BODY)

        self.assertEqual(
            {
                "stack": {
                    "id": fakes.STACK_ID,
                    "links": [{"href": fakes.STACK_URL, "rel": "self"}],
                }
            },
            answer.json,
        )
        self.assertEqual(fakes.STACK_URL, answer.headers["Location"])

    def test_the_workers_are_woken_up_for_the_operation(self) -> None:
        self.ask("POST", "/v1/demo/stacks", 201, json=BODY)

        (sent,) = self.bus.casts
        self.assertEqual("operation.run", sent.name)
        self.assertEqual({"operation_id": "op-1"}, sent.args)

    def test_a_lost_hint_fails_no_request(self) -> None:
        self.bus.cast_error = ConnectionError("gone")

        self.ask("POST", "/v1/demo/stacks", 201, json=BODY)

        self.assertEqual(1, len(self.bus.casts))

    def test_the_body_reaches_the_engine_unknown_keys_dropped(self) -> None:
        self.ask(
            "POST",
            "/v1/demo/stacks",
            201,
            json={
                **BODY,
                "parameters": {"p": 1},
                "environment": "parameters: {}",
                "files": {"f": "text"},
                "environment_files": ["f"],
                "disable_rollback": "False",
                "timeout_mins": "15",
                "tags": "a, b",
                "keep_going": True,
                "owner_id": "x",
                "nested_depth": 3,
            },
        )

        self.assertEqual(
            {
                "name": "web",
                "inputs": {
                    "template": TEMPLATE,
                    "parameters": {"p": 1},
                    "environment": "parameters: {}",
                    "files": {"f": "text"},
                    "environment_files": ["f"],
                },
                "options": {
                    "disable_rollback": False,
                    "timeout_mins": 15,
                    "tags": ["a", "b"],
                    "keep_going": True,
                },
            },
            self.bus.sent("stack.create"),
        )

    def test_nulls_are_as_good_as_nothing(self) -> None:
        self.ask(
            "POST",
            "/v1/demo/stacks",
            201,
            json={
                **BODY,
                "template_url": None,
                "environment": None,
                "files": None,
                "timeout_mins": None,
                "disable_rollback": None,
                "tags": None,
            },
        )

        sent = self.bus.sent("stack.create")
        self.assertEqual({"template": TEMPLATE}, sent["inputs"])
        self.assertEqual({}, sent["options"])

    def test_tags_may_be_a_list(self) -> None:
        self.ask("POST", "/v1/demo/stacks", 201, json={**BODY, "tags": ["a"]})

        options = self.bus.sent("stack.create")["options"]
        self.assertEqual({"tags": ["a"]}, options)

    def test_wrong_values_are_refused(self) -> None:
        for wrong in (
            {"disable_rollback": "perhaps"},
            {"timeout_mins": -1},
            {"timeout_mins": "soon"},
            {"timeout_mins": True},
            {"timeout_mins": 1.5},
            {"timeout_mins": 35_791_395},
            {"tags": ["a\0b"]},
            {"tags": "x" * 81},
            {"tags": ["a,b"]},
            {"tags": [""]},
            {"tags": [1]},
            {"tags": 1},
            {"template": ["list"]},
            {"template": 7},
            {"template": None},
            {"environment": 5},
            {"parameters": ["list"]},
            {"files": {"f": 1}},
            {"environment_files": "f"},
            {"converge": True},
        ):
            answer = self.ask(
                "POST", "/v1/demo/stacks", 400, json={**BODY, **wrong}
            )
            self.assert_error(answer, "HTTPBadRequest", *wrong)
        self.assertEqual([], self.bus.calls)

    def test_all_misfits_are_told_at_once(self) -> None:
        answer = self.ask(
            "POST",
            "/v1/demo/stacks",
            400,
            json={**BODY, "parameters": 1, "files": {"a": 1}},
        )

        paths = {each["path"] for each in answer.json["problems"]}
        self.assertEqual({"parameters", "files.a"}, paths)

    def test_a_body_without_a_name_is_refused(self) -> None:
        answer = self.ask(
            "POST", "/v1/demo/stacks", 400, json={"template": TEMPLATE}
        )

        self.assert_error(answer, "HTTPBadRequest", "stack_name")

    def test_names_follow_the_rule(self) -> None:
        for name in (7, "", "1a", "_a", "a b", "a/b", "a" * 256, "a\n", "é"):
            answer = self.ask(
                "POST",
                "/v1/demo/stacks",
                400,
                json={**BODY, "stack_name": name},
            )
            self.assert_error(answer, "StackValidationFailed", "stack_name")
        longest = "a" * 255
        self.ask(
            "POST",
            "/v1/demo/stacks",
            201,
            json={**BODY, "stack_name": longest},
        )

    def test_files_of_a_container_come_before_it_is_asked_for(self) -> None:
        self.bus.answers["template.files"] = {"a": "there", "b": "there"}

        self.ask(
            "POST",
            "/v1/demo/stacks",
            201,
            json={**BODY, "files": {"a": "here"}, "files_container": "c"},
        )

        self.assertEqual(
            {"container": "c", "without": ["a"], "max_bytes": 1048576},
            self.bus.sent("template.files"),
        )
        inputs = self.bus.sent("stack.create")["inputs"]
        self.assertEqual({"a": "here", "b": "there"}, inputs["files"])
        self.assertNotIn("files_container", inputs)

    def test_a_container_that_is_not_there_makes_no_stack(self) -> None:
        self.bus.answers["template.files"] = errors.NotFound("no container")

        self.ask(
            "POST",
            "/v1/demo/stacks",
            404,
            json={**BODY, "files_container": "c"},
        )

        self.assertEqual(
            ["template.files"], [each.name for each in self.bus.calls]
        )

    def test_a_taken_name_answers_409(self) -> None:
        self.bus.answers["stack.create"] = db_errors.NameTaken("web is taken")

        answer = self.ask("POST", "/v1/demo/stacks", 409, json=BODY)

        self.assert_error(answer, "StackExists", "web is taken")
        self.assertEqual([], self.bus.casts)

    def test_silent_workers_answer_503(self) -> None:
        self.bus.answers["stack.create"] = errors.Unavailable("nobody there")

        answer = self.ask("POST", "/v1/demo/stacks", 503, json=BODY)

        self.assert_error(answer, "HTTPServiceUnavailable", "nobody there")

    def test_a_reader_may_not_create(self) -> None:
        answer = self.ask(
            "POST",
            "/v1/demo/stacks",
            403,
            json=BODY,
            headers={"X-Roles": "reader"},
        )

        self.assert_error(answer, "Forbidden", "stacks:create")
        self.assertEqual([], self.bus.calls)


class PreviewTest(fakes.ApiTestCase):
    def test_a_preview_shows_resources_with_properties(self) -> None:
        self.bus.answers["plan.preview_create"] = fakes.stack(
            resources=[
                {
                    **fakes.RESOURCE,
                    "description": "",
                    "metadata": {},
                    "attributes": {},
                    "properties": {"value": 1},
                }
            ],
            plan={
                "action": "CREATE",
                "text": "create net",
                "changes": [],
                "unchanged": [],
                "returns": [],
                "skipped": [],
                "orphans": [],
            },
        )

        body = self.ask("POST", "/v1/demo/stacks/preview", 200, json=BODY).json

        (resource,) = body["stack"]["resources"]
        self.assertEqual("net", resource["resource_name"])
        self.assertEqual({"value": 1}, resource["properties"])
        self.assertEqual("create net", body["stack"]["plan"]["text"])
        self.assertEqual([], self.bus.casts)
