from orch import errors
from tests.unit.api import fakes


class DocumentsTest(fakes.ApiTestCase):
    def test_documents_come_as_they_are(self) -> None:
        for name, document in (
            ("template", {"heat_template_version": "2018-08-31"}),
            ("environment", {"parameters": {"p": "******"}}),
            ("files", {"a.yaml": "text"}),
        ):
            self.bus.answers[f"stack.{name}"] = document
            body = self.get(f"{fakes.STACK_PATH}/{name}").json
            self.assertEqual(document, body)
            self.assertEqual(
                {"stack_id": fakes.STACK_ID}, self.bus.sent(f"stack.{name}")
            )

    def test_outputs_are_listed_without_values(self) -> None:
        self.bus.answers["stack.outputs"] = [
            {
                "key": "url",
                "description": "where",
                "value": "secret",
                "sensitive": False,
            },
            {"key": "pass", "description": "", "sensitive": True},
        ]

        body = self.get(f"{fakes.STACK_PATH}/outputs").json

        self.assertEqual(
            [
                {"output_key": "url", "description": "where"},
                {"output_key": "pass", "description": "", "sensitive": True},
            ],
            body["outputs"],
        )

    def test_an_output_that_an_old_worker_sends_may_be_sensitive(self) -> None:
        self.bus.answers["stack.output"] = {"key": "url", "value": "u"}

        body = self.get(f"{fakes.STACK_PATH}/outputs/url").json

        self.assertIs(True, body["output"]["sensitive"])

    def test_an_output_is_shown_with_its_value(self) -> None:
        self.bus.answers["stack.output"] = {
            "key": "url",
            "description": "where",
            "value": {"a": 1},
            "sensitive": False,
        }

        body = self.get(f"{fakes.STACK_PATH}/outputs/url").json

        self.assertEqual(
            {
                "output_key": "url",
                "description": "where",
                "output_value": {"a": 1},
            },
            body["output"],
        )
        self.assertEqual("url", self.bus.sent("stack.output")["key"])

    def test_an_unknown_output_answers_404(self) -> None:
        error = errors.NotFound("no such output")
        error.code = "orch.output.not_found"
        self.bus.answers["stack.output"] = error

        answer = self.get(f"{fakes.STACK_PATH}/outputs/url", 404)

        self.assert_error(answer, "NotFound", "no such output")
