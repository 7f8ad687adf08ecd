from orch import errors
from tests.unit.api import fakes


class ByNameTest(fakes.ApiTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["stack.identify"] = fakes.IDENTITY

    def test_a_name_is_sent_to_the_address_for_any_method(self) -> None:
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            answer = self.ask(method, "/v1/demo/stacks/web", 302)
            self.assertEqual(fakes.STACK_URL, answer.headers["Location"])

    def test_what_stands_below_is_kept_with_the_query(self) -> None:
        below = (
            ("GET", "resources"),
            ("GET", "events"),
            ("GET", "template"),
            ("GET", "actions"),
            ("GET", "environment"),
            ("GET", "files"),
            ("POST", "resources"),
            ("POST", "events"),
            ("POST", "template"),
            ("POST", "actions"),
        )
        for method, path in below:
            answer = self.ask(
                method, f"/v1/demo/stacks/web/{path}?b=2&a=x%20y", 302
            )
            self.assertEqual(
                f"{fakes.STACK_URL}/{path}?b=2&a=x%20y",
                answer.headers["Location"],
            )

    def test_the_location_names_the_owners_project(self) -> None:
        self.bus.answers["stack.identify"] = {
            **fakes.IDENTITY,
            "project_id": "owner",
        }

        answer = self.get(f"/v1/demo/stacks/{fakes.STACK_ID}", 302)

        self.assertIn("/v1/owner/stacks/web/", answer.headers["Location"])

    def test_the_location_has_the_host_of_the_request(self) -> None:
        answer = self.get("/v1/demo/stacks/web", 302, host="heat.example")

        self.assertEqual(
            f"http://heat.example/v1/demo/stacks/web/{fakes.STACK_ID}",
            answer.headers["Location"],
        )

    def test_other_addresses_below_a_name_do_not_exist(self) -> None:
        for path in ("resources/net", "events/1/2", "template/x/y"):
            self.get(f"/v1/demo/stacks/web/{path}/x", 404)

    def test_an_unknown_name_answers_404(self) -> None:
        self.bus.answers["stack.identify"] = errors.NotFound("no web")

        answer = self.get("/v1/demo/stacks/web", 404)

        self.assert_error(answer, "EntityNotFound", "no web")

    def test_a_server_of_the_stack_may_look_up_and_a_stranger_not(
        self,
    ) -> None:
        user = {"X-Roles": "heat_stack_user"}
        self.get("/v1/demo/stacks/web", 302, headers=user)

        stranger = {"X-Roles": "stranger"}
        answer = self.get("/v1/demo/stacks/web", 403, headers=stranger)

        self.assert_error(answer, "Forbidden", "stacks:lookup")


class ByArnTest(fakes.ApiTestCase):
    def test_an_arn_is_sent_to_the_address(self) -> None:
        arn = f"arn:openstack:heat::owner:stacks/web/{fakes.STACK_ID}"
        for written in (arn, arn.replace(":", "%3A").replace("/", "%2F")):
            answer = self.get(f"/v1/demo/stacks/{written}?a=1", 302)
            self.assertEqual(
                "http://falconframework.org/v1/owner/stacks/web/"
                f"{fakes.STACK_ID}?a=1",
                answer.headers["Location"],
            )

    def test_an_arn_of_a_resource_is_sent_there(self) -> None:
        arn = f"arn:openstack:heat::demo:stacks/web/{fakes.STACK_ID}"

        answer = self.get(f"/v1/demo/stacks/{arn}/resources/net", 302)

        self.assertEqual(
            f"{fakes.STACK_URL}/resources/net", answer.headers["Location"]
        )

    def test_what_an_arn_names_cannot_break_the_header(self) -> None:
        arn = "arn:openstack:heat::demo:stacks/web/id"

        answer = self.get(
            f"/v1/demo/stacks/{arn}/resources/%C3%A9%0D%0ASet-Cookie:a", 302
        )

        self.assertEqual(
            "http://falconframework.org/v1/demo/stacks/web/id"
            "/resources/%C3%A9%0D%0ASet-Cookie%3Aa",
            answer.headers["Location"],
        )

    def test_an_arn_of_something_else_is_not_found(self) -> None:
        answer = self.get("/v1/demo/stacks/arn:aws:s3::demo:b/k/v", 404)

        self.assert_error(answer, "EntityNotFound", "arn:aws")
