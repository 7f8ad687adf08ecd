"""What a caller may name that is not there.

A stack that is not there is ``orch.engine.queries.visibility.StackNotFound``.
"""

from orch import errors


class ResourceNotFound(errors.NotFound):
    """The stack declares no resource of that name."""

    code = "orch.resource.not_found"


class ResourceNotAvailable(errors.NotFound):
    """The resource is declared, and nothing of it was begun yet."""

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
    """The stack has no kept plan of that id."""

    code = "orch.plan.not_found"


class SnapshotNotFound(errors.NotFound):
    """There is no snapshot of that id."""

    code = "orch.snapshot.not_found"


class SnapshotOfOtherStack(errors.NotFound):
    """The snapshot of that id is of another stack."""

    code = "orch.snapshot.of_another_stack"


class ConfigNotFound(errors.NotFound):
    """There is no software config of that id."""

    code = "orch.software_config.not_found"


class ConfigDeployed(errors.Invalid):
    """A deployment has the software config, which so has to stay."""

    code = "orch.software_config.deployed"


class DeploymentNotFound(errors.NotFound):
    """There is no software deployment of that id."""

    code = "orch.software_deployment.not_found"


class TypeNotFound(errors.NotFound):
    """Nothing is known of the resource type."""

    code = "orch.type.not_found"


class VersionNotFound(errors.NotFound):
    """The template language has no such version."""

    code = "orch.template_version.not_found"
