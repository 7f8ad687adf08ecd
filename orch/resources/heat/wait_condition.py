"""``OS::Heat::WaitCondition``: waits for signals of servers."""

from orch.plugin import type_files
from orch.resources.signals import condition


@type_files.described("OS::Heat::WaitCondition")
class HeatWaitCondition(condition.Condition):
    """Complete once its handle has the desired number of signals."""

    names = condition.Names("handle", "timeout", "count", "data")
    listens_to = names.handle
