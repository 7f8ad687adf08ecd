from orch import errors
from orch.api import app
from orch.db import errors as db_errors
from tests.unit.api import fakes

TEMPLATE = {"heat_template_version": "2018-08-31"}
BODY = {"stack_name": "web", "template": TEMPLATE}


class IndexTest(fakes.ApiTestCase):
    def test_a_list_shows_summaries(self) -> None:
        self.bus.answers["stack.list"] = [fakes.stack()]

        body = self.get("/v1/demo/stacks").json

        self.assertEqual({"stacks"}, body.keys())
        (stack,) = body["stacks"]
        self.assertEqual(
            {
                "id": fakes.STACK_ID,
                "links": [{"href": fakes.STACK_URL, "rel": "self"}],
                "stack_name": "web",
                "description": "a web site",
                "stack_status": "CREATE_COMPLETE",
                "stack_status_reason": "Stack CREATE completed successfully",
                "creation_time": "2025-11-20T10:00:00Z",
                "updated_time": None,
                "deletion_time": None,
                "stack_owner": "ann",
                "parent": None,
                "stack_user_project_id": None,
                "tags": None,
                "project": "demo",
            },
            stack,
        )

    def test_only_an_admin_is_told_the_project(self) -> None:
        self.bus.answers["stack.list"] = [fakes.stack()]

        body = self.get("/v1/demo/stacks", headers={"X-Roles": "reader"}).json

        self.assertNotIn("project", body["stacks"][0])

    def test_detail_shows_the_same(self) -> None:
        self.bus.answers["stack.list"] = [fakes.stack()]

        self.assertEqual(
            self.get("/v1/demo/stacks").json,
            self.get("/v1/demo/stacks/detail").json,
        )

    def test_the_query_reaches_the_engine_in_its_words(self) -> None:
        self.bus.answers["stack.list"] = []

        self.get(
            "/v1/demo/stacks?limit=5&marker=m&sort_keys=stack_name"
            "&sort_keys=creation_time&sort_keys=unknown&sort_dir=desc"
            "&name=a&stack_name=b&stack_status=CREATE_IN_PROGRESS"
            "&status=FAILED&owner_id=o&tags=x,y&not_tags_any=z"
            "&show_deleted=TRUE&show_hidden=false&tenant_id=t&sort_key=n"
        )

        self.assertEqual(
            {
                "limit": 5,
                "marker": "m",
                "sort_keys": ["name", "created_at"],
                "sort_dir": "desc",
                "filters": {
                    "name": ["a", "b"],
                    "status": ["FAILED", "IN_PROGRESS"],
                    "action": ["CREATE"],
                    "parent_id": ["o"],
                },
                "tags": ["x", "y"],
                "tags_any": [],
                "not_tags": [],
                "not_tags_any": ["z"],
                "show_deleted": True,
                "show_nested": False,
                "all_projects": False,
            },
            self.bus.sent("stack.list")["query"],
        )

    def test_a_full_page_links_to_the_next(self) -> None:
        self.bus.answers["stack.list"] = [fakes.stack()]

        body = self.get("/v1/demo/stacks?limit=1&marker=m&name=web").json

        (link,) = body["links"]
        self.assertEqual("next", link["rel"])
        self.assertEqual(
            "http://falconframework.org/v1/demo/stacks"
            f"?limit=1&name=web&marker={fakes.STACK_ID}",
            link["href"],
        )

    def test_a_page_that_is_not_full_links_nowhere(self) -> None:
        self.bus.answers["stack.list"] = [fakes.stack()]

        self.assertNotIn("links", self.get("/v1/demo/stacks?limit=2").json)

    def test_the_count_comes_when_asked_for(self) -> None:
        self.bus.answers["stack.list"] = []
        self.bus.answers["stack.count"] = 7

        body = self.get("/v1/demo/stacks?with_count=true").json

        self.assertEqual(7, body["count"])

    def test_numbers_booleans_and_directions_are_checked(self) -> None:
        for query in (
            "limit=x",
            "limit=-1",
            "limit=99999999999999999999",
            "show_deleted=1",
            "with_count=yes",
            "sort_dir=up",
        ):
            self.bus.answers["stack.list"] = []
            answer = self.get(f"/v1/demo/stacks?{query}", 400)
            self.assert_error(answer, "HTTPBadRequest", query.split("=")[0])

    def test_stacks_of_all_projects_are_for_nobody(self) -> None:
        answer = self.get("/v1/demo/stacks?global_tenant=True", 403)

        self.assert_error(answer, "Forbidden", "stacks:global_index")
        self.assertEqual([], self.bus.calls)


