"""Tests of the types of a file of samples, on a real service."""

import collections.abc
import typing

from tests import base
from tests.cloud import sample_files
from tests.cloud import sampled_service
from tests.cloud import type_cases


class GeneratedTestCase(base.TestCase):
    """One test for each type of a file of samples.

    :cvar service: acts on the types
    """

    limit_s = 300
    service: typing.ClassVar[sampled_service.Service]
    file_name: typing.ClassVar[str] = ""

    def __init_subclass__(cls, samples: str) -> None:
        """Add the tests of a file.

        :param samples: its name
        """
        super().__init_subclass__()
        cls.file_name = samples
        for name in sample_files.samples(samples).types:
            noun = name.lower().replace("::", "_")
            setattr(cls, f"test_{noun}", _new_test(name))

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.service = sampled_service.Service(cls.file_name)
        cls.addClassCleanup(cls.service.clean_up)


def _new_test(name: str) -> collections.abc.Callable[[typing.Any], None]:
    def test(self: GeneratedTestCase) -> None:
        cases = type_cases.Cases(self.service, name)
        cases.play()
        self.assertEqual([], cases.faults)

    test.__doc__ = f"{name} is on its service as its data say."
    return test
