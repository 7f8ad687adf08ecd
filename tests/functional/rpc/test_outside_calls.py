"""Requests that find no slot for their calls of other services."""

import typing

from orch import project_slots
from orch.context import outside
from orch.engine import constraint_checks
from orch.engine import dependencies
from orch.engine import plugin_reads
from orch.plugin import call_context
from orch.plugin import constraints
from orch.plugin import registry
from tests.functional.rpc import worker
from tests.unit.engine import fakes

_TEMPLATE: typing.Final = {
    "heat_template_version": "2018-08-31",
    "resources": {
        "web": {"type": "Test::Server"},
        "app": {
            "type": "Test::Server",
            "metadata": {"where": {"get_attr": ["web", "address"]}},
        },
    },
    "outputs": {"address": {"value": {"get_attr": ["web", "address"]}}},
}


class Examined(fakes.Server):
    """One whose service is asked before it is made, and can be read."""

    examines = True
    has_reality = True

    def examine(self, context: call_context.Context) -> None:
        """Accept it."""

    def get_reality(self, context: call_context.Context) -> dict[str, object]:
        """Return what it is."""
        return {"flavor": "large"}


class _Callers:
    """Connects to a cloud that accepts all values."""

    def connect_for(self, ctxt: object) -> None:
        """Return what the checks here do not use."""


class SlotsTest(worker.TestCase):
    """All slots are taken when a request comes."""

    def setUp(self) -> None:
        super().setUp()
        self.types = registry.ResourceTypes.of(
            (Examined, fakes.Value), self.conf
        )
        self.slots = outside.make_slots(2)
        reads = plugin_reads.PluginReads(limit_s=10)
        accept_all: constraints.Table = {
            "nova.flavor": lambda cloud, value: None
        }
        self.start(
            settings=dependencies.Settings(adopts=True),
            reads=reads,
            checks=constraint_checks.Checks(
                _Callers(),  # type: ignore[arg-type]
                reads,
                self.clock,
                accept_all,
            ),
        )
        self.stack_id = self.create(_TEMPLATE)
        for name in ("web", "app"):
            self.put_resource(self.stack_id, name, physical_id=name)
        self.slots.take("another")

    def refused(
        self, function: typing.Callable[..., object], *given: object
    ) -> None:
        """Check that a request is refused, and answered with a slot."""
        self.assertRaises(project_slots.SlotsTaken, function, self.ann, *given)
        self.slots.release("another")
        function(self.ann, *given)
        self.slots.take("another")

    def test_a_live_attribute(self) -> None:
        """None is shown as unknown."""
        self.refused(self.resources.show, self.stack_id, "web", ())

    def test_live_metadata(self) -> None:
        """Those of the template are not shown instead."""
        self.refused(self.resources.metadata, self.stack_id, "app")

    def test_an_output(self) -> None:
        """It does not show the refusal as its error."""
        self.refused(self.stacks.show, self.stack_id)

    def test_a_resource_that_is_examined(self) -> None:
        """It is not taken unexamined."""
        self.refused(
            lambda ctxt: self.create(_TEMPLATE, f"s{ctxt.project_id}")
        )

    def test_a_value_that_a_service_knows(self) -> None:
        """It is not taken unchecked."""
        template = {
            "heat_template_version": "2018-08-31",
            "parameters": {
                "p": {
                    "type": "string",
                    "default": "x",
                    "constraints": [{"custom_constraint": "nova.flavor"}],
                }
            },
        }
        self.refused(lambda _: self.create(template, "checked"))

    def test_a_generated_template(self) -> None:
        """Nothing is said to be unreadable."""
        self.refused(
            self.adoption.generate,
            {
                "resources": [
                    {"type_name": "Test::Server", "physical_id": "there"}
                ]
            },
        )

    def test_an_adoption_that_is_previewed(self) -> None:
        """No change is shown as unreadable."""
        wanted = {
            "name": "adopted",
            "request": {},
            "options": {},
            "inputs": {},
            "data": {
                "template": _TEMPLATE,
                "resources": {
                    "web": {"resource_id": "1", "type": "Test::Server"},
                    "app": {"resource_id": "2", "type": "Test::Server"},
                },
            },
        }
        self.refused(lambda ctxt: self.plans.preview_adoption(ctxt, **wanted))
