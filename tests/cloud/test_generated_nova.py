"""What the data of the types of Nova say, on a real one."""

from tests.cloud import generated


class NovaTypesTest(generated.GeneratedTestCase, samples="nova"):
    pass
