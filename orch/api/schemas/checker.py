"""Checks a body against a JSON schema, and reports all problems at once."""

import collections.abc

import jsonschema
from jsonschema import exceptions

from orch import errors

_MAX_LENGTH = 200
_MAX_VALUE_LENGTH = 50
"""What is told of a value that does not fit; why it does not comes behind."""

Schema = collections.abc.Mapping[str, object]


class Checker:
    """A schema, compiled once."""

    def __init__(self, schema: Schema) -> None:
        self._validator = jsonschema.Draft202012Validator(schema)

    def check(self, body: object) -> None:
        """Return when the body fits.

        :raises orch.errors.Invalid: with one problem a misfit
        """
        misfits = self._validator.iter_errors(body)
        problems = [_problem(misfit) for misfit in misfits]
        if problems:
            message = " ".join(problem.message for problem in problems)
            raise errors.Invalid(message, problems)


def _problem(misfit: exceptions.ValidationError) -> errors.Problem:
    path = ".".join(str(step) for step in misfit.absolute_path)
    place = f"{path}: " if path else ""
    if misfit.validator == "type":
        wanted: object = misfit.validator_value
        names = wanted if isinstance(wanted, list) else [str(wanted)]
        message = f"{path} must be of type {' or '.join(names)}."
    elif misfit.validator == "required":
        message = place + misfit.message.replace("'", "") + "."
    else:
        message = f"{place}{_said(misfit)[:_MAX_LENGTH]}."
    return errors.Problem(message, path)


def _said(misfit: exceptions.ValidationError) -> str:
    """Return what is wrong, with no more of the value than tells it."""
    value = misfit.instance
    if not isinstance(value, str) or len(value) <= _MAX_VALUE_LENGTH:
        return misfit.message
    return misfit.message.replace(
        repr(value), f"{value[:_MAX_VALUE_LENGTH]!r}...", 1
    )
