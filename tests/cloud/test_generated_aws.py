"""What the data of the types of AWS say, on a real one."""

from tests.cloud import generated


class AWSTypesTest(generated.GeneratedTestCase, samples="aws"):
    pass
