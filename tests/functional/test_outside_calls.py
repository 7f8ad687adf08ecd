"""Services that users name do not answer; others are served meanwhile."""

import collections.abc
import concurrent.futures
import functools
import typing

import requests

from tests.functional.cfn import querying
from tests.support import held
from tests.support import ports
from tests.support import rest
from tests.support import serving
from tests.support import systems

Json = dict[str, typing.Any]
Futures = list["concurrent.futures.Future[object]"]

_TEMPLATE: typing.Final = "heat_template_version: 2021-04-16"
_NAME: typing.Final = "s"


def stack_of(urls: collections.abc.Iterable[str]) -> Json:
    """Return a template with a child stack for each address."""
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Resources": {
            f"r{number}": {
                "Type": "AWS::CloudFormation::Stack",
                "Properties": {"TemplateURL": url},
            }
            for number, url in enumerate(urls)
        },
    }


def http_resource(url: str, **properties: object) -> Json:
    """Return a resource that its service makes at once."""
    return {
        "type": "Orch::HTTP::Resource",
        "properties": {
            "url": url,
            "create": {"path": "/things", "body": {}},
            "read": {},
            **properties,
        },
    }


def template_of(**resources: Json) -> Json:
    return {"heat_template_version": "2021-04-16", "resources": resources}


class OutsideCase(serving.ServerTestCase):
    """Project a asks a service that is held; b asks what is its own."""

    defaults = serving.options()

    def setUp(self) -> None:
        super().setUp()
        self.service = self.useFixture(held.Held(_TEMPLATE))
        self.others = self.project("b")
        pool = concurrent.futures.ThreadPoolExecutor(8)
        self.addCleanup(pool.shutdown)
        self.addCleanup(self.service.release)
        self._pool = pool

    def project(self, name: str) -> rest.Client:
        """Return a client of a project, which waits for longer than RPC."""
        endpoint = self.client.endpoint.rpartition("/")[0]
        client = rest.Client(f"{endpoint}/{name}", timeout_s=90)
        self.addCleanup(client.close)
        return client

    def ask_each(
        self,
        asks: collections.abc.Iterable[collections.abc.Callable[[], object]],
    ) -> Futures:
        """Send requests at the same time."""
        return [self._pool.submit(each) for each in asks]

    def ask_in(
        self,
        project: str,
        method: str,
        path: str,
        body: Json | None = None,
    ) -> object:
        """Return the answer to a request, by a connection of its own."""
        return self.project(project).ask(method, path, body)

    def check_refused(self, sent: Futures, count: int) -> Futures:
        """Check that so many were refused at once, and return the others."""
        left = list(sent)
        for _ in range(count):
            done, _ = concurrent.futures.wait(
                left, 60, concurrent.futures.FIRST_COMPLETED
            )
            each = next(iter(done))
            left.remove(each)
            error = each.exception()
            self.assertIsInstance(error, rest.RefusedError)
            told = typing.cast(Json, error.body)  # type: ignore[union-attr]
            self.assertEqual(
                (503, "orch.slots_taken"),
                (error.status, told["error_code"]),  # type: ignore[union-attr]
            )
        return left


class RpcTests(OutsideCase):
    """Requests that a worker answers, on three threads."""

    defaults = serving.options(rpc_threads=3)

    def test_slow_templates_leave_threads_to_others(self) -> None:
        """Three previews of a project wait for templates; one may."""
        preview = {
            "stack_name": _NAME,
            "template": stack_of(f"{self.service.url}/{n}" for n in range(40)),
        }
        self.service.hold()

        sent = self.ask_each(
            [lambda: self.ask_in("a", "POST", "/stacks/preview", preview)] * 3
        )
        self.service.wait_for(1)
        left = self.check_refused(sent, 2)

        self.assertEqual([], self.others.get("/stacks", "stacks"))
        self.assertEqual(1, self.service.requests.total())
        self.service.release()
        answer = typing.cast(Json, left[0].result(60))
        self.assertEqual(40, len(answer["stack"]["resources"]))

    def test_slow_attributes_leave_threads_to_others(self) -> None:
        """Three requests of a project wait for attributes; one may."""
        self.service.text = "{}"
        client = self.project("a")
        stack = client.create(
            _NAME,
            template_of(r=http_resource(self.service.url)),
        )
        client.wait(stack, "CREATE_COMPLETE")
        self.service.hold()
        paths = (
            f"{stack.path}/resources/r",
            f"{stack.path}/resources?with_detail=true",
            f"{stack.path}/resources/r?with_attr=body",
        )

        sent = self.ask_each(
            functools.partial(self.ask_in, "a", "GET", path) for path in paths
        )
        self.service.wait_for(1)
        left = self.check_refused(sent, 2)

        self.assertEqual([], self.others.get("/stacks", "stacks"))
        self.service.release()
        left[0].result(60)
        client.delete(stack)
        client.wait(stack, "DELETE_COMPLETE")


