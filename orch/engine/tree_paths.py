"""Paths of stacks and resources in their tree, as plug-ins know them."""

from orch.db import engine as db_engine
from orch.db.repositories import stacks
from orch.model import stack as stack_model


def path_of(connection: db_engine.Connection, stack: stack_model.Stack) -> str:
    """Return the path of a stack in its tree; empty for a root."""
    return "/".join(stacks.list_names_above(connection, stack))


def below(path: str, name: str) -> str:
    """Return the path of a resource of the stack at a path."""
    return f"{path}/{name}" if path else name
