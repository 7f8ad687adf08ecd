from orch import errors
from tests.unit.api import fakes

PATH = "/v1/demo/resource_types"


class ResourceTypesTest(fakes.ApiTestCase):
    def test_types_are_listed(self) -> None:
        self.bus.answers["type.list"] = ["OS::Heat::Value"]

        body = self.get(f"{PATH}?name=Value&with_description=False").json

        self.assertEqual({"resource_types": ["OS::Heat::Value"]}, body)
        self.assertEqual(
            {"filters": {"name": "Value"}, "with_description": False},
            self.bus.sent("type.list"),
        )

    def test_a_type_is_shown(self) -> None:
        self.bus.answers["type.show"] = {"resource_type": "OS::Heat::Value"}

        body = self.get(f"{PATH}/OS%3A%3AHeat%3A%3AValue").json

        self.assertEqual({"resource_type": "OS::Heat::Value"}, body)
        sent = self.bus.sent("type.show")
        self.assertEqual("OS::Heat::Value", sent["type_name"])

    def test_an_unknown_type_answers_404(self) -> None:
        self.bus.answers["type.show"] = errors.NotFound("no such type")

        answer = self.get(f"{PATH}/OS::No::Such", 404)

        self.assert_error(answer, "EntityNotFound", "no such type")

    def test_a_template_of_a_type_is_cfn_unless_hot_is_asked_for(
        self,
    ) -> None:
        self.bus.answers["type.template"] = {"Resources": {}}

        self.get(f"{PATH}/OS::Heat::Value/template")
        self.get(f"{PATH}/OS::Heat::Value/template?template_type=hot")

        asked = [each.args["template_type"] for each in self.bus.calls]
        self.assertEqual(["cfn", "hot"], asked)

    def test_a_template_of_another_language_is_refused(self) -> None:
        answer = self.get(f"{PATH}/X/template?template_type=tf", 400)

        self.assert_error(answer, "HTTPBadRequest", "template_type")
