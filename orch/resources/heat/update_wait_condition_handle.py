"""``OS::Heat::UpdateWaitConditionHandle``: a new handle each update."""

from orch.resources.signals import handle


class UpdateWaitConditionHandle(handle.CfnHandle):
    """A handle that every update replaces, so that conditions wait again."""

    type_name = "OS::Heat::UpdateWaitConditionHandle"
    is_new_each_update = True