class PageLimitTest(fakes.ApiTestCase):
    settings = app.Settings(page_limit=2)

    def test_the_operators_limit_bounds_a_page(self) -> None:
        self.bus.answers["stack.list"] = [fakes.stack(), fakes.stack()]

        body = self.get("/v1/demo/stacks?limit=50").json

        self.assertEqual(2, self.bus.sent("stack.list")["query"]["limit"])
        self.assertIn("marker=", body["links"][0]["href"])


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
            self.assert_error(answer, "StackValidationFailed", "Invalid stack")
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
            {"container": "c", "without": ["a"], "most_bytes": 1048576},
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
        self.bus.answers["stack.preview"] = fakes.stack(
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


class ShowTest(fakes.ApiTestCase):
    def test_a_stack_is_shown_in_full(self) -> None:
        parameters = {"OS::stack_name": "web", "n": "3"}
        self.bus.answers["stack.show"] = fakes.stack(
            template_description="a web site",
            parameters=parameters,
            tags=["a"],
            outputs=[
                {"key": "url", "description": "where", "value": ["u"]},
                {"key": "bad", "description": "", "error": "no such thing"},
            ],
        )

        stack = self.get(fakes.STACK_PATH).json["stack"]

        self.assertEqual(
            {"OS::stack_name": "web", "n": "3"}, stack["parameters"]
        )
        self.assertEqual(
            [
                {
                    "output_key": "url",
                    "description": "where",
                    "output_value": ["u"],
                },
                {
                    "output_key": "bad",
                    "description": "",
                    "output_value": None,
                    "output_error": "no such thing",
                },
            ],
            stack["outputs"],
        )
        self.assertEqual([], stack["capabilities"])
        self.assertEqual([], stack["notification_topics"])
        self.assertIs(True, stack["disable_rollback"])
        self.assertIsNone(stack["timeout_mins"])
        self.assertEqual(["a"], stack["tags"])
        self.assertEqual("a web site", stack["template_description"])

    def test_outputs_are_resolved_unless_told_not_to(self) -> None:
        self.bus.answers["stack.show"] = fakes.stack()

        self.get(fakes.STACK_PATH)
        self.get(f"{fakes.STACK_PATH}?resolve_outputs=False")

        asked = [each.args["resolve_outputs"] for each in self.bus.calls]
        self.assertEqual([True, False], asked)

    def test_an_id_under_another_name_is_not_found(self) -> None:
        self.bus.answers["stack.show"] = fakes.stack(name="other")

        answer = self.get(fakes.STACK_PATH, 404)

        self.assert_error(answer, "EntityNotFound", "web")

    def test_an_unknown_stack_answers_404(self) -> None:
        self.bus.answers["stack.show"] = errors.NotFound("no such stack")

        answer = self.get(fakes.STACK_PATH, 404)

        self.assert_error(answer, "EntityNotFound", "no such stack")

    def test_stacks_named_like_an_address_are_reached(self) -> None:
        for name in ("detail", "preview"):
            self.bus.answers["stack.show"] = fakes.stack(name=name)
            self.get(f"/v1/demo/stacks/{name}/{fakes.STACK_ID}")

    def test_numbers_beyond_64_bits_survive(self) -> None:
        huge = 12345678901234567890123
        self.bus.answers["stack.show"] = fakes.stack(
            outputs=[{"key": "n", "description": "", "value": huge}]
        )

        stack = self.get(fakes.STACK_PATH).json["stack"]

        self.assertEqual(huge, stack["outputs"][0]["output_value"])


class DeleteTest(fakes.ApiTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["stack.identify"] = fakes.IDENTITY

    def test_a_delete_is_accepted_with_204(self) -> None:
        self.bus.answers["stack.delete"] = fakes.ACCEPTED

        answer = self.ask("DELETE", fakes.STACK_PATH, 204)

        self.assertEqual(b"", answer.content)
        self.assertEqual("operation.run", self.bus.casts[0].name)

    def test_what_is_gone_already_wakes_nobody_up(self) -> None:
        self.bus.answers["stack.delete"] = None

        self.ask("DELETE", fakes.STACK_PATH, 204)

        self.assertEqual([], self.bus.casts)

    def test_an_id_under_another_name_is_kept(self) -> None:
        answer = self.ask(
            "DELETE", f"/v1/demo/stacks/other/{fakes.STACK_ID}", 404
        )

        self.assert_error(answer, "EntityNotFound", "other")
        names = [each.name for each in self.bus.calls]
        self.assertNotIn("stack.delete", names)


class UpdateTest(fakes.ApiTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["stack.identify"] = fakes.IDENTITY
        self.bus.answers["stack.update"] = fakes.ACCEPTED

    def test_a_comparison_with_what_is_there_may_be_asked_for(self) -> None:
        for method, wanted in (("PUT", True), ("PATCH", "false")):
            self.bus.calls.clear()
            self.ask(
                method,
                fakes.STACK_PATH,
                202,
                json={**BODY, "converge": wanted},
            )

            options = self.bus.sent("stack.update")["options"]
            assert isinstance(options, dict)
            self.assertEqual(wanted is True, options["converge"])

    def test_a_comparison_is_wanted_or_not(self) -> None:
        answer = self.ask(
            "PUT", fakes.STACK_PATH, 400, json={**BODY, "converge": "perhaps"}
        )

        self.assert_error(answer, "HTTPBadRequest", "converge")
