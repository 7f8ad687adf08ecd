"""Claims of an observer's turns on each database: they are renewed."""

import typing

import fixtures
import testscenarios

from orch.db import errors as db_errors
from orch.db.repositories import watches
from tests.functional.db import test_observer
from tests.support import waiting

load_tests = testscenarios.load_tests_apply_scenarios


class ClaimsTest(test_observer.ObserverCase):
    def test_a_claim_that_was_not_renewed_is_renewed_next(self) -> None:
        (root_id,) = self.enrolled()
        self.reader.may_go_on.clear()
        stack = self.observer()
        stack.step()
        waiting.wait_for(lambda: self.reader.observed, "a look")
        renew = watches.renew_claims
        answers: list[typing.Any] = []

        def fail_once(*given: typing.Any) -> object:
            answers.append(None)
            if len(answers) == 1:
                raise db_errors.DatabaseDown("no answer")
            answers[-1] = renew(*given)
            return answers[-1]

        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.db.repositories.watches.renew_claims", fail_once
            )
        )

        self.assertRaises(db_errors.DatabaseDown, stack.step)
        stack.step()
        stack.step()

        self.assertEqual([None, {root_id}], answers)
