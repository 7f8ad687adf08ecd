"""Errors of requests that name an object that does not exist.

A missing stack is ``orch.engine.queries.lookup.StackNotFound``.
"""

from orch import errors


class ResourceNotFound(errors.NotFound):
    """The stack declares no resource of that name."""

    code = "orch.resource.not_found"


class ResourceNotAvailable(errors.NotFound):
    """The resource is declared, and its creation has not started yet."""

    code = "orch.resource.not_available"


class EventNotFound(errors.NotFound):
    """The resource has no event of that id."""

    code = "orch.event.not_found"


class OutputNotFound(errors.NotFound):
    """The template declares no output of that name."""

    code = "orch.output.not_found"


class OperationNotFound(errors.NotFound):
    """The stack has no operation of that id."""

    code = "orch.operation.not_found"


class PlanNotFound(errors.NotFound):
    """The stack has no saved plan of that id."""

    code = "orch.plan.not_found"


class SnapshotNotFound(errors.NotFound):
    """No snapshot has that id."""

    code = "orch.snapshot.not_found"


class SnapshotOfOtherStack(errors.NotFound):
    """The snapshot of that id is of another stack."""

    code = "orch.snapshot.of_another_stack"


class ConfigNotFound(errors.NotFound):
    """No software config has that id."""

    code = "orch.software_config.not_found"


class ConfigDeployed(errors.Invalid):
    """A deployment uses the software config, so it cannot be deleted."""

    code = "orch.software_config.deployed"


class DeploymentNotFound(errors.NotFound):
    """No software deployment has that id."""

    code = "orch.software_deployment.not_found"


class TypeNotFound(errors.NotFound):
    """The resource type is unknown."""

    code = "orch.type.not_found"


class VersionNotFound(errors.NotFound):
    """The template language has no such version."""

    code = "orch.template_version.not_found"
