"""Checks a body against a JSON schema, and reports all problems at once."""

import collections.abc

import jsonschema
from jsonschema import exceptions

from orch import errors

_LONGEST = 200

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
    if misfit.validator == "type":
        wanted: object = misfit.validator_value
        names = wanted if isinstance(wanted, list) else [str(wanted)]
        message = f"{path} must be of type {' or '.join(names)}."
    elif misfit.validator == "required":
        message = misfit.message.replace("'", "").capitalize() + "."
    else:
        message = f"{path}: {misfit.message[:_LONGEST]}."
    return errors.Problem(message, path)
