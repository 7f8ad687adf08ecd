"""A stack's address bears its name and its id; both must be right."""

from orch import errors


def check_name(real: str, asked: str, stack_id: str) -> None:
    """Return when the stack of that id has the name in the address.

    :raises orch.errors.NotFound: it has another one
    """
    if real != asked:
        raise errors.NotFound(
            f"The Stack ({asked}/{stack_id}) could not be found."
        )
