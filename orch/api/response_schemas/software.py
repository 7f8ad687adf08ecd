"""Answers about software configs and deployments, by ``views.software``."""

import typing

from orch.api.response_schemas import declared
from orch.api.response_schemas import shapes
from orch.rpc import contract

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
}
"""Schemas by name."""

CONFIGS: typing.Final = shapes.wrapped(
    "software_configs", shapes.many(shapes.ref("SoftwareConfigSummary"))
)
CONFIG: typing.Final = shapes.wrapped(
    "software_config", shapes.ref("SoftwareConfig")
)
DEPLOYMENTS: typing.Final = shapes.wrapped(
    "software_deployments",
    declared.FACTS.many(contract.SoftwareDeploymentFacts),
)
DEPLOYMENT: typing.Final = shapes.wrapped(
    "software_deployment", declared.FACTS.of(contract.SoftwareDeploymentFacts)
)
POLLED: typing.Final = shapes.members(
    {"metadata": shapes.many(shapes.ref("SoftwareConfig"))},
    {"os-collect-config": shapes.ANY},
)
