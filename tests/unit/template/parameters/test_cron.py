"""Lines of a crontab."""

from orch.template.parameters import cron
from tests import base

FINE = (
    "* * * * *",
    "  0-59/2 1,2 * jan-mar MON ",
    "5-1 */100 l 12 7",
    "1/5 * ? * ?",
    "* * * * 5#2",
    "* * * * L5",
    "* * * * * 59",
    "0 0 1 1 * 0 2099",
    "@daily",
    "@Annually",
)
WRONG = (
    "",
    "* * * *",
    "* * * * * * * *",
    "60 * * * *",
    "0-60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * 32 * *",
    "* * * 13 *",
    "* * * * 8",
    "* * * * 8#2",
    "* * * * 1#6",
    "* * * * l",
    "* * * * l8",
    "*/0 * * * *",
    "1, 2 * * * *",
    "1,,2 * * * *",
    "1-2-3 * * * *",
    "a * * * *",
    "? * * * *",
    "jan * * * *",
    "* * * * * 60",
    "* * * * * * 1969",
    "@reboot",
)


class CronTest(base.TestCase):
    def test_lines_of_a_crontab_pass(self) -> None:
        for line in FINE:
            cron.check_crontab(line)

    def test_all_else_is_refused(self) -> None:
        for line in WRONG:
            with self.subTest(line):
                self.assertRaises(ValueError, cron.check_crontab, line)