class ApiTests(OutsideCase):
    """Templates that the API fetches, which has four threads."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.cfn_port = ports.find_free()
        cls.arguments = ("--cfn-port", str(cls.cfn_port))
        super().setUpClass()

    def test_slow_templates_leave_threads_to_others(self) -> None:
        """Two requests of a project wait; health and lists are answered."""
        wanted = {"template_url": self.service.url}
        doors = (
            ("/validate", wanted),
            ("/stacks/preview", {"stack_name": _NAME, **wanted}),
        )
        self.service.hold()

        sent = self.ask_each(
            functools.partial(self.ask_in, "a", "POST", *door)
            for door in doors * 3
        )
        self.service.wait_for(2)
        left = self.check_refused(sent, 4)

        self.assertEqual([], self.others.get("/stacks", "stacks"))
        root = self.client.endpoint.rpartition("/v1/")[0]
        health = requests.get(f"{root}/healthcheck", timeout=30)
        self.assertEqual(200, health.status_code)
        # Another project has a turn of its own.
        (other,) = self.ask_each(
            [lambda: self.ask_in("c", "POST", "/validate", wanted)]
        )
        self.service.wait_for(3)
        self.service.release()
        for each in (*left, other):
            each.result(60)

    def test_the_other_api_has_the_same_limit(self) -> None:
        """Two requests with TemplateURL wait, further ones are refused."""

        def validate() -> requests.Response:
            return querying.send(
                querying.signed(
                    self.cfn_port,
                    querying.Key(),
                    Action="ValidateTemplate",
                    TemplateURL=self.service.url,
                )
            )

        self.service.hold()
        sent = self.ask_each([validate] * 2)
        self.service.wait_for(2)

        refused = validate()

        self.assertEqual(
            (503, "ServiceUnavailable"), querying.read_error(refused)
        )
        self.service.release()
        for each in sent:
            answer = typing.cast(requests.Response, each.result(60))
            self.assertEqual(200, answer.status_code, answer.text)


class BudgetTests(OutsideCase):
    """One request has one time limit for all templates."""

    options: typing.ClassVar[systems.Options] = {
        "api": {"template_url_timeout": 1}
    }

    def preview(self, urls: collections.abc.Iterable[str]) -> None:
        self.others.ask(
            "POST",
            "/stacks/preview",
            {"stack_name": _NAME, "template": stack_of(urls)},
        )

    def test_a_slow_host_is_asked_once(self) -> None:
        """Of 40 addresses of a host one costs the time limit."""
        self.service.hold()

        self.preview(f"{self.service.url}/{n}" for n in range(40))

        self.assertEqual(1, self.service.requests.total())

    def test_slow_hosts_have_one_time_limit(self) -> None:
        """Of 40 hosts the first costs the time limit of all."""
        self.service.hold()

        self.preview(
            f"http://127.0.0.{n}:{self.service.port}/x" for n in range(1, 41)
        )

        self.assertEqual(1, self.service.requests.total())

    def test_what_has_failed_is_asked_once(self) -> None:
        """An address without a template is fetched once by a preview."""
        self.preview([f"{self.service.url}/missing"] * 3)

        self.assertEqual({"/missing": 1}, dict(self.service.requests))


class OperationTests(OutsideCase):
    """Operations call slow addresses, on eight threads."""

    defaults = serving.options(call_threads=8)

    def test_slow_templates_leave_threads_to_others(self) -> None:
        """Of 12 templates of a stack two are fetched at the same time."""
        client = self.project("a")
        quick = self.useFixture(held.Held())
        self.service.hold()
        stack = client.create(
            _NAME, stack_of(f"{self.service.url}/{n}" for n in range(12))
        )
        self.service.wait_for(2)

        other = self.others.create(
            _NAME, template_of(r=http_resource(quick.url))
        )
        self.others.wait(other, "CREATE_COMPLETE")

        self.assertEqual(2, self.service.requests.total())
        self.service.release()
        client.wait(stack, "CREATE_COMPLETE", timeout_s=60)
        self.assertEqual(12, len(self.service.requests))
        for owner, each in ((client, stack), (self.others, other)):
            owner.delete(each)
            owner.wait(each, "DELETE_COMPLETE")

    def test_slow_services_leave_threads_to_others(self) -> None:
        """Resources of a project take half of the threads for calls."""
        client = self.project("a")
        quick = self.useFixture(held.Held())
        self.service.hold()
        stack = client.create(
            _NAME,
            template_of(
                **{
                    f"r{number}": http_resource(
                        self.service.url,
                        create={"path": f"/{number}", "method": "GET"},
                    )
                    for number in range(12)
                }
            ),
        )
        self.service.wait_for(4)

        other = self.others.create(
            _NAME, template_of(r=http_resource(quick.url))
        )
        self.others.wait(other, "CREATE_COMPLETE")

        self.assertEqual(4, self.service.requests.total())
        self.service.text = '{"id": "1"}'
        self.service.release()
        client.wait(stack, "CREATE_COMPLETE", timeout_s=60)
        for owner, each in ((client, stack), (self.others, other)):
            owner.delete(each)
            owner.wait(each, "DELETE_COMPLETE")
