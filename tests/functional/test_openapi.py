"""The API keeps to its OpenAPI document, whatever it is sent."""

import collections.abc
import warnings

import hypothesis
import requests
import schemathesis
from hypothesis import errors
from schemathesis import checks
from schemathesis.specs.openapi import checks as openapi_checks

from tests.support import conforming
from tests.support import rest
from tests.support import serving

_TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "first": {"type": "OS::Heat::RandomString"},
        "second": {
            "type": "OS::Heat::Value",
            "properties": {"value": {"get_resource": "first"}},
        },
    },
    "outputs": {"word": {"value": {"get_attr": ["second", "value"]}}},
}
_CHECKS = [
    checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_headers_conformance,
    openapi_checks.response_schema_conformance,
]
# How many requests of each kind an address gets.
_MODES = {
    schemathesis.GenerationMode.POSITIVE: 5,
    schemathesis.GenerationMode.NEGATIVE: 3,
}
# A stream that nobody ends would keep a connection open for minutes.
_STREAM, _END = "follow", {"until": "idle"}


class DocumentTest(serving.ServerTestCase):
    """What a generator makes of the document, and what is answered."""

    limit_s = 900

    def setUp(self) -> None:
        super().setUp()
        base = self.client.endpoint.rpartition("/v1/")[0]
        self.schema = schemathesis.openapi.from_url(f"{base}/openapi.json")
        self.base = base
        self.known = conforming.fetch(self.client.endpoint)
        self.session = requests.Session()
        self.addCleanup(self.session.close)
        self.numbers = iter(range(1000))
        self.stack: rest.Stack | None = None

    def test_no_request_gets_what_is_not_described(self) -> None:
        found = [each.ok() for each in self.schema.get_all_operations()]
        self.assertGreater(len(found), 70)
        failures = [
            f"{operation.label}: {failure}"
            for operation in found
            for mode in _modes(operation)
            for failure in self.failures(operation, mode)
        ]
        self.assertEqual([], failures, "\n\n".join(failures))

    def failures(
        self,
        operation: schemathesis.APIOperation,
        mode: schemathesis.GenerationMode,
    ) -> list[BaseException]:
        """Return what is wrong with the answers to requests of the mode."""
        try:
            self.send(operation, mode)
        except errors.Unsatisfiable:
            # Any body is right where one may be anything.
            self.assertEqual(schemathesis.GenerationMode.NEGATIVE, mode)
        except BaseExceptionGroup as group:
            return list(group.exceptions)
        except AssertionError as failure:
            return [failure]
        return []

    def send(
        self,
        operation: schemathesis.APIOperation,
        mode: schemathesis.GenerationMode,
    ) -> None:
        """Send requests of the mode, most of them about a stack that is."""
        known = {
            name: value
            for name, value in self.parts().items()
            if f"{{{name}}}" in operation.path
        }

        @hypothesis.settings(
            max_examples=_MODES[mode],
            derandomize=True,
            phases=(hypothesis.Phase.generate,),
            deadline=None,
            database=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(
            operation.as_strategy(mode, path_parameters=known or None)
        )
        def ask(case: schemathesis.Case) -> None:
            case.query = _bounded(case.query)
            answer = case.call_and_validate(
                base_url=self.base,
                session=self.session,
                timeout=60,
                checks=_CHECKS,
            )
            self.known.check(
                operation.method.upper(),
                operation.path,
                answer.status_code,
                answer.headers.get("content-type", [""])[0],
                _content(answer),
            )

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ask()

    def parts(self) -> dict[str, str]:
        """Return parts of addresses of what is there."""
        if self.stack is None or not self.is_alive(self.stack):
            name = f"known{next(self.numbers)}"
            self.stack = self.client.create(name, _TEMPLATE)
            self.client.wait(self.stack, "CREATE_COMPLETE")
        project = self.client.endpoint.rpartition("/")[2]
        return {
            "project": project,
            "arn": f"arn:openstack:heat::{project}:{self.stack.path[1:]}"
            "/resources/first",
            "name": self.stack.name,
            "stack_id": self.stack.id,
            "resource": "first",
            "key": "word",
            "type_name": "OS::Heat::Value",
            "version": "heat_template_version.2021-04-16",
        }

    def is_alive(self, stack: rest.Stack) -> bool:
        """Answer whether requests about the stack find one."""
        try:
            shown = self.client.show(stack)
        except rest.RefusedError:
            return False
        return not str(shown["stack_status"]).startswith("DELETE")


def _modes(
    operation: schemathesis.APIOperation,
) -> list[schemathesis.GenerationMode]:
    """Return the kinds of requests to send.

    Nothing can be wrong in a request that says nothing but its address.
    """
    says_more = bool(operation.body or operation.query)
    return [
        mode
        for mode in _MODES
        if says_more or mode is schemathesis.GenerationMode.POSITIVE
    ]


def _bounded(
    query: collections.abc.Mapping[str, object] | None,
) -> dict[str, object]:
    """Return the query; a stream that it asks for comes to an end."""
    asked = dict(query or {})
    return {**_END, **asked} if _STREAM in asked else asked


def _content(answer: schemathesis.Response) -> object:
    """Return the body, parsed where it is JSON; ``None`` for none."""
    kind = answer.headers.get("content-type", [""])[0]
    if not answer.content:
        return None
    return conforming.parse_body(kind, answer.content)
