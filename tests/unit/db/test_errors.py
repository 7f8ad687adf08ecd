"""The errors of the database as other rooms see them."""

import testtools

from orch import errors
from orch.db import errors as db_errors


class ErrorsTest(testtools.TestCase):
    def test_their_codes_are_known_and_their_kinds_are_the_callers(
        self,
    ) -> None:
        for code, kind, base in (
            ("orch.lease.lost", db_errors.LeaseLost, errors.OrchError),
            ("orch.stack.exists", db_errors.NameTaken, errors.Conflict),
            ("orch.db.down", db_errors.DatabaseDown, errors.Unavailable),
        ):
            self.assertIs(kind, errors.OrchError.by_code[code])
            self.assertTrue(issubclass(kind, base))
