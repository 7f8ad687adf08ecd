"""Which resource of a stack another one listens to."""

import dataclasses

from oslo_config import cfg

from orch import clock
from orch import ids
from orch.context import request
from orch.flow.state import contexts
from orch.model import resource
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import resource as plugin_resource
from orch.plugin import schema
from tests import base
from tests.support import nouns

NOW = clock.Timestamp(0.0)
STACK = ids.StackId("s")


class Handle(plugin_resource.Resource):
    """Counts how often its reference is asked for."""

    type_name = "A::Handle"
    takes_signals = True
    requests = 0

    def reference_id(self, context: call_context.Context) -> str:
        type(self).requests += 1
        return f"ref-{context.physical_id}"


class Deaf(Handle):
    type_name = "A::Deaf"
    takes_signals = False


class Waiter(plugin_resource.Resource):
    type_name = "A::Waiter"
    properties = (schema.Property("handle", schema.Type.ANY),)
    listens_to = "handle"


def row(name: str, kind: type, **given: object) -> resource.Resource:
    values: dict[str, object] = {
        "id": ids.ResourceId(f"00000000-0000-4000-8000-{name:0>12}"),
        "stack_id": STACK,
        "name": name,
        "type_name": kind.type_name,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return resource.Resource(**(values | given))


class SignalSourcesTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        Handle.requests = 0
        self.rows: dict[ids.ResourceId, resource.Resource] = {}
        self.stack = nouns.make_stack(id=STACK)
        self.types = registry.ResourceTypes.of(
            [Handle, Deaf, Waiter], cfg.ConfigOpts()
        )
        self.signal_sources = contexts.SignalSources(
            self.rows, self.stack, self.types, request.RequestContext()
        )

    def put(self, *rows: resource.Resource) -> None:
        self.rows.update({each.id: each for each in rows})

    def context(self, listener: resource.Resource) -> call_context.Context:
        plugin = self.types.get(listener.type_name)
        return contexts.build_context(
            self.stack,
            listener,
            request.RequestContext(),
            self.signal_sources.find(plugin, listener),
        )

    def heard(self, handle: object) -> tuple[bool, object]:
        """Return whether a waiter hears somebody, and what is kept there."""
        waiter = row("f", Waiter, properties={"handle": handle})
        context = self.context(waiter)
        return context.has_signal_source, context.signals

    def test_it_hears_what_its_property_refers_to(self) -> None:
        self.put(
            row("a", Handle, physical_id="1", signals={"x": 1}),
            row("b", Handle, physical_id="2", signals={"y": 1}),
        )

        self.assertEqual((True, {"y": 1}), self.heard("ref-2"))
        self.put(row("b", Handle, physical_id="2", signals={"z": 1}))
        self.assertEqual((True, {"z": 1}), self.heard("ref-2"))

    def test_what_comes_later_is_heard_then(self) -> None:
        self.put(row("a", Handle))
        before = self.heard("ref-1")
        self.put(row("a", Handle, physical_id="1", signals={"x": 1}))

        self.assertEqual((False, {}), before)
        self.assertEqual((True, {"x": 1}), self.heard("ref-1"))

    def test_what_takes_no_signals_or_is_no_text_is_not_heard(self) -> None:
        self.put(row("a", Deaf, physical_id="1", signals={"x": 1}))

        for handle in ("ref-1", "", None, ["ref-1"], 1):
            self.assertEqual((False, {}), self.heard(handle))

    def test_each_reference_is_asked_for_once(self) -> None:
        self.put(
            *(
                row(f"{number:x}", Handle, physical_id=str(number))
                for number in range(50)
            )
        )
        for number in range(50):
            self.assertTrue(self.heard(f"ref-{number}")[0])
            self.assertFalse(self.heard("ref-none")[0])

        self.assertEqual(50, Handle.requests)

    def test_who_does_not_listen_has_signals_of_its_own(self) -> None:
        mine = row("a", Handle, physical_id="1", signals={"x": 1})
        self.put(mine)
        context = self.context(dataclasses.replace(mine, signals={"new": 1}))

        self.assertEqual(
            ({"new": 1}, False), (context.signals, context.has_signal_source)
        )
