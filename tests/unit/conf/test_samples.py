"""The samples in ``etc/orch`` are what the generators write now."""

import collections
import pathlib
import re

from oslo_config import generator
from oslo_policy import generator as policy_generator

from tests import base

_ETC = pathlib.Path(__file__).parents[3] / "etc" / "orch"
_OURS = "orch"
_MARK = re.compile(r"^# From (\S+)$")


def parts(text: str) -> dict[tuple[str, str], list[str]]:
    """Return the lines of a sample by group and by who declares them."""
    found: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
    group, source = "", ""
    for line in text.splitlines():
        if line.startswith("["):
            group, source = line, ""
        elif mark := _MARK.match(line):
            source = mark[1]
        elif line.strip("# ") and source:
            found[group, source].append(line)
    return found


class SamplesTest(base.TestCase):
    """Run ``make samples`` when one fails, or the generators by hand."""

    def test_the_sample_of_the_options_is_fresh(self) -> None:
        fresh = self.make_directory() / "orch.conf.sample"
        generator.main(
            [
                "--namespace",
                _OURS,
                "--wrap-width",
                "79",
                "--output-file",
                str(fresh),
            ]
        )
        expected = parts(fresh.read_text())
        sample = parts((_ETC / "orch.conf.sample").read_text())

        self.assertGreater(len(expected), 5)
        self.assertEqual(
            expected,
            {key: text for key, text in sample.items() if key[1] == _OURS},
        )

    def test_the_sample_shows_our_defaults_of_library_options(self) -> None:
        sample = parts((_ETC / "orch.conf.sample").read_text())

        self.assertIn(
            "#control_exchange = orch", sample["[DEFAULT]", "oslo.messaging"]
        )

    def test_the_sample_of_the_policies_is_fresh(self) -> None:
        fresh = self.make_directory() / "policy.yaml.sample"
        policy_generator.generate_sample(
            ["--namespace", _OURS, "--output-file", str(fresh)]
        )

        self.assertEqual(
            fresh.read_text(), (_ETC / "policy.yaml.sample").read_text()
        )
