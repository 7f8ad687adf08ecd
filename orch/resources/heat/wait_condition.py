"""``OS::Heat::WaitCondition``: waits for signals of servers."""

import typing

from orch.plugin import type_files
from orch.resources.signals import condition

_NAMES: typing.Final = condition.Names("handle", "timeout", "count", "data")


@type_files.described("OS::Heat::WaitCondition")
class HeatWaitCondition(condition.Condition):
    """Complete once its handle has the desired number of signals."""

    listens_to = _NAMES.handle
    names = _NAMES
