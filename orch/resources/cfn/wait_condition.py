"""``AWS::CloudFormation::WaitCondition``: waits for word from inside."""

from orch.plugin import schema
from orch.resources.signals import condition


class WaitCondition(condition.Condition):
    """Complete once its handle was signalled as often as wanted."""

    type_name = "AWS::CloudFormation::WaitCondition"
    listens_to = "Handle"
    names = condition.Names("Handle", "Timeout", "Count", "Data")
    properties = (
        schema.Property(
            "Handle",
            schema.Type.STRING,
            "The handle to wait for: Ref of a resource of type"
            " AWS::CloudFormation::WaitConditionHandle of the same stack.",
            required=True,
        ),
        schema.Property(
            "Timeout",
            schema.Type.INTEGER,
            "Seconds that it waits before it fails.",
            required=True,
            constraints=(schema.Range(minimum=1, maximum=43200),),
            unit="seconds",
        ),
        schema.Property(
            "Count",
            schema.Type.INTEGER,
            "Signals of success that it waits for.",
            default=1,
            on_update=schema.OnUpdate.MODIFY,
            constraints=(schema.Range(minimum=1),),
        ),
    )
    attributes = (
        schema.Attribute(
            "Data",
            schema.Type.STRING,
            "What the signals brought, as JSON text: a map of their ids.",
        ),
    )
