"""``AWS::CloudFormation::WaitCondition``: waits for signals of servers."""

import typing

from orch.plugin import type_files
from orch.resources.signals import condition

_NAMES: typing.Final = condition.Names("Handle", "Timeout", "Count", "Data")


@type_files.described("AWS::CloudFormation::WaitCondition")
class WaitCondition(condition.Condition):
    """Complete once its handle has the desired number of signals."""

    listens_to = _NAMES.handle
    names = _NAMES
