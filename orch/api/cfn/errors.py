"""What is wrong with a request in the ways of a query API.

:ivar aws_code: of each class, what Amazon calls it
"""

import typing

from orch import errors


class Misunderstood(errors.Invalid):
    """The request cannot be understood."""

    code = "orch.cfn.query"
    aws_code: typing.ClassVar[str] = "ValidationError"


class MissingAction(Misunderstood):
    """It does not say what to do."""

    aws_code = "MissingAction"


class InvalidAction(Misunderstood):
    """There is no such action."""

    aws_code = "InvalidAction"


class MissingParameter(Misunderstood):
    """A parameter is missing that the action needs."""

    aws_code = "MissingParameter"


class InvalidValue(Misunderstood):
    """A parameter has a value that it cannot have."""

    aws_code = "InvalidParameterValue"


class InvalidCombination(Misunderstood):
    """Parameters exclude each other."""

    aws_code = "InvalidParameterCombination"


class NotCreatedYet(Misunderstood):
    """The stack cannot be updated, since it has not been created."""


class ChangeSetNotFound(Misunderstood):
    """The stack has no such change set."""

    aws_code = "ChangeSetNotFound"


class InvalidChangeSetStatus(Misunderstood):
    """The change set cannot be executed."""

    aws_code = "InvalidChangeSetStatus"


class MalformedQuery(Misunderstood):
    """The parameters are not written as they have to be."""

    aws_code = "MalformedQueryString"
