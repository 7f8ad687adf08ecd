"""Facts of software configs and deployments."""

import typing


class SoftwareConfigRequest(typing.TypedDict, total=False):
    """What a config is to say; every key may be missing.

    ``config``: any JSON value. ``inputs``, ``outputs``: maps with ``name``
    and ``type`` at the least.
    """

    name: str | None
    group: str | None
    config: object
    inputs: list[dict[str, object]]
    outputs: list[dict[str, object]]
    options: dict[str, object]


class SoftwareConfigFacts(typing.TypedDict, total=False):
    """What is known of a config.

    ``config``, ``inputs``, ``outputs``, ``options`` do not come with list.
    """

    id: str
    project_id: str
    name: str | None
    group: str | None
    created_at: float
    config: object
    inputs: list[dict[str, object]]
    outputs: list[dict[str, object]]
    options: dict[str, object]


class PolledFacts(typing.TypedDict):
    """What the agent of a server has to apply, in order.

    ``agent``: how it is to be configured, where its stack was let go of.
    """

    configs: list[SoftwareConfigFacts]
    agent: dict[str, object] | None


class SoftwareDeploymentRequest(typing.TypedDict, total=False):
    """What is wanted of a deployment.

    A creation needs ``config_id`` and ``server_id``, and knows no
    ``output_values``; in a change what is missing, null or empty stays as it
    is, and the server always does.
    """

    config_id: str
    server_id: str
    stack_user_project_id: str | None
    input_values: dict[str, object] | None
    output_values: dict[str, object] | None
    action: str | None
    status: str | None
    status_reason: str | None


class SoftwareDeploymentFacts(typing.TypedDict):
    """What is known of a deployment."""

    id: str
    config_id: str
    server_id: str
    input_values: dict[str, object] | None
    output_values: dict[str, object] | None
    action: str | None
    status: str | None
    status_reason: str | None
    created_at: float
    updated_at: float | None
