"""What the data of the types of Cinder say, on a real one."""

from tests.cloud import generated


class CinderTypesTest(generated.GeneratedTestCase, samples="cinder"):
    pass
