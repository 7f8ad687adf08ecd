"""What calls may do with what other projects have."""

import types
import typing

from oslo_config import cfg

from orch import clock
from orch.context import request
from orch.engine import endpoints
from orch.policies import enforcer
from orch.policies import stacks
from orch.rpc.contract import methods
from tests import base

MISSING = request.OtherProjects.MISSING
REFUSED = request.OtherProjects.REFUSED
ALLOWED = request.OtherProjects.ALLOWED


@methods.namespace("noun")
class _Nouns(typing.Protocol):
    @methods.reads()
    def show(self, ctxt: request.RequestContext) -> object: ...

    @methods.changes()
    def create(self, ctxt: request.RequestContext) -> object: ...

    def invent(self, ctxt: request.RequestContext) -> object: ...


def _show_access(deps: object, ctxt: request.RequestContext) -> object:
    return ctxt.other_projects


def _serve(rules: enforcer.Enforcer) -> typing.Any:
    deps: typing.Any = types.SimpleNamespace(rules=rules)
    return endpoints.build_endpoint(
        deps, _Nouns, dict.fromkeys(("show", "create", "invent"), _show_access)
    )


class AccessTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.directory = self.make_directory()
        self.file = self.directory / "policy.yaml"

    def found(self, **caller: typing.Any) -> list[object]:
        """Return the access of a read, of a change, and without a mark."""
        conf_file = self.directory / "orch.conf"
        conf_file.write_text("[DEFAULT]\n")
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[str(conf_file)])
        rules = enforcer.Enforcer(conf, clock.SystemClock())
        served = _serve(rules)
        ctxt = request.RequestContext(project_id="p", **caller)
        ctxt.other_projects = ALLOWED
        return [served.show(ctxt), served.create(ctxt), served.invent(ctxt)]

    def test_admins_of_the_cloud_read(self) -> None:
        self.assertEqual(
            [ALLOWED, REFUSED, REFUSED], self.found(roles=["admin"])
        )

    def test_all_others_find_nothing(self) -> None:
        for caller in (
            {"roles": ["member"]},
            {"roles": ["admin"], "is_admin_project": False},
            {"is_admin": True},
            {},
        ):
            self.assertEqual([MISSING] * 3, self.found(**caller), caller)

    def test_rules_let_others_change_and_read(self) -> None:
        self.file.write_text(
            f'"{stacks.CHANGE_OTHERS}": "role:repair"\n'
            f'"{stacks.READ_OTHERS}": "role:look"\n'
        )

        self.assertEqual(
            [ALLOWED, REFUSED, REFUSED], self.found(roles=["look"])
        )
        self.assertEqual(
            [MISSING, ALLOWED, ALLOWED], self.found(roles=["repair"])
        )
        self.assertEqual([MISSING] * 3, self.found(roles=["admin"]))
