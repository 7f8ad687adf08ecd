import re

from oslo_config import cfg

from orch.conf import opts
from tests import base

_HEAT = {
    "max_template_size": 524288,
    "max_json_body_size": 1048576,
    "max_resources_per_stack": 1000,
    "max_stacks_per_tenant": 512,
    "max_nested_stack_depth": 5,
    "stack_action_timeout": 3600,
}


class OptionsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.conf = cfg.ConfigOpts()
        opts.register(self.conf)
        self.conf([], default_config_files=[])

    def test_limits_have_heats_names_and_defaults(self) -> None:
        self.assertEqual(_HEAT, {name: self.conf[name] for name in _HEAT})

    def test_minus_one_lifts_a_limit(self) -> None:
        for name in _HEAT:
            if name.startswith("max_"):
                self.conf.set_override(name, -1)
                self.assertEqual(-1, self.conf[name])

    def test_what_is_out_of_bounds_is_refused(self) -> None:
        for name, group, value in (
            ("max_template_size", None, -2),
            ("lease_ttl", "engine", 0),
            ("rpc_threads", "engine", 0),
            ("port", "api", 70000),
            ("auth", "api", "magic"),
        ):
            self.assertRaises(
                ValueError, self.conf.set_override, name, value, group
            )

    def test_every_listed_option_is_registered(self) -> None:
        for group, options in opts.list_opts():
            section = self.conf if group == "DEFAULT" else self.conf[group]
            for option in options:
                self.assertIn(option.dest, section, f"{group}.{option.name}")

    def test_every_help_text_tells_when_to_change_it(self) -> None:
        for group, options in opts.list_opts():
            for option in options:
                self.assertTrue(
                    re.search(
                        r"\b([Rr]aise|[Ll]ower|[Cc]hange|[Ss]et|[Ll]eave"
                        r"|[Ll]ist|Who decides)\b",
                        option.help or "",
                    ),
                    f"{group}.{option.name}",
                )

    def test_every_number_has_bounds(self) -> None:
        for group, options in opts.list_opts():
            for option in options:
                if isinstance(option, cfg.IntOpt | cfg.FloatOpt):
                    self.assertIsNotNone(
                        option.type.min, f"{group}.{option.name}"
                    )

    def test_two_processes_options_are_apart(self) -> None:
        other = cfg.ConfigOpts()
        opts.register(other)
        other([], default_config_files=[])
        for group, name, value in (
            (None, "max_template_size", 1),
            ("api", "threads", 1),
            ("engine", "event_loops", 1),
            ("notifications", "topics", ["mine"]),
            ("yaql", "memory_quota", 1),
            ("local", "enabled", True),
            ("http_resource", "connect_timeout", 1.0),
        ):
            self.conf.set_override(name, value, group)
            section = other[group] if group else other
            self.assertNotEqual(value, section[name], f"{group}.{name}")
