"""Texts for users: who asked for an operation."""

from orchclient.console import formatting
from tests import base


class RequesterTest(base.TestCase):
    def test_the_cause_stands_before_all_but_requests(self) -> None:
        self.assertEqual(
            [
                "ann",
                "",
                "signal by bob",
                "signal",
                "repair, policy of pam",
                "repair",
            ],
            [
                formatting.requester_text(*each)
                for each in (
                    ("request", "ann", None),
                    ("request", None, None),
                    ("signal", "bob", None),
                    ("signal", None, None),
                    ("repair", None, "pam"),
                    ("repair", None, None),
                )
            ],
        )
