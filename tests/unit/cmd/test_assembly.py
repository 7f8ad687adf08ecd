from unittest import mock

from oslo_config import cfg

from orch import errors
from orch.cmd import assembly
from orch.cmd import process
from orch.conf import opts
from tests import base


class SettingsTest(base.TestCase):
    def test_the_api_gets_what_the_operator_chose(self) -> None:
        conf = cfg.ConfigOpts()
        opts.register(conf)
        conf([], default_config_files=[])
        for name, group, value in (
            ("max_json_body_size", None, 1),
            ("max_template_size", None, 2),
            ("page_limit", "api", 3),
            ("public_url", "api", "https://cloud"),
            ("template_url_timeout", "api", 4.0),
        ):
            conf.set_override(name, value, group)

        chosen = assembly.build_settings(conf)

        self.assertEqual(
            (1, 2, 3, "https://cloud", 4.0, "none"),
            (
                chosen.max_json_body_size,
                chosen.max_template_size,
                chosen.page_limit,
                chosen.public_url,
                chosen.template_url_timeout_s,
                chosen.auth,
            ),
        )
        self.assertIs(conf, chosen.policy)

    def test_who_is_asked_for_no_login_is_the_user_of_the_server(self) -> None:
        for auth, users, is_alone in (
            ("none", "same", True),
            ("none", "any", False),
            ("basic", "same", False),
            ("keystone", "same", False),
        ):
            conf = cfg.ConfigOpts()
            opts.register(conf)
            conf([], default_config_files=[])
            conf.set_override("auth", auth, "api")
            conf.set_override("local_users", users, "api")

            chosen = assembly.build_settings(conf)

            self.assertEqual(is_alone, chosen.serves_own_user_alone)

    def test_keys_that_can_be_guessed_are_refused(self) -> None:
        conf = cfg.ConfigOpts()
        opts.register(conf)
        conf([], default_config_files=[])
        good = "k" * 32
        conf.set_override("seal_keys", [good, "o" * 40], "signals")
        self.assertEqual(
            (good, "o" * 40), assembly.build_settings(conf).signal_keys
        )

        conf.set_override("seal_keys", [good, "short"], "signals")
        error = self.assertRaises(
            process.Failure, assembly.build_settings, conf
        )
        self.assertIn("[signals] seal_keys", str(error))

    def test_only_a_loopback_address_without_users_is_local(self) -> None:
        conf = cfg.ConfigOpts()
        opts.register(conf)
        conf([], default_config_files=[])

        for host, is_local in (
            ("127.0.0.1", True),
            ("::1", True),
            ("::ffff:127.0.0.1", True),
            ("localhost", True),
            ("localhost.example", False),
            ("0.0.0.0", False),
            ("192.0.2.1", False),
        ):
            conf.set_override("host", host, "api")
            self.assertIs(
                is_local, assembly.build_settings(conf).is_local, host
            )


class ActiveSettingsTest(base.TestCase):
    def ask(self, *found: dict[str, object] | Exception) -> bool:
        workers = mock.Mock()
        workers.list.side_effect = [
            each if isinstance(each, Exception) else list(found)
            for each in found[:1]
        ]
        return assembly.have_active_settings(workers)

    def test_a_live_worker_that_takes_no_operations_lacks_them(self) -> None:
        old: dict[str, object] = {"is_up": True}
        has = {"is_up": True, "idle_reason": None}
        lacks = {"is_up": True, "idle_reason": "it cannot load number 2"}

        self.assertTrue(self.ask(old, has, {**lacks, "is_up": False}))
        self.assertFalse(self.ask(old, has, lacks))

    def test_workers_that_give_no_answer_are_not_known_to(self) -> None:
        self.assertTrue(self.ask(errors.Unavailable("no worker is there")))
