from orch import errors
from tests.unit.api import fakes

PATH = f"{fakes.STACK_PATH}/resources"
URL = f"{fakes.STACK_URL}/resources/net"


class ResourcesTest(fakes.ApiTestCase):
    def test_a_list_shows_each_resource(self) -> None:
        self.bus.answers["resource.list"] = [fakes.RESOURCE]

        body = self.get(PATH).json

        self.assertEqual(
            [
                {
                    "resource_name": "net",
                    "logical_resource_id": "net",
                    "physical_resource_id": "",
                    "resource_type": "OS::Heat::Value",
                    "resource_status": "CREATE_IN_PROGRESS",
                    "resource_status_reason": "state changed",
                    "creation_time": "2025-11-20T10:00:00Z",
                    "updated_time": "2025-11-20T10:00:01Z",
                    "required_by": ["server"],
                    "links": [
                        {"href": URL, "rel": "self"},
                        {"href": fakes.STACK_URL, "rel": "stack"},
                    ],
                }
            ],
            body["resources"],
        )

    def test_a_nested_one_names_its_parent_and_its_stack(self) -> None:
        nested = {**fakes.IDENTITY, "stack_name": "web-net", "stack_id": "n"}
        self.bus.answers["resource.list"] = [
            {**fakes.RESOURCE, "parent_resource": "g", "nested_stack": nested}
        ]

        (resource,) = self.get(f"{PATH}?nested_depth=2").json["resources"]

        self.assertEqual("g", resource["parent_resource"])
        self.assertEqual(
            {
                "href": "http://falconframework.org/v1/demo/stacks/web-net/n",
                "rel": "nested",
            },
            resource["links"][2],
        )
        self.assertEqual(2, self.bus.sent("resource.list")["nested_depth"])

    def test_filters_and_detail_reach_the_engine(self) -> None:
        self.bus.answers["resource.list"] = [
            {**fakes.RESOURCE, "attributes": {"value": 1}}
        ]

        body = self.get(
            f"{PATH}?type=A&type=B&status=COMPLETE&with_detail=true"
        ).json

        sent = self.bus.sent("resource.list")
        self.assertEqual(
            {"type": ["A", "B"], "status": ["COMPLETE"]}, sent["filters"]
        )
        self.assertIs(True, sent["with_attributes"])
        self.assertEqual({"value": 1}, body["resources"][0]["attributes"])

    def test_unknown_filters_are_refused(self) -> None:
        answer = self.get(f"{PATH}?colour=red", 400)

        self.assert_error(answer, "HTTPBadRequest", "colour")

    def test_a_resource_is_shown_with_attributes(self) -> None:
        self.bus.answers["resource.show"] = {
            **fakes.RESOURCE,
            "attributes": {"value": 1},
            "description": "a net",
        }

        body = self.get(f"{PATH}/net?with_attr=a&with_attr=b").json

        self.assertEqual({"value": 1}, body["resource"]["attributes"])
        self.assertEqual("a net", body["resource"]["description"])
        self.assertEqual(
            {
                "stack_id": fakes.STACK_ID,
                "name": "net",
                "with_attributes": ["a", "b"],
            },
            self.bus.sent("resource.show"),
        )

    def test_an_unknown_resource_answers_404(self) -> None:
        error = errors.NotFound("no such resource")
        error.code = "orch.resource.not_found"
        self.bus.answers["resource.show"] = error

        answer = self.get(f"{PATH}/net", 404)

        self.assert_error(answer, "ResourceNotFound", "no such resource")

    def test_metadata_comes_wrapped_for_servers_of_the_stack_too(
        self,
    ) -> None:
        self.bus.answers["resource.metadata"] = {"a": 1}
        user = {"X-Roles": "heat_stack_user"}

        body = self.get(f"{PATH}/net/metadata", headers=user).json

        self.assertEqual({"metadata": {"a": 1}}, body)
        self.get(PATH, 403, headers=user)
