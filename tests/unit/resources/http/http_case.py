"""Resources of a service that tests answer for."""

from orch.plugin import call_context
from orch.resources.http import resource
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.http import service

KIND = resource.HttpResource
CREATE = {"path": "/things", "body": {"name": "n"}}


class HttpTestCase(base.TestCase):
    """A plug-in, and the service that it asks."""

    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(service.Service())
        self.plugin = KIND(contexts.options())
        self.answers = self.service.answers

    def make(
        self, physical_id: str | None = None, **properties: object
    ) -> call_context.Context:
        return contexts.make(
            KIND,
            physical_id=physical_id,
            **{"url": self.service.url, "create": CREATE, **properties},
        )
