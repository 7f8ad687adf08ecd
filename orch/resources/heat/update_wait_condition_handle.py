"""``OS::Heat::UpdateWaitConditionHandle``: a new handle each update."""

from orch.resources.signals import handle


class UpdateWaitConditionHandle(handle.CfnHandle):
    """Replaced by every update, so that what waits for it waits again."""

    type_name = "OS::Heat::UpdateWaitConditionHandle"
    is_new_each_update = True
