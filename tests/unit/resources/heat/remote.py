"""Another installation, and a resource that has a stack there."""

import dataclasses
import email.utils

from orch import clock
from orch.plugin import call_context
from orch.resources.heat import remote_stack
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.heat import installations

KIND = remote_stack.RemoteStack
NAME = "shop-thing-abcdefghijkl"
ID = "0c6ffb1e-6a4e-4d5f-8a37-6f0a5f7d1a01"
PATH = f"/stacks/{NAME}/{ID}"
NOW = 1_700_000_000.0


def shown(status: str, reason: str = "", **more: object) -> tuple[int, object]:
    """Return what the installation answers of the stack."""
    stack = {
        "id": ID,
        "stack_name": NAME,
        "stack_status": status,
        "stack_status_reason": reason,
        **more,
    }
    return 200, {"stack": stack}


def begun(moment: float) -> tuple[int, object]:
    """Return an event that tells of an action's beginning."""
    text = clock.isoformat(clock.Timestamp(moment))
    return 200, {"events": [{"event_time": text}]}


def waits(state: str) -> call_context.Pending:
    """Return how a stack there is waited for, of which that is told."""
    return call_context.Pending(note=f"the other installation says {state}")


class RemoteStackTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = contexts.FakeClock(NOW)
        self.there = self.useFixture(installations.Installation())
        # The clock there is that of the machine; it may be ahead of ours.
        self.there.headers["Date"] = email.utils.formatdate(usegmt=True)
        self.cloud = self.useFixture(installations.Cloud(self.there.url))
        self.plugin = KIND(contexts.options(), self.clock)
        self.plugin.use_clouds(self.cloud)

    def context(self, **properties: object) -> call_context.Context:
        given = {"template": "T", "parameters": {}, **properties}
        return contexts.make(KIND, started_at=NOW, **given)

    def made(self, **properties: object) -> call_context.Context:
        return dataclasses.replace(self.context(**properties), physical_id=ID)

    def shows(self, status: str, reason: str = "", **more: object) -> None:
        self.there.answers["GET", f"/stacks/{ID}"] = shown(
            status, reason, **more
        )

    def answer_event(self, moment: float) -> None:
        self.there.answers["GET", f"{PATH}/events"] = begun(moment)

    def now_there(self) -> float:
        found = email.utils.parsedate_to_datetime(self.there.headers["Date"])
        return found.timestamp()
