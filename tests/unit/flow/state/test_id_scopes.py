"""The scopes of physical ids."""

import fixtures
from oslo_config import cfg

from orch.flow.state import id_scopes
from orch.model import marked
from orch.plugin import id_scopes as plugin_scopes
from orch.plugin import resource
from tests import base


class _Nameless(resource.Resource):
    type_name = "Test::Nameless"

    def get_id_scope(
        self, account: plugin_scopes.Account, properties: id_scopes.Values
    ) -> str:
        raise ValueError(f"no host in {properties['url']}")


class FindScopeTest(base.TestCase):
    def test_an_error_of_a_plug_in_is_logged_redacted(self) -> None:
        log = self.useFixture(fixtures.FakeLogger())
        properties = marked.Marked({"url": "canary-5f1c"}, [("url",)])

        found = id_scopes.find_scope(
            _Nameless(cfg.ConfigOpts()),
            plugin_scopes.Account("demo", "alice"),
            properties,
        )

        self.assertIsNone(found)
        self.assertIn("ValueError: no host in ******", log.output)
        self.assertNotIn("canary-5f1c", log.output)
