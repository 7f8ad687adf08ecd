"""All checks run, whichever fails."""

from tests import base
from tools import lint


class LintTest(base.TestCase):
    def test_one_that_fails_is_counted_and_hides_no_other(self) -> None:
        last = self.make_directory() / "last"

        failed = lint.run(
            [
                ("python", "-c", "raise SystemExit(2)"),
                ("python", "-c", f"open({str(last)!r}, 'w')"),
            ]
        )

        self.assertEqual(1, failed)
        self.assertTrue(last.exists())
