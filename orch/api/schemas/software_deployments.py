"""The bodies that store and change software deployments."""

import typing

from orch import errors
from orch.api.schemas import software_configs
from orch.api.schemas import stacks
from orch.rpc import contract

_MAX_LENGTH: typing.Final = 255


def parse_request(body: stacks.Body) -> contract.SoftwareDeploymentRequest:
    """Return the deployment that is to be stored; other keys are ignored.

    :raises orch.errors.Invalid: a value is missing or has another form
    """
    request = _common(body)
    request["config_id"] = _required(body, "config_id")
    request["server_id"] = _required(body, "server_id")
    request["stack_user_project_id"] = software_configs.find_text(
        body, "stack_user_project_id", _MAX_LENGTH
    )
    return request


def change_of(body: stacks.Body) -> contract.SoftwareDeploymentRequest:
    """Return what is to be changed; other keys are ignored.

    :raises orch.errors.Invalid: a value has another form
    """
    request = _common(body)
    request["output_values"] = software_configs.find_map(body, "output_values")
    if body.get("config_id"):
        request["config_id"] = _required(body, "config_id")
    return request


def _common(body: stacks.Body) -> contract.SoftwareDeploymentRequest:
    find_text = software_configs.find_text
    return contract.SoftwareDeploymentRequest(
        input_values=software_configs.find_map(body, "input_values"),
        action=find_text(body, "action", _MAX_LENGTH),
        status=find_text(body, "status", _MAX_LENGTH),
        status_reason=find_text(body, "status_reason"),
    )


def _required(body: stacks.Body, name: str) -> str:
    value = software_configs.find_text(body, name, _MAX_LENGTH)
    if not value:
        raise errors.Invalid(f"Send {name}, a text.")
    return value
