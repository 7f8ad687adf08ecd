"""Addresses hold any name, and are built once for an answer."""

import urllib.parse

from orch.api import links
from orch.rpc import contract
from tests import base

_BASE = "http://orch.test"
_NAMES = (
    *("r1", "web-server_2.a~b", "", "%", "a b", "a/b", "a?b#c", "a+b&c=d"),
    *("ä", "名前", "a\nb", "a\n", "'\"<>", "..", "@:;,!$*()[]"),
)


class LinkTests(base.TestCase):
    def test_each_step_of_a_path_is_quoted(self) -> None:
        for name in _NAMES:
            quoted = urllib.parse.quote(name, "")

            self.assertEqual(
                f"u/resources/{quoted}", links.resource("u", name)
            )
            self.assertEqual(
                f"{_BASE}/v1/{quoted}/stacks/{quoted}/{quoted}",
                links.stack(_BASE, _identity(name, name, name)),
            )

    def test_each_stack_of_an_answer_has_its_address(self) -> None:
        urls = links.StackUrls(_BASE)
        identities = [_identity("p", f"s{n}", f"id-{n}") for n in range(3)]

        for each in identities * 2:
            self.assertEqual(links.stack(_BASE, each), urls.find(each))


def _identity(
    project_id: str, stack_name: str, stack_id: str
) -> contract.StackIdentity:
    return {
        "project_id": project_id,
        "stack_name": stack_name,
        "stack_id": stack_id,
    }
