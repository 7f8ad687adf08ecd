"""The example of a licence server, asked by our own webhook."""

import importlib.util
import pathlib
import threading
import typing

from orch.lifecycle_plugins import webhook
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from tests.support import patterns
from tests.unit.lifecycle_plugins import judged

_PATH = (
    pathlib.Path(__file__).parents[3]
    / "examples"
    / "licence-server"
    / "licence_server.py"
)
_SECRET = "a secret of both of them"


def example() -> typing.Any:
    spec = importlib.util.spec_from_file_location("licence_server", _PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def servers(
    count: int, stack_id: str, physical_id: str | None = None
) -> lifecycle_operation.StackView:
    return patterns.stack(
        *(
            patterns.resource(f"s{number}", physical_id=physical_id)
            for number in range(count)
        ),
        stack_id=stack_id,
    )


class LicenceServerTest(judged.PluginTestCase):
    def setUp(self) -> None:
        super().setUp()
        module = example()
        server = module.server(
            module.Licences(3, "OS::Nova::Server"), _SECRET.encode(), 0
        )
        server.RequestHandlerClass.log_message = lambda *args: None
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_address[1]}/"
        self.plugin = self.webhook(_SECRET)

    def webhook(self, secret: str) -> webhook.Webhook:
        path = self.make_directory() / "secret"
        path.write_text(secret)
        return webhook.Webhook(
            "webhook:licences",
            {
                "url": self.url,
                "allow_http": True,
                "allowed_networks": ["127.0.0.0/8"],
                "secret_file": str(path),
            },
        )

    def create(
        self, count: int, stack_id: str, **request: object
    ) -> lifecycle.Verdict:
        operation = patterns.make_operation(
            servers(count, stack_id),
            request=patterns.asking(operation_id=f"on-{stack_id}", **request),
        )
        return self.judge(self.plugin, operation)

    def end(self, count: int, stack_id: str) -> None:
        self.plugin.post_operation(
            patterns.make_operation(
                servers(count, stack_id, "srv"),
                request=patterns.asking(operation_id=f"on-{stack_id}"),
            ),
            lifecycle.OperationResult(
                outcome=lifecycle.Outcome.COMPLETE, reason="done"
            ),
        )

    def test_it_gives_what_there_is(self) -> None:
        self.assertEqual(lifecycle.allow(), self.create(2, "a"))

        self.assertEqual(
            lifecycle.deny("2 licences are needed, 1 are free"),
            self.create(2, "b"),
        )

    def test_a_call_that_comes_again_takes_no_more(self) -> None:
        self.create(2, "a")
        self.assertEqual(lifecycle.allow(), self.create(2, "a"))

        self.assertEqual(lifecycle.allow(), self.create(1, "b"))

    def test_a_preview_takes_nothing(self) -> None:
        self.create(3, "a", is_preview=True)

        self.assertEqual(lifecycle.allow(), self.create(3, "b"))

    def test_what_came_to_nothing_is_given_back(self) -> None:
        self.create(3, "a")
        self.end(1, "a")

        self.assertEqual(lifecycle.allow(), self.create(2, "b"))

    def test_who_has_another_secret_is_refused(self) -> None:
        error = self.assertRaises(
            webhook.WebhookRefused,
            self.judge,
            self.webhook("a secret of somebody else"),
            patterns.make_operation(servers(1, "a")),
        )

        self.assertIn("answered 403", error.message)
