"""Values of the model for tests, complete but for what a test names."""

from orch import clock
from orch import ids
from orch.model import stack
from orch.model import states


def make_stack(**given: object) -> stack.Stack:
    """Return a root stack that is being created, unless told otherwise."""
    stack_id = given.get("id", ids.StackId("s"))
    values = {
        "id": stack_id,
        "root_id": stack_id,
        "project_id": "p",
        "name": "web",
        "action": states.Action.CREATE,
        "status": states.Status.IN_PROGRESS,
        "status_reason": "",
        "template_hash": "t",
        "environment_hash": "e",
        "created_at": clock.Timestamp(0.0),
    }
    return stack.Stack(**(values | given))
