import pathlib
import re

from orch.metrics import catalogue
from orch.metrics import meters
from tests import base

METERS = (*catalogue.COUNTERS, *catalogue.HISTOGRAMS, *catalogue.GAUGES)
PAGE = pathlib.Path(__file__).parents[3] / "doc" / "source" / "metrics.rst"
NOT_THEIRS = {"stack", "stack_id", "project", "project_id", "user", "name"}


class CatalogueTest(base.TestCase):
    def test_everything_that_is_defined_is_collected(self) -> None:
        defined = {
            each.name
            for each in vars(catalogue).values()
            if isinstance(
                each, meters.Counter | meters.Histogram | meters.Gauge
            )
        }

        self.assertEqual(defined, {each.name for each in METERS})
        self.assertEqual(len(defined), len(METERS))

    def test_names_follow_the_conventions_of_prometheus(self) -> None:
        for each in METERS:
            self.assertRegex(each.name, r"^orch_[a-z]+(_[a-z]+)*$")
            self.assertEqual(
                each in catalogue.COUNTERS, each.name.endswith("_total")
            )
        for each in catalogue.HISTOGRAMS:
            self.assertTrue(each.name.endswith("_seconds"), each.name)

    def test_no_label_is_of_what_there_is_without_an_end(self) -> None:
        labels = {label for each in METERS for label in each.labels}

        self.assertEqual(set(), labels & NOT_THEIRS)

    def test_the_page_has_each_of_them_with_its_labels(self) -> None:
        found = {
            name: tuple(re.findall(r"``([a-z]+)``", labels))
            for name, labels in re.findall(
                r"\* - ``(orch_[a-z_]+)``\n\s+- (.*)\n", PAGE.read_text()
            )
        }

        found.pop("orch_process_info")
        self.assertEqual({each.name: each.labels for each in METERS}, found)
