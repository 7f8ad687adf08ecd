"""Notifications wake who follows a source."""

import typing
import uuid

import fixtures
import oslo_messaging as messaging
from oslo_config import cfg
from oslo_messaging.notify import listener as oslo_listener

from orch.conf import notifications
from orch.conf import search
from orch.search.sources import notifications as listening
from tests import base
from tests.support import waiting


class ListenerTest(base.TestCase):
    def test_one_that_could_not_listen_at_first_listens_later(self) -> None:
        listen = oslo_listener.NotificationServerBase._create_listener
        failing = [messaging.MessageDeliveryFailure("reset")]
        answers = [False]

        def fail_once(one: oslo_listener.NotificationServerBase) -> object:
            if failing:
                raise failing.pop()
            return listen(one)

        for name, value in (
            ("orch.search.sources.notifications._RETRY_S", 0.01),
            (
                "orch.rpc.broker.Broker.is_reachable",
                lambda *_: answers.pop() if answers else True,
            ),
            (
                "oslo_messaging.notify.listener.NotificationServerBase"
                "._create_listener",
                fail_once,
            ),
        ):
            self.useFixture(fixtures.MonkeyPatch(name, value))
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[])
        search.SECTION.register(conf)
        notifications.SECTION.register(conf)
        url = f"orch-inproc:///{uuid.uuid4().hex}"
        # Declares the options of the library.
        messaging.TransportURL.parse(conf)
        conf.set_override("transport_url", url)
        woken: list[str] = []
        told: list[bool] = []
        stack = listening.Listener(
            conf,
            listening.WakeRecorder(lambda: woken.append("woken")),
            told.append,
        )
        self.addCleanup(stack.stop)
        stack.start()
        waiting.wait_for(lambda: told, "a listener")
        self.assertEqual([], failing)

        self.send(conf)

        waiting.wait_for(lambda: woken, "what was sent then")

    def send(self, conf: cfg.ConfigOpts) -> None:
        conf.set_override("control_exchange", conf.notifications.exchange)
        transport = messaging.get_notification_transport(conf)
        self.addCleanup(transport.cleanup)
        notifier = messaging.Notifier(
            transport,
            publisher_id="test",
            driver="messaging",
            topics=conf.notifications.topics,
        )
        payload: dict[str, typing.Any] = {
            "stack_identity": "s1",
            "sequence": 1,
        }
        notifier.info({}, "orchestration.stack.create.end", payload)
