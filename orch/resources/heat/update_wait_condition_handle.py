"""``OS::Heat::UpdateWaitConditionHandle``: a new handle each update."""

from orch.plugin import type_files
from orch.resources.signals import handle


@type_files.described("OS::Heat::UpdateWaitConditionHandle")
class UpdateWaitConditionHandle(handle.CfnHandle):
    """A handle that every update replaces, so that conditions wait again."""

    is_new_each_update = True
