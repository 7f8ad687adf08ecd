"""``AWS::CloudFormation::WaitConditionHandle``: an address for signals."""

from orch.plugin import type_files
from orch.resources.signals import handle


@type_files.described("AWS::CloudFormation::WaitConditionHandle")
class WaitConditionHandle(handle.CfnHandle):
    """Its reference is an address that takes signals without a token."""
