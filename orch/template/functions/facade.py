"""Functions that speak of the resource that holds a nested stack."""

import typing

from orch.plugin import function


class ResourceFacade(function.Function):
    """Gives metadata or a policy of the resource that holds this stack."""

    __slots__ = ()

    parts: typing.ClassVar[dict[str, str]] = {
        "metadata": "metadata",
        "deletion_policy": "deletion_policy",
        "update_policy": "update_policy",
    }

    def check(self) -> None:
        """Refuse anything but the name of a part."""
        if (
            not isinstance(self.arguments, str)
            or self.arguments not in self.parts
        ):
            raise ValueError(
                f'Incorrect arguments to "{self.name}" should be one of:'
                f" {', '.join(self.parts)}"
            )

    def evaluate(self, scope: function.Scope) -> object:
        """Return the part."""
        return scope.facade(self.parts[str(self.arguments)])


class CfnResourceFacade(ResourceFacade):
    """The same under CloudFormation's names."""

    __slots__ = ()

    parts = {  # noqa: RUF012 read only, declared in the base class
        "Metadata": "metadata",
        "DeletionPolicy": "deletion_policy",
        "UpdatePolicy": "update_policy",
    }
