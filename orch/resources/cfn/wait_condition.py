"""``AWS::CloudFormation::WaitCondition``: waits for signals of servers."""

import typing

from orch.plugin import schema
from orch.resources.signals import condition

_NAMES: typing.Final = condition.Names("Handle", "Timeout", "Count", "Data")


class WaitCondition(condition.Condition):
    """Complete once its handle has the desired number of signals."""

    type_name = "AWS::CloudFormation::WaitCondition"
    listens_to = _NAMES.handle
    names = _NAMES
    properties = condition.condition_properties(
        _NAMES,
        "Ref of a resource of type AWS::CloudFormation::WaitConditionHandle",
        schema.Type.INTEGER,
    )
    attributes = condition.condition_attributes(_NAMES)
