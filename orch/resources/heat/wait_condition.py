"""``OS::Heat::WaitCondition``: the stack waits for word from inside."""

from orch.plugin import schema
from orch.resources.signals import condition


class HeatWaitCondition(condition.Condition):
    """Complete once its handle was signalled as often as wanted."""

    type_name = "OS::Heat::WaitCondition"
    listens_to = "handle"
    names = condition.Names("handle", "timeout", "count", "data")
    properties = (
        schema.Property(
            "handle",
            schema.Type.STRING,
            "The handle to wait for: get_resource of a resource of type"
            " OS::Heat::WaitConditionHandle of the same stack.",
            required=True,
        ),
        schema.Property(
            "timeout",
            schema.Type.NUMBER,
            "Seconds that it waits before it fails.",
            required=True,
            constraints=(schema.Range(minimum=1, maximum=43200),),
            unit="seconds",
        ),
        schema.Property(
            "count",
            schema.Type.INTEGER,
            "Signals of success that it waits for.",
            default=1,
            on_update=schema.OnUpdate.MODIFY,
            constraints=(schema.Range(minimum=1),),
        ),
    )
    attributes = (
        schema.Attribute(
            "data",
            schema.Type.STRING,
            "What the signals brought, as JSON text: a map of their ids.",
        ),
    )
