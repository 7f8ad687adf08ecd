"""What the data of the types of Designate say, on a real one."""

from tests.cloud import generated


class DesignateTypesTest(generated.GeneratedTestCase, samples="designate"):
    pass
