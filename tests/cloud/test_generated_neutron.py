"""What the data of the types of Neutron say, on a real one."""

from tests.cloud import generated


class NeutronTypesTest(generated.GeneratedTestCase, samples="neutron"):
    pass
