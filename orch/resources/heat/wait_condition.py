"""``OS::Heat::WaitCondition``: waits for signals of servers."""

import typing

from orch.plugin import schema
from orch.resources.signals import condition

_NAMES: typing.Final = condition.Names("handle", "timeout", "count", "data")


class HeatWaitCondition(condition.Condition):
    """Complete once its handle has the desired number of signals."""

    type_name = "OS::Heat::WaitCondition"
    listens_to = _NAMES.handle
    names = _NAMES
    properties = condition.condition_properties(
        _NAMES,
        "get_resource of a resource of type OS::Heat::WaitConditionHandle",
        schema.Type.NUMBER,
    )
    attributes = condition.condition_attributes(_NAMES)
