import json

from tests import base
from tools import class_times


class ClassTimesTest(base.TestCase):
    def test_what_a_first_run_is_told_is_read_again(self) -> None:
        directory = self.make_directory()
        told = json.loads(class_times.PLACE.read_text("utf-8"))

        class_times.seed(directory)

        self.assertEqual(told, class_times.read(directory))

    def test_what_was_run_is_left_as_it_is(self) -> None:
        directory = self.make_directory()
        (directory / ".stestr").mkdir()

        class_times.seed(directory)

        self.assertEqual([], list((directory / ".stestr").iterdir()))
