"""What is logged where the stacks before an operation cannot be read."""

from unittest import mock

from orch import clock
from orch import ids
from orch.engine.lifecycle import hook_caller
from orch.engine.lifecycle import journal as journals
from orch.model import lifecycle as model
from tests import base


class CaptureTest(base.TestCase):
    def test_the_error_is_logged_redacted(self) -> None:
        run = model.Run(
            operation_id=ids.OperationId("o"),
            attempt=1,
            verb="update",
            stack_id=ids.StackId("s"),
            project_id="p",
            chain=("one",),
            began_at=clock.Timestamp(1.0),
            stage=model.Stage.IN_PROGRESS,
        )
        found = mock.Mock()
        found.store.redact = lambda text: text.replace("sesame", "***")
        entry = journals.Entry(run)
        caller = hook_caller.HookCaller(
            mock.Mock(),
            found,
            mock.Mock(entries=[entry]),
            entry,
            lambda: False,
        )

        with self.assertLogs(hook_caller.LOG.logger, "WARNING") as logged:
            caller.take(None, OSError("token=sesame"))

        self.assertIn("OSError: token=***", logged.output[0])
        self.assertIsNone(entry.before)
