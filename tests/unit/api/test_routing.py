from tests.unit.api import fakes


class RoutingTest(fakes.ApiTestCase):
    def test_a_known_address_tells_which_methods_it_takes(self) -> None:
        for method, path, allowed in (
            ("PUT", "/v1/demo/stacks", {"GET", "POST", "OPTIONS"}),
            (
                "POST",
                fakes.STACK_PATH,
                {"GET", "PUT", "PATCH", "DELETE", "OPTIONS"},
            ),
            ("DELETE", "/v1/demo/validate", {"POST", "OPTIONS"}),
        ):
            answer = self.ask(method, path, 405)
            self.assert_error(answer, "HTTPMethodNotAllowed")
            found = set(answer.headers["Allow"].split(", "))
            self.assertEqual(allowed, found)

    def test_options_answers_204_and_the_methods(self) -> None:
        answer = self.ask("OPTIONS", "/v1/demo/stacks", 204)

        self.assertEqual("GET, POST, OPTIONS", answer.headers["Allow"])
        self.assertEqual(b"", answer.content)

    def test_an_unknown_address_answers_404(self) -> None:
        for path in ("/v1/demo/clouds", "/v1/demo", "/demo/stacks"):
            answer = self.get(path, 404)
            self.assert_error(answer, "HTTPNotFound")
