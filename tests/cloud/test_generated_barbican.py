"""What the data of the types of Barbican say, on a real one."""

from tests.cloud import generated


class BarbicanTypesTest(generated.GeneratedTestCase, samples="barbican"):
    pass
