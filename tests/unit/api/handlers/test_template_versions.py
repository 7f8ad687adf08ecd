from orch import errors
from tests.unit.api import fakes

PATH = "/v1/demo/template_versions"


class TemplateVersionsTest(fakes.ApiTestCase):
    def test_versions_are_listed(self) -> None:
        version = {"version": "v", "type": "hot", "aliases": []}
        self.bus.answers["template.versions"] = [version]

        self.assertEqual({"template_versions": [version]}, self.get(PATH).json)

    def test_functions_of_a_version_are_listed(self) -> None:
        function = {"functions": "get_attr", "description": "d"}
        self.bus.answers["template.functions"] = [function]

        body = self.get(f"{PATH}/v/functions?with_condition_func=true").json

        self.assertEqual({"template_functions": [function]}, body)
        self.assertEqual(
            {"version": "v", "with_condition_func": True},
            self.bus.sent("template.functions"),
        )

    def test_an_unknown_version_answers_404(self) -> None:
        self.bus.answers["template.functions"] = errors.NotFound("no v")

        self.get(f"{PATH}/v/functions", 404)
