import collections.abc
import os
import pathlib
from unittest import mock

from oslo_config import cfg
from oslo_policy import policy

from orch import clock
from orch import errors
from orch import policies
from orch.context import request
from orch.plugin import registry
from orch.policies import enforcer
from tests import base
from tests.unit.resources import contexts


class _Clock(clock.SystemClock):
    """A clock that stands still until it is moved."""

    seconds = 100.0

    def monotonic(self) -> float:
        return self.seconds


class EnforcerTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.directory = self.make_directory()
        self.file = self.directory / "policy.yaml"
        self.clock = _Clock()

    def build(
        self,
        auth: str = "none",
        find_like: collections.abc.Callable[[str], str] | None = None,
    ) -> enforcer.Enforcer:
        conf_file = self.directory / "orch.conf"
        conf_file.write_text(f"[api]\nauth = {auth}\n")
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[str(conf_file)])
        return enforcer.Enforcer(conf, self.clock, find_like)

    def is_allowed(
        self, rules: enforcer.Enforcer, rule: str, *roles: str
    ) -> bool:
        ctxt = request.RequestContext(project_id="p", roles=list(roles))
        try:
            rules.check(ctxt, rule)
        except errors.Forbidden:
            return False
        return True

    def test_a_role_includes_those_below_it(self) -> None:
        rules = self.build()
        expected = {
            "stacks:show": {"reader", "member", "admin"},
            "stacks:create": {"member", "admin"},
            "service:index": {"admin"},
            "stacks:global_index": set(),
            "stacks:lookup": {"reader", "member", "admin", "heat_stack_user"},
        }
        for rule, allowed in expected.items():
            found = {
                role
                for role in ("reader", "member", "admin", "heat_stack_user")
                if self.is_allowed(rules, rule, role)
            }
            self.assertEqual(allowed, found, rule)

    def test_on_the_system_a_role_counts_where_a_rule_says_so(self) -> None:
        rules = self.build()
        expected = {
            "service:index": {"reader", "member", "admin"},
            "stacks:index": {"reader", "member", "admin"},
            "stacks:global_index": set(),
            "software_configs:global_index": set(),
            "stacks:list_resource_types": {"reader", "member", "admin"},
            "stacks:generate_template": {"member", "admin"},
            "stacks:show": set(),
            "stacks:create": set(),
            "search:all_projects": set(),
        }
        for rule, allowed in expected.items():
            found = {
                role
                for role in ("reader", "member", "admin", "heat_stack_user")
                if rules.may(_overseer(role), rule)
            }
            self.assertEqual(allowed, found, rule)

    def test_no_rule_of_a_project_is_opened_to_the_system(self) -> None:
        """A policy file may say who, not what a token is for."""
        self.file.write_text('"stacks:show": "@"\n"service:index": "@"\n')
        rules = self.build()

        self.assertFalse(rules.may(_overseer(), "stacks:show"))
        self.assertTrue(rules.may(_overseer(), "service:index"))

    def test_that_holds_where_oslo_policy_looks_at_no_scope(self) -> None:
        """Older versions have an option for that."""
        self.file.write_text('"stacks:create": "role:admin"\n')
        rules = self.build()

        with mock.patch.object(
            policy.Enforcer, "_enforce_scope", return_value=True
        ):
            self.assertFalse(rules.may(_overseer("admin"), "stacks:create"))
            self.assertTrue(rules.may(_overseer("admin"), "service:index"))
            self.assertTrue(self.is_allowed(rules, "stacks:create", "admin"))

    def test_who_has_no_project_is_not_of_the_one_without_a_name(self) -> None:
        own = '"service:index": "project_id:%(project_id)s"\n'
        self.file.write_text(own)
        rules = self.build()

        self.assertFalse(rules.may(_overseer("admin"), "service:index"))
        self.assertTrue(self.is_allowed(rules, "service:index", "cook"))

    def test_who_has_no_project_is_told_what_to_do(self) -> None:
        rules = self.build()

        refused = self.assertRaises(
            errors.Forbidden, rules.check, _overseer("admin"), "stacks:show"
        )
        self.assertIn("log in to a project", refused.message)
        refused = self.assertRaises(
            errors.Forbidden, rules.check, _overseer("cook"), "service:index"
        )
        self.assertIn("roles on the whole system", refused.message)
        refused = self.assertRaises(
            errors.Forbidden,
            rules.check_project,
            request.RequestContext(domain_id="d1"),
        )
        self.assertIn("for the domain d1", refused.message)
        rules.check_project(request.RequestContext(project_id="p"))

    def test_types_of_administrators_are_shown_to_those_of_the_system(
        self,
    ) -> None:
        rules = self.build()

        self.assertTrue(
            rules.allows_type(_overseer("admin"), "OS::Nova::Flavor")
        )
        self.assertFalse(
            rules.allows_type(_overseer("reader"), "OS::Nova::Flavor")
        )
        self.assertTrue(
            rules.allows_type(_overseer("reader"), "OS::Heat::Value")
        )

    def test_the_error_names_the_rule(self) -> None:
        rules = self.build()
        ctxt = request.RequestContext(project_id="p", roles=["cook"])

        self.assertRaisesRegex(
            errors.Forbidden,
            "stacks:create",
            rules.check,
            ctxt,
            "stacks:create",
        )

    def test_types_have_rules_of_the_file_as_well(self) -> None:
        self.file.write_text(
            '"resource_types:Our::Thing": "role:cook"\n'
            '"resource_types:Our::Tools::*": "!"\n'
            '"resource_types:OS::Nova::Flavor": "@"\n'
        )
        rules = self.build()
        ctxt = request.RequestContext(project_id="p", roles=["member"])
        cook = request.RequestContext(project_id="p", roles=["cook"])

        names = (
            "Our::Thing",
            "Our::Other",
            "Our::Tools::Saw",
            "OS::Nova::Flavor",
            "OS::Keystone::User",
        )
        self.assertEqual(
            ["Our::Other", "OS::Nova::Flavor"],
            [each for each in names if rules.allows_type(ctxt, each)],
        )
        self.assertTrue(rules.allows_type(cook, "Our::Thing"))

    def test_rules_of_a_type_are_those_of_its_older_names(self) -> None:
        self.file.write_text('"resource_types:OS::Octavia::*": "!"\n')
        types = registry.ResourceTypes(contexts.options())
        rules = self.build(find_like=types.find_like)
        ctxt = request.RequestContext(project_id="p", roles=["member"])

        for name in ("OS::Neutron::LBaaS::Pool", "OS::Octavia::Pool"):
            refused = self.assertRaises(
                errors.Forbidden, rules.check_type, ctxt, name
            )
            self.assertIn(f"the type {name}", refused.message)
            self.assertIn("resource_types:OS::Octavia::*", refused.message)
        self.assertTrue(rules.allows_type(ctxt, "OS::Neutron::Pool"))

    def test_the_refusal_of_a_type_names_the_type_and_its_rule(self) -> None:
        self.file.write_text('"resource_types:Our::Tools::*": "!"\n')
        rules = self.build()
        ctxt = request.RequestContext(project_id="p", roles=["member"])

        rules.check_type(ctxt, "Our::Thing")
        refused = self.assertRaises(
            errors.Forbidden, rules.check_type, ctxt, "Our::Tools::Saw"
        )

        self.assertIn("None of your roles", refused.message)
        self.assertIn("the type Our::Tools::Saw", refused.message)
        self.assertIn("resource_types:Our::Tools::*", refused.message)

    def test_local_types_are_for_admins_of_the_cloud_where_users_log_in(
        self,
    ) -> None:
        """An admin of one project would run commands for all of them."""
        everybody = {("member", True), ("admin", True), ("admin", False)}
        for auth, allowed in (
            ("none", everybody),
            ("basic", {("admin", True)}),
            ("keystone", {("admin", True)}),
        ):
            rules = self.build(auth)
            found = {
                (role, is_everywhere)
                for role, is_everywhere in everybody
                if rules.allows_type(
                    request.RequestContext(
                        project_id="p",
                        roles=[role],
                        is_admin_project=is_everywhere,
                    ),
                    "Orch::Local::Process",
                )
            }
            self.assertEqual(allowed, found, auth)

    def test_the_sample_has_the_rule_of_local_types(self) -> None:
        found = {each.name: each.check_str for each in policies.list_rules()}

        self.assertEqual(
            "rule:context_is_admin", found["resource_types:Orch::Local::*"]
        )

    def test_a_policy_file_changes_a_rule(self) -> None:
        self.file.write_text('"stacks:create": "role:reader"\n')

        rules = self.build()

        self.assertTrue(self.is_allowed(rules, "stacks:create", "reader"))
        self.assertFalse(self.is_allowed(rules, "stacks:create", "member"))

    def test_a_changed_file_counts_once_answers_have_aged(self) -> None:
        self.file.write_text('"stacks:create": "role:reader"\n')
        rules = self.build()
        self.assertTrue(self.is_allowed(rules, "stacks:create", "reader"))

        _rewrite(self.file, '"stacks:create": "role:cook"\n')
        self.assertTrue(self.is_allowed(rules, "stacks:create", "reader"))
        self.clock.seconds += enforcer.CACHE_TTL_S

        self.assertFalse(self.is_allowed(rules, "stacks:create", "reader"))

    def test_the_rules_of_a_type_are_looked_for_once_a_while(self) -> None:
        rule = "resource_types:OS::Heat::None"
        self.file.write_text(f'"{rule}": "role:cook"\n')
        asked: list[str] = []

        def find_like(type_name: str) -> str:
            asked.append(type_name)
            return ""

        rules = self.build(find_like=find_like)
        cook = request.RequestContext(project_id="p", roles=["cook"])
        boss = request.RequestContext(project_id="p", roles=["boss"])
        for _ in range(3):
            rules.check_type(cook, "OS::Heat::None")
            self.assertFalse(rules.allows_type(boss, "OS::Heat::None"))
        self.assertEqual(["OS::Heat::None"], asked)

        _rewrite(self.file, f'"{rule}": "role:boss"\n')
        self.clock.seconds += enforcer.CACHE_TTL_S

        self.assertFalse(rules.allows_type(cook, "OS::Heat::None"))
        self.assertTrue(rules.allows_type(boss, "OS::Heat::None"))

    def test_an_answer_is_kept_for_the_same_caller_only(self) -> None:
        rules = self.build()

        self.assertTrue(self.is_allowed(rules, "stacks:create", "member"))
        self.assertFalse(self.is_allowed(rules, "stacks:create", "reader"))
        self.assertFalse(self.is_allowed(rules, "service:index", "member"))

    def test_who_runs_the_cloud_is_known_for_as_long(self) -> None:
        self.file.write_text('"context_is_admin": "role:boss"\n')
        rules = self.build()
        boss = request.RequestContext(project_id="p", roles=["boss"])
        cook = request.RequestContext(project_id="p", roles=["cook"])
        self.assertTrue(rules.is_admin(boss))

        _rewrite(self.file, '"context_is_admin": "role:cook"\n')
        kept = rules.is_admin(boss)
        self.clock.seconds += enforcer.CACHE_TTL_S

        self.assertTrue(kept)
        self.assertFalse(rules.is_admin(boss))
        self.assertTrue(rules.is_admin(cook))


def _overseer(*roles: str) -> request.RequestContext:
    """Return who has logged in to the whole system."""
    return request.RequestContext(system_scope="all", roles=list(roles))


def _rewrite(path: pathlib.Path, text: str) -> None:
    """Write a file so that its time of change differs for sure."""

    before = path.stat().st_mtime
    path.write_text(text)
    os.utime(path, (before + 10, before + 10))
