"""Errors of plug-ins in the log."""

import dataclasses
import traceback
import typing

from orch import errors
from orch import redacted
from orch.model import marked
from orch.plugin import call_context
from orch.plugin import logged_errors
from orch.plugin import resource
from tests import base
from tests.unit.resources import contexts


def _context(**given: typing.Any) -> call_context.Context:
    made = contexts.make(resource.Resource)
    return dataclasses.replace(made, **given)


class RedactErrorTest(base.TestCase):
    def test_what_is_sensitive_in_a_resource_is_redacted(self) -> None:
        error = errors.NotFound("one-5f two-5f three-5f four-5f five-5f")
        context = _context(
            properties=marked.Marked({"a": "one-5f", "b": "two-5f"}, [("a",)]),
            metadata={"private_key": "three-5f"},
            signals={"1": {"data": "four-5f"}},
        )

        self.assertEqual(
            "NotFound: ****** two-5f ****** ****** five-5f",
            logged_errors.redact_error(error, [context]),
        )
        self.assertEqual(
            "NotFound: ****** two-5f ****** ****** ******",
            logged_errors.redact_error(error, [context], ["five-5f"]),
        )

    def test_a_traceback_has_the_lines_and_no_text(self) -> None:
        context = _context(data={"key": "canary-5f1c"})
        try:
            raise RuntimeError(context.data["key"])
        except RuntimeError as error:
            found = "".join(
                traceback.format_exception(
                    *redacted.redact_trace(
                        error, logged_errors.redact_error(error, [context])
                    )
                )
            )

        self.assertIn("test_a_traceback_has", found)
        self.assertIn("RedactedError: RuntimeError: ******", found)
        self.assertNotIn("canary-5f1c", found)

    def test_what_is_raised_instead_has_no_secret(self) -> None:
        secret = "-".join(("canary", "5f1c"))

        def leave() -> None:
            try:
                raise KeyError(secret)
            except KeyError as error:
                raise logged_errors.redact_raised(error, secret) from None

        left = self.assertRaises(redacted.RedactedError, leave)

        self.assertEqual("KeyError: '******'", str(left))
        self.assertNotIn(secret, "".join(traceback.format_exception(left)))
