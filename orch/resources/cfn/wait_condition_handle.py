"""``AWS::CloudFormation::WaitConditionHandle``: an address for signals."""

from orch.resources.signals import handle


class WaitConditionHandle(handle.CfnHandle):
    """Its reference is an address that takes signals without a token."""

    type_name = "AWS::CloudFormation::WaitConditionHandle"
