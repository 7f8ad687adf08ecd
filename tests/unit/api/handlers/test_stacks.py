from orch import errors
from orch.api import app
from orch.context import request
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


class ShowTest(fakes.ApiTestCase):
    def test_a_stack_is_shown_in_full(self) -> None:
        parameters = {"OS::stack_name": "web", "n": "3"}
        self.bus.answers["stack.show"] = fakes.stack(
            template_description="a web site",
            parameters=parameters,
            tags=["a"],
            outputs=[
                {
                    "key": "url",
                    "description": "where",
                    "value": ["u"],
                    "sensitive": False,
                },
                {
                    "key": "bad",
                    "description": "",
                    "error": "no such thing",
                    "sensitive": True,
                },
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
                    "sensitive": True,
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
        self.bus.answers["stack.delete"] = errors.NotFound("other")

        answer = self.ask(
            "DELETE", f"/v1/demo/stacks/other/{fakes.STACK_ID}", 404
        )

        self.assert_error(answer, "EntityNotFound", "other")
        (sent,) = self.bus.calls
        address = request.StackAddress("other", fakes.STACK_ID)
        self.assertEqual(address, sent.ctxt.address)


class UpdateTest(fakes.ApiTestCase):
    def setUp(self) -> None:
        super().setUp()
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
