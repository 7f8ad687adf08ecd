"""A worker that is lost between two steps of making a stack in a stack."""

import json

import sqlalchemy as sa

from orch.db.models import stacks
from tests import base
from tests.chaos import records
from tests.chaos import templates
from tests.scenarios import inprocess


class TakeoverTests(base.TestCase):
    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        self.system = self.useFixture(inprocess.System())
        self.records = self.system.records

    def acts(self) -> list[str]:
        return [each.act for each in self.system.world.calls()]

    def test_what_is_found_again_is_made_once_and_not_updated(self) -> None:
        world = self.system.world
        world.order("s", "create", "t-0")
        stack = self.system.client.create(
            "s",
            {
                "heat_template_version": "2021-04-16",
                "resources": {"kid": {"type": "kid.yaml"}},
            },
            files={"kid.yaml": json.dumps(templates.chain("t", 1))},
        )
        records.wait_until(
            lambda: "held-create-watch" in self.acts(), what="nothing is held"
        )

        # As if it was lost before it could note that the stack stands.
        kid = stacks.RESOURCES
        self.records.change(
            sa.update(kid)
            .where(kid.c.stack_id == stack.id)
            .values(physical_id=None)
        )
        self.system.kill()
        world.forgive("s")

        records.wait_until(
            lambda: self.records.stack_states()[stack.id] == "CREATE_COMPLETE",
            timeout_s=60,
        )
        self.assertEqual(1, self.acts().count("create"))
        self.assertEqual(
            ["CREATE", "CREATE"],
            [each["action"] for each in self.records.operations()],
        )
