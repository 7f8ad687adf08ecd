from orch import errors
from orch import redacted
from orch.flow.state import claims
from tests import base


class AlreadyOwnedTest(base.TestCase):
    def test_a_secret_that_is_cut_in_two_is_redacted(self) -> None:
        secret = "canary-7c1f"
        for room in range(988, 1000):
            message = f"{'x' * room}{secret} belongs to another"
            found = str(claims.already_owned([errors.Problem(message)]))

            shown = redacted.Redactor([secret]).redact(found)

            self.assertNotIn(secret[: redacted.SHORTEST], shown)
            self.assertIn("adopt_owned", shown)
