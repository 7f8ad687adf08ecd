from orch.api import app
from orch.context import request
from tests.unit.api import fakes


class FromHeadersTest(fakes.ApiTestCase):
    def caller(self, **headers: str) -> request.RequestContext:
        named = {key.replace("_", "-"): headers[key] for key in headers}
        self.bus.answers["stack.list"] = []
        answer = self.get("/v1/demo/stacks", headers=named)
        sent = self.bus.calls[-1].ctxt
        self.assertEqual(
            sent.request_id, answer.headers["X-Openstack-Request-Id"]
        )
        return sent

    def test_without_headers_a_caller_has_all_roles_on_the_project(
        self,
    ) -> None:
        caller = self.caller()

        self.assertEqual("demo", caller.project_id)
        self.assertEqual(["admin", "member", "reader"], caller.roles)
        self.assertIs(True, caller.is_admin)
        self.assertIsNone(caller.user_id)

    def test_headers_say_who_it_is(self) -> None:
        caller = self.caller(
            X_Roles="member, reader", X_User_Id="u1", X_User_Name="ann"
        )

        self.assertEqual(["member", "reader"], caller.roles)
        self.assertIs(False, caller.is_admin)
        self.assertEqual("u1", caller.user_id)
        self.assertEqual("ann", caller.user_name)

    def test_the_name_of_a_password_client_counts_too(self) -> None:
        self.assertEqual("bob", self.caller(X_Auth_User="bob").user_name)

    def test_names_that_no_row_can_hold_are_refused(self) -> None:
        for path, headers in (
            ("/v1//stacks", {}),
            (f"/v1/{'p' * 256}/stacks", {}),
            ("/v1/p%00q/stacks", {}),
            ("/v1/demo/stacks", {"X-User-Id": "u" * 256}),
            ("/v1/demo/stacks", {"X-User-Name": "u" * 256}),
        ):
            self.get(path, 400, headers=headers)
        self.assertEqual([], self.bus.calls)

    def test_a_web_page_is_nobody(self) -> None:
        answer = self.ask(
            "POST",
            "/v1/demo/stacks",
            403,
            headers={"Origin": "https://evil.example"},
            body="{}",
        )

        self.assert_error(answer, "Forbidden", "Web pages")
        self.assertEqual([], self.bus.calls)

    def test_a_form_of_a_web_page_is_nobody(self) -> None:
        for site, status in (("cross-site", 403), ("same-site", 403)):
            self.get(
                "/v1/demo/stacks", status, headers={"Sec-Fetch-Site": site}
            )
        self.assertEqual([], self.bus.calls)
        self.caller(Sec_Fetch_Site="none")

    def test_each_request_has_an_id_of_its_own(self) -> None:
        first, second = self.caller(), self.caller()

        self.assertNotEqual(first.request_id, second.request_id)
        self.assertRegex(first.request_id, "^req-[0-9a-f-]{36}$")

    def test_errors_bear_the_id_too(self) -> None:
        answer = self.get("/nowhere", 404)

        self.assertIn("X-Openstack-Request-Id", answer.headers)


class AuthTest(fakes.ApiTestCase):
    def test_an_unknown_way_to_authenticate_does_not_start(self) -> None:
        self.assertRaisesRegex(
            ValueError,
            "magic",
            app.build_app,
            self.bus,
            app.Settings(auth="magic"),
        )
