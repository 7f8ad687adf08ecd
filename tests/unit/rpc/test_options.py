from oslo_config import cfg
from oslo_messaging import opts
from oslo_messaging._drivers import amqpdriver

from orch.rpc import options
from tests import base


class OptionsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.conf = cfg.ConfigOpts()
        self.conf([], default_config_files=[])

    def test_a_second_registration_changes_nothing(self) -> None:
        options.register_options(self.conf)
        options.register_options(self.conf)

        self.assertEqual("orch", self.conf.control_exchange)

    def test_a_second_registration_reads_nothing_again(self) -> None:
        options.register_options(self.conf)
        self.patch(opts, "list_opts", lambda: self.fail("it is read again"))

        options.register_options(self.conf)

        self.assertFalse(self.conf.oslo_messaging_metrics.metrics_enabled)

    def test_an_operator_overrides_our_defaults(self) -> None:
        options.register_options(self.conf)
        self.conf.set_override("control_exchange", "mine")

        self.assertEqual("mine", self.conf.control_exchange)

    def test_answers_are_dropped_for_seconds_where_the_queue_was_missing(
        self,
    ) -> None:
        options.register_options(self.conf)
        queues = amqpdriver.ObsoleteReplyQueuesCache()
        now = 0.0
        queues._cache = type(queues._cache)(
            queues.SIZE, queues._cache.ttl, timer=lambda: now
        )

        queues.add("reply_1", "message")
        self.assertFalse(queues.reply_q_valid("reply_1", "message"))
        now = 6.0
        self.assertTrue(queues.reply_q_valid("reply_1", "message"))

    def test_what_the_library_reads_is_known(self) -> None:
        options.register_options(self.conf)

        self.assertFalse(self.conf.oslo_messaging_metrics.metrics_enabled)
        self.assertFalse(self.conf.oslo_messaging_tracing.tracing_enabled)
        self.assertFalse(self.conf.rpc_ping_enabled)
        self.assertEqual(
            5, self.conf.oslo_messaging_rabbit.rabbit_interval_max
        )
