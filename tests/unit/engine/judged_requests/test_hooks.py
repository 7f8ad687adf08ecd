"""The stacks before a request are read for its post-ops, if they can be."""

import threading
import types
import typing
from unittest import mock

from orch import clock
from orch import ids
from orch.context import request
from orch.engine import dependencies
from orch.engine import plugin_reads
from orch.engine.judged_requests import hooks
from orch.engine.lifecycle import dry_run
from orch.model import stack as stack_model
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order
from tests import base


class _Reader(lifecycle.LifecyclePlugin):
    """A plug-in with a post-op only."""

    def post_operation(
        self,
        operation: lifecycle_operation.LifecycleOperation,
        result: lifecycle.OperationResult,
    ) -> None:
        """Read nothing."""


class _Unreadable:
    """An operation whose stack cannot be read."""

    def __init__(self, released: threading.Event | None = None) -> None:
        self._released = released

    @property
    def before(self) -> None:
        if self._released is not None:
            self._released.wait()
        raise OSError("token=sesame")


class CaptureTest(base.TestCase):
    def ask(self, operation: _Unreadable) -> hooks.JudgedStack:
        """Return the stack of a request whose pre-ops were called."""
        deps = types.SimpleNamespace(
            plugins=mock.Mock(),
            plugin_order=lifecycle_order.PluginOrder.of(
                [_Reader("reader", None)]
            ),
            clock=clock.SystemClock(),
            reads=plugin_reads.PluginReads(),
        )
        asked = hooks.RequestHooks(
            typing.cast(dependencies.Dependencies, deps),
            request.RequestContext(project_id="p"),
            "signal",
        )
        stack = types.SimpleNamespace(id="s", project_id="p")
        judged = hooks.JudgedStack(
            typing.cast(stack_model.Stack, stack),
            asked.new_entry(
                typing.cast(stack_model.Stack, stack), ids.OperationId("o")
            ),
            lambda run: (
                lambda member: typing.cast(
                    lifecycle_operation.LifecycleOperation, operation
                )
            ),
            lambda text: text.replace("sesame", "***"),
        )
        asked.judged.append(judged)
        asked.ask()
        return judged

    def test_a_request_goes_on_where_that_fails(self) -> None:
        with self.assertLogs(hooks.LOG.logger, "WARNING") as logged:
            judged = self.ask(_Unreadable())

        self.assertIsNone(judged.entry.before)
        self.assertIn("token=***", logged.output[0])

    def test_a_request_goes_on_where_that_hangs(self) -> None:
        released = threading.Event()
        self.addCleanup(released.set)
        with mock.patch.object(dry_run, "TIME_LIMIT_S", 0.2):
            judged = self.ask(_Unreadable(released))

        self.assertIsNone(judged.entry.before)
