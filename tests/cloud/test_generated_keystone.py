"""What the data of the types of Keystone say, on a real one."""

from tests.cloud import generated


class KeystoneTypesTest(generated.GeneratedTestCase, samples="keystone"):
    pass
