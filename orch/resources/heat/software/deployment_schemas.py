"""Properties of all types of deployments."""

import typing

from orch.plugin import schema
from orch.resources.heat.software import derived

ACTIONS: typing.Final = schema.Property(
    "actions",
    schema.Type.LIST,
    "Actions of the stack in which the config is applied. A component says"
    " that itself.",
    default=["CREATE", "UPDATE"],
    on_update=schema.OnUpdate.MODIFY,
    constraints=(
        schema.AllowedValues(
            values=("CREATE", "UPDATE", "DELETE", "SUSPEND", "RESUME")
        ),
    ),
)
CONFIG: typing.Final = schema.Property(
    "config",
    schema.Type.STRING,
    "The id of the software config to apply; without one the values of the"
    " inputs are handed over alone.",
    on_update=schema.OnUpdate.MODIFY,
)
INPUT_VALUES: typing.Final = schema.Property(
    "input_values",
    schema.Type.MAP,
    "Values of inputs of the config, by name.",
    on_update=schema.OnUpdate.MODIFY,
)
NAME: typing.Final = schema.Property(
    "name",
    schema.Type.STRING,
    "The configs of a server are applied in the order of these names.",
    on_update=schema.OnUpdate.MODIFY,
)
SERVER: typing.Final = schema.Property(
    "server",
    schema.Type.STRING,
    "The id of the server that applies the config.",
    required=True,
)
SIGNAL_TRANSPORT: typing.Final = schema.Property(
    "signal_transport",
    schema.Type.STRING,
    "How the server reports its result. CFN_SIGNAL: it sends that to a"
    " signed address. TEMP_URL_SIGNAL: it writes that to an object in Swift."
    " HEAT_SIGNAL: it logs in as a user of the stack, and sends that to the"
    " API. NO_SIGNAL: the stack does not wait for it. ZAQAR_SIGNAL is not"
    " served.",
    default=derived.CFN_SIGNAL,
    constraints=(
        schema.AllowedValues(
            values=(
                derived.CFN_SIGNAL,
                "TEMP_URL_SIGNAL",
                derived.HEAT_SIGNAL,
                derived.NO_SIGNAL,
                "ZAQAR_SIGNAL",
            )
        ),
    ),
)
