from orch import errors
from orch.template import errors as template_errors
from tests.unit.api import fakes

BODY = {"template": "heat_template_version: 2018-08-31"}


class ValidationTest(fakes.ApiTestCase):
    def test_the_answer_comes_as_the_engine_words_it(self) -> None:
        self.bus.answers["template.validate"] = {"Description": "d"}

        body = self.ask(
            "POST",
            "/v1/demo/validate?show_nested=true&ignore_errors=99001,99002",
            200,
            json=BODY,
        ).json

        self.assertEqual({"Description": "d"}, body)
        self.assertEqual(
            {
                "inputs": BODY,
                "show_nested": True,
                "ignore_errors": ["99001", "99002"],
            },
            self.bus.sent("template.validate"),
        )

    def test_a_wrong_template_is_a_bad_request_here(self) -> None:
        problem = errors.Problem("no such type", path="resources.x")
        self.bus.answers["template.validate"] = (
            template_errors.TemplateInvalid("no such type", [problem])
        )

        answer = self.ask("POST", "/v1/demo/validate", 400, json=BODY)

        self.assert_error(answer, "HTTPBadRequest", "no such type")
        self.assertEqual("resources.x", answer.json["problems"][0]["path"])

    def test_other_errors_keep_their_type(self) -> None:
        self.bus.answers["template.validate"] = template_errors.VersionInvalid(
            "which version"
        )

        answer = self.ask("POST", "/v1/demo/validate", 400, json=BODY)

        self.assert_error(answer, "InvalidTemplateVersion", "which version")

    def test_error_numbers_are_numbers(self) -> None:
        answer = self.ask(
            "POST", "/v1/demo/validate?ignore_errors=x", 400, json=BODY
        )

        self.assert_error(answer, "HTTPBadRequest", "ignore_errors")

    def test_a_reader_may_not_validate(self) -> None:
        self.ask(
            "POST",
            "/v1/demo/validate",
            403,
            json=BODY,
            headers={"X-Roles": "reader"},
        )
