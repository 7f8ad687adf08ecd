"""Answers about software configs and deployments, by ``views.software``."""

import typing

from orch.api.response_schemas import shapes

_SUMMARY: typing.Final[dict[str, shapes.Schema]] = {
    "id": shapes.TEXT,
    "name": shapes.NULLABLE_TEXT,
    "group": shapes.NULLABLE_TEXT,
    "creation_time": shapes.MOMENT,
}
_DECLARED: typing.Final = shapes.many(shapes.MAP)

COMPONENTS: typing.Final[dict[str, shapes.Schema]] = {
    "SoftwareConfigSummary": shapes.members(
        _SUMMARY, {"project": shapes.TEXT}
    ),
    "SoftwareConfig": shapes.members(
        {
            **_SUMMARY,
            "config": shapes.ANY,
            "inputs": _DECLARED,
            "outputs": _DECLARED,
            "options": shapes.MAP,
        }
    ),
    "SoftwareDeployment": shapes.members(
        {
            "id": shapes.TEXT,
            "config_id": shapes.NULLABLE_TEXT,
            "server_id": shapes.TEXT,
            "input_values": shapes.NULLABLE_MAP,
            "output_values": shapes.NULLABLE_MAP,
            "action": shapes.NULLABLE_TEXT,
            "status": shapes.NULLABLE_TEXT,
            "status_reason": shapes.NULLABLE_TEXT,
            "creation_time": shapes.MOMENT,
            "updated_time": shapes.NULLABLE_MOMENT,
        }
    ),
}
"""Schemas by name."""

CONFIGS: typing.Final = shapes.wrapped(
    "software_configs", shapes.many(shapes.ref("SoftwareConfigSummary"))
)
CONFIG: typing.Final = shapes.wrapped(
    "software_config", shapes.ref("SoftwareConfig")
)
DEPLOYMENTS: typing.Final = shapes.wrapped(
    "software_deployments", shapes.many(shapes.ref("SoftwareDeployment"))
)
DEPLOYMENT: typing.Final = shapes.wrapped(
    "software_deployment", shapes.ref("SoftwareDeployment")
)
POLLED: typing.Final = shapes.members(
    {"metadata": shapes.many(shapes.ref("SoftwareConfig"))},
    {"os-collect-config": shapes.ANY},
)
