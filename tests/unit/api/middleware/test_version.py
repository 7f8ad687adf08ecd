from orch.api import app
from tests.unit.api import fakes


def document(base: str, *more: dict[str, str]) -> dict[str, object]:
    links = [{"rel": "self", "href": f"{base}/v1/"}, *more]
    return {"versions": [{"id": "v1.0", "status": "CURRENT", "links": links}]}


class VersionTest(fakes.ApiTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["stack.list"] = []

    def test_the_document_is_a_choice(self) -> None:
        base = "http://falconframework.org"
        address = f"{base}/openapi.json"
        more = {"rel": "describedby", "href": address}
        for path, wanted in (
            ("/", document(base)),
            ("/versions", document(base)),
            ("/v1", document(base, more)),
            ("/v1/", document(base, more)),
            ("/v1.0", document(base, more)),
        ):
            answer = self.get(path, 300)
            self.assertEqual(wanted, answer.json, path)
            self.assertEqual(
                f"<{address}>; rel=describedby", answer.headers["Link"], path
            )

    def test_an_unknown_version_answers_the_choice(self) -> None:
        for path in ("/v2/demo/stacks", "/v1.1/demo/stacks", "/v3"):
            self.assertIn("versions", self.get(path, 300).json)
        self.assertEqual([], self.bus.calls)

    def test_both_spellings_of_the_version_are_served(self) -> None:
        self.get("/v1/demo/stacks")
        self.get("/v1.0/demo/stacks")

        projects = [each.ctxt.project_id for each in self.bus.calls]
        self.assertEqual(["demo", "demo"], projects)

    def test_a_project_is_not_taken_for_a_version(self) -> None:
        self.get("/v1/v2/stacks")

        self.assertEqual("v2", self.bus.calls[0].ctxt.project_id)

    def test_the_accept_header_may_say_the_version(self) -> None:
        wanted = "application/vnd.openstack.orchestration-v"

        self.get("/demo/stacks", headers={"Accept": f"{wanted}1"})
        self.get("/demo/stacks", 300, headers={"Accept": f"{wanted}2"})
        self.get("/demo/stacks", 404, headers={"Accept": "text/html"})


class PublicUrlTest(fakes.ApiTestCase):
    settings = app.Settings(public_url="https://heat.example/api/")

    def test_links_begin_with_the_public_address(self) -> None:
        self.bus.answers["stack.identify"] = fakes.IDENTITY

        self.assertEqual(
            document("https://heat.example/api"), self.get("/", 300).json
        )
        answer = self.get("/v1/demo/stacks/web", 302)
        self.assertEqual(
            f"https://heat.example/api{fakes.STACK_PATH}",
            answer.headers["Location"],
        )
