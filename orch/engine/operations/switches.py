"""What an operator may have switched off."""

from orch import errors
from orch.engine import dependencies


def check_adopt(deps: dependencies.Dependencies) -> None:
    """Return only if stacks may be adopted.

    :raises orch.errors.NotSupported: they may not
    """
    if not deps.settings.adopts:
        raise errors.NotSupported(
            "Stack Adopt is not supported here: an operator switches it on"
            " with the option enable_stack_adopt."
        )


def check_abandon(deps: dependencies.Dependencies) -> None:
    """Return only if stacks may be exported and abandoned.

    :raises orch.errors.NotSupported: they may not
    """
    if not deps.settings.abandons:
        raise errors.NotSupported(
            "Stack Abandon and Export are not supported here: an operator"
            " switches them on with the option enable_stack_abandon."
        )
