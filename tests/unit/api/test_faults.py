import importlib
import pkgutil
from xml.etree import ElementTree

import orch
from orch import errors
from orch import project_slots
from orch.api import faults
from orch.rpc import faults as rpc_faults
from orch.template import errors as template_errors
from tests.unit.api import fakes

# Errors that end an operation or a thread of a worker; no caller waits for
# their answer. Whatever an act on the world raises is such an error too.
_INSIDE = {
    # With these a process does not start.
    "orch.api.bad_grant",
    "orch.cfn.no_signatures",
    "orch.clients.misconfigured",
    "orch.credentials.bad_key",
    "orch.encryption.bad_key",
    "orch.encryption.unreadable",
    "orch.engine.environment_broken",
    "orch.internal",
    "orch.lease.lost",
    "orch.lease.not_held",
    "orch.lifecycle.cannot_load",
    "orch.lifecycle.cycle",
    "orch.plugin.bad",
    "orch.search.stale_base",
    "orch.search.unreadable",
    "orch.signature.misconfigured",
}


class TableTest(fakes.ApiTestCase):
    def test_kinds_decide_where_the_table_has_no_code(self) -> None:
        class Odd(errors.NotSupported):
            code = "test.odd"

        self.addCleanup(errors.OrchError.by_code.pop, "test.odd")

        fault = faults.fault_of(Odd("x"))

        self.assertEqual(faults.Fault(400, "NotSupported"), fault)

    def test_what_is_wrong_in_a_template_fails_validation(self) -> None:
        for error in (
            template_errors.FunctionFailed("x"),
            template_errors.AttributeInvalid("x"),
            template_errors.TemplateInvalid("x"),
        ):
            self.assertEqual(faults.VALIDATION, faults.fault_of(error))

    def test_a_limit_of_the_language_is_a_limit(self) -> None:
        fault = faults.fault_of(template_errors.TooLarge("x"))

        self.assertEqual(faults.Fault(400, "RequestLimitExceeded"), fault)

    def test_a_foreign_template_code_without_class_fails_validation(
        self,
    ) -> None:
        error = errors.OrchError("x")
        vars(error)["code"] = "orch.template.new"

        self.assertEqual(faults.VALIDATION, faults.fault_of(error))

    def test_each_code_of_the_product_is_the_callers_or_known_as_ours(
        self,
    ) -> None:
        for module in pkgutil.walk_packages(orch.__path__, "orch."):
            if "migrations" not in module.name:
                importlib.import_module(module.name)
        ours = {
            code
            for code, kind in errors.OrchError.by_code.items()
            if kind.__module__.startswith("orch.")
            and not issubclass(kind, errors.Permanent | errors.Transient)
            and faults.fault_of(kind.__new__(kind)).status == 500
        }

        self.assertEqual(set(), ours - _INSIDE)


_OF_HEAT = ("code", "explanation", "error", "problems", "error_code")


class BodyTest(fakes.ApiTestCase):
    def test_all_problems_come_with_their_place(self) -> None:
        problem = errors.Problem(
            "no such type",
            path="resources.x.type",
            advice="Did you mean y?",
            line=3,
            column=5,
        )
        self.bus.answers["stack.list"] = template_errors.TemplateInvalid(
            "no such type", [problem]
        )

        answer = self.get("/v1/demo/stacks", 400)

        self.assert_error(answer, "StackValidationFailed", "no such type")
        self.assertEqual(
            [
                {
                    "message": "no such type",
                    "path": "resources.x.type",
                    "advice": "Did you mean y?",
                    "file": "",
                    "line": 3,
                    "column": 5,
                }
            ],
            answer.json["problems"],
        )

    def test_a_crash_tells_the_caller_an_id_and_nothing_else(self) -> None:
        for crash in (KeyError("secret"), errors.OrchError("secret")):
            self.bus.answers["stack.list"] = crash

            answer = self.get("/v1/demo/stacks", 500)

            request_id = answer.headers["X-Openstack-Request-Id"]
            self.assert_error(answer, "HTTPInternalServerError", request_id)
            self.assertNotIn("secret", answer.text)

    def test_who_sends_xml_gets_the_error_as_xml(self) -> None:
        self.bus.answers["stack.list"] = errors.NotFound("no <such> thing")

        answer = self.get(
            "/v1/demo/stacks", 404, headers={"Content-Type": "application/xml"}
        )

        fault = ElementTree.fromstring(answer.text)
        self.assertEqual("404", fault.findtext("code"))
        self.assertEqual("no <such> thing", fault.findtext("error/message"))
        self.assertEqual("application/xml", answer.headers["Content-Type"])

    def test_taken_slots_say_when_to_retry(self) -> None:
        taken = project_slots.SlotsTaken("All are taken.")
        self.bus.answers["stack.list"] = rpc_faults.from_wire(
            rpc_faults.to_wire(taken)
        )

        answer = self.get("/v1/demo/stacks", 503)

        self.assertEqual("5", answer.headers["Retry-After"])
        self.assertEqual("orch.slots_taken", answer.json["error_code"])

    def test_members_of_problem_details_stand_beside_those_of_heat(
        self,
    ) -> None:
        self.bus.answers["stack.list"] = template_errors.TemplateInvalid(
            "two wrongs",
            [
                errors.Problem("one", file="a.yaml", line=3),
                errors.Problem("two", path="resources.x", advice="Do y."),
            ],
        )

        answer = self.get("/v1/demo/stacks", 400)

        code = template_errors.TemplateInvalid.code
        request_id = answer.headers["X-Openstack-Request-Id"]
        self.assertEqual("application/json", answer.headers["Content-Type"])
        self.assertEqual(400, answer.json["code"])
        self.assertEqual(code, answer.json["error_code"])
        self.assertEqual(
            {
                "type": f"urn:orch:error:{code}",
                "title": "Bad Request",
                "status": 400,
                "detail": "two wrongs",
                "instance": f"urn:orch:request:{request_id}",
                "request_id": request_id,
                "where": {"file": "a.yaml", "line": 3},
                "hint": "Do y.",
            },
            {
                name: value
                for name, value in answer.json.items()
                if name not in _OF_HEAT
            },
        )

    def test_who_accepts_problems_gets_one_with_our_code(self) -> None:
        self.bus.answers["stack.list"] = errors.NotFound("no such thing")

        answer = self.get(
            "/v1/demo/stacks",
            404,
            headers={"Accept": "application/problem+json, */*;q=0.1"},
        )

        self.assertEqual(
            "application/problem+json", answer.headers["Content-Type"]
        )
        self.assertEqual("orch.not_found", answer.json["code"])
        self.assertEqual(404, answer.json["status"])
        self.assertEqual("no such thing", answer.json["detail"])
        self.assertEqual("EntityNotFound", answer.json["error"]["type"])
