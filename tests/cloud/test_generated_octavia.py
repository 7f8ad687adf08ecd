"""What the data of the types of Octavia say, on a real one."""

from tests.cloud import generated


class OctaviaTypesTest(generated.GeneratedTestCase, samples="octavia"):
    pass
