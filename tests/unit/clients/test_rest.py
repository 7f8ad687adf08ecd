"""What stands in the path of a request."""

import requests

from orch.clients import rest
from tests import base

_NAMES = (
    "a/b",
    "../b",
    "a/..",
    "a b",
    "a?b",
    "a#b",
    "a%2Fb",
    "%2E%2E",
    "...",
    ".a",
    "\u00e4;:@",
)


class SegmentTest(base.TestCase):
    """Any name is one part of a path, or is refused."""

    def sent(self, name: str) -> str:
        """Return the path that requests sends."""
        url = f"http://cloud/v2/servers/1/metadata/{rest.path_segment(name)}"
        prepared = requests.Request("DELETE", url).prepare()
        return prepared.path_url

    def test_a_name_stays_one_part_on_its_way(self) -> None:
        for name in _NAMES:
            path, _, last = self.sent(name).rpartition("/")

            self.assertEqual("/v2/servers/1/metadata", path)
            self.assertEqual(name, requests.utils.unquote(last))
            self.assertNotIn(last, (".", ".."))

    def test_what_leads_elsewhere_is_refused(self) -> None:
        for name in ("", ".", ".."):
            self.assertRaises(rest.NoPath, rest.path_segment, name)
            self.assertFalse(rest.is_found_by_path(name))

    def test_dots_cannot_be_quoted(self) -> None:
        # Why they are refused.
        url = "http://cloud/v2/servers/1/metadata/%2E%2E"

        prepared = requests.Request("DELETE", url).prepare()

        self.assertEqual("/v2/servers/1/metadata/..", prepared.path_url)

    def test_a_slash_may_not_be_found(self) -> None:
        self.assertFalse(rest.is_found_by_path("a/b"))
        self.assertTrue(rest.is_found_by_path("a b"))
