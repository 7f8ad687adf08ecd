"""Questions about the stages that a child stack passes."""

import collections.abc

from orch.model import stack
from orch.plugin import nested_stack
from orch.template.environment import registry


def check_pauses(stack: stack.Stack, stage: nested_stack.Stage) -> None:
    """Raise PausesTooLong if a group's pauses exceed the timeout.

    :param stack: that holds the group
    :raises orch.plugin.nested_stack.PausesTooLong: they alone take all of
        the timeout
    """
    if 0 < stack.timeout_s <= stage.pauses_s:
        raise nested_stack.PausesTooLong(
            "The current update policy will result in stack update"
            f" timeout: the pauses between its batches take"
            f" {stage.pauses_s:g} of {stack.timeout_s} seconds."
            " Make the batches larger or the pauses shorter, or give the"
            " stack more time."
        )


def lacks_files(
    stage: nested_stack.Stage, files: collections.abc.Mapping[str, str]
) -> bool:
    """Whether a member's template is missing among the files."""
    if isinstance(stage.template, str):
        return False
    section = stage.template.get("resources")
    members = section.values() if isinstance(section, dict) else ()
    types = [
        str(each.get("type")) for each in members if isinstance(each, dict)
    ]
    return any(
        registry.is_template(each) and each not in files for each in types
    )
