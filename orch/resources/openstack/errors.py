"""Errors of physical resources in a cloud."""

from orch import errors


class InError(errors.Permanent):
    """The service reports a physical resource as failed."""

    code = "orch.cloud.in_error"
    shown_as = "ResourceInError"

    @classmethod
    def of(cls, status: str, reason: object) -> "InError":
        """Return the error of a state, in the words that Heat has for it.

        :param reason: as the service reports it; empty for nothing
        """
        return cls(f'Went to status {status} due to "{reason or "Unknown"}"')
