"""What the data of the types of Swift say, on a real one."""

from tests.cloud import generated


class SwiftTypesTest(generated.GeneratedTestCase, samples="swift"):
    pass
