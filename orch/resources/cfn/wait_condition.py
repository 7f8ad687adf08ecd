"""``AWS::CloudFormation::WaitCondition``: waits for signals of servers."""

from orch.plugin import type_files
from orch.resources.signals import condition


@type_files.described("AWS::CloudFormation::WaitCondition")
class WaitCondition(condition.Condition):
    """Complete once its handle has the desired number of signals."""

    names = condition.Names("Handle", "Timeout", "Count", "Data")
    listens_to = names.handle
