"""What Amazon's clients are told of errors."""

from orch import errors
from orch.api import errors as api_errors
from orch.api.cfn import app
from orch.api.cfn import errors as cfn_errors
from orch.api.middleware import signatures
from orch.db import errors as db_errors
from tests import base


class FaultsTest(base.TestCase):
    def test_each_error_has_a_code(self) -> None:
        for error, expected in (
            (errors.NotFound("x"), "ValidationError"),
            (errors.Invalid("x"), "ValidationError"),
            (errors.Conflict("x"), "ValidationError"),
            (db_errors.NameTaken("x"), "AlreadyExistsException"),
            (errors.LimitExceeded("x"), "LimitExceededException"),
            (api_errors.TooManyRequests("x", 2), "Throttling"),
            (errors.Forbidden("x"), "AccessDenied"),
            (errors.Unavailable("x"), "ServiceUnavailable"),
            (errors.Permanent("x"), "InternalFailure"),
            (
                api_errors.Unauthenticated("x", "Keystone"),
                "MissingAuthenticationToken",
            ),
            (cfn_errors.MissingAction("x"), "MissingAction"),
            (
                signatures.SignatureRefused("RequestExpired", "x"),
                "RequestExpired",
            ),
        ):
            self.assertEqual(expected, app.code_of(error), error)
