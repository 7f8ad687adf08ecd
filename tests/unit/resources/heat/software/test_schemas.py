import collections.abc

from orch.plugin import schema
from orch.resources.heat.software import cloud_config
from orch.resources.heat.software import deployed_server
from orch.resources.heat.software import multipart_mime
from orch.resources.heat.software import software_component
from orch.resources.heat.software import software_config
from orch.resources.heat.software import software_deployment
from orch.resources.heat.software import structured_config
from orch.resources.heat.software import structured_deployment
from tests import base
from tests.unit.resources.heat import schemas

_KINDS = (
    cloud_config.CloudConfig,
    deployed_server.DeployedServer,
    multipart_mime.MultipartMime,
    software_component.SoftwareComponent,
    software_config.SoftwareConfig,
    software_deployment.SoftwareDeployment,
    structured_config.StructuredConfig,
    structured_deployment.StructuredDeployment,
)
# Not facts: how a property is explained, and that it is old.
_PASSED_OVER = ("description", "support")


def facts(value: object) -> object:
    """Return a schema without what clients do not depend on."""
    if isinstance(value, dict):
        return {
            key: facts(one)
            for key, one in value.items()
            if key not in _PASSED_OVER
        }
    return [facts(one) for one in value] if isinstance(value, list) else value


class SchemaTest(base.TestCase):
    def test_each_type_declares_what_clients_of_heat_know(self) -> None:
        for kind in _KINDS:
            known = schemas.known(self, kind.type_name)
            found = schemas.described(kind)
            for part in ("properties", "attributes"):
                self.assertEqual(
                    facts(known[part]), facts(found[part]), kind.type_name
                )
            self.assertEqual(known["support"], kind.support_status)

    def test_each_declaration_is_described(self) -> None:
        for kind in _KINDS:
            for item in self.all_of(kind.properties):
                self.assertNotEqual("", item.description, item.name)
            for item in kind.attributes:
                self.assertNotEqual("", item.description, item.name)

    def all_of(
        self, declared: collections.abc.Iterable[schema.Property]
    ) -> collections.abc.Iterator[schema.Property]:
        for item in declared:
            if item.name != "*":
                yield item
            below = (*item.fields, *((item.items,) if item.items else ()))
            yield from self.all_of(below)
