"""Requests with an ``Idempotency-Key``: each is carried out once."""

import concurrent.futures
import uuid

import requests
import sqlalchemy as sa

from orch.db.models import stacks
from tests import base
from tests.functional import acting
from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import waiting
from tests.support import world_templates

_MANY = 40
# What a client sees of a process that dies, before and in its answer.
CUT_OFF = (
    requests.ConnectionError,
    requests.exceptions.ChunkedEncodingError,
)

_TEMPLATE: world_templates.Json = {
    "heat_template_version": "2021-04-16",
    "resources": {"a": {"type": "OS::Heat::RandomString"}},
}


def send(
    client: rest.Client,
    path: str,
    body: world_templates.Json | None,
    key: str,
    method: str = "POST",
) -> requests.Response:
    return requests.request(
        method,
        client.endpoint + path,
        json=body,
        headers={"Idempotency-Key": key},
        timeout=60,
    )


class IdempotencyTests(acting.ActionsTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.key = uuid.uuid4().hex

    def send(
        self,
        path: str,
        body: world_templates.Json | None,
        method: str = "POST",
    ) -> requests.Response:
        return send(self.client, path, body, self.key, method)

    def check_once(
        self, stack: rest.Stack, path: str, body: world_templates.Json | None
    ) -> requests.Response:
        """Return the first answer, which a second request gets too."""
        before = len(self.operations(stack))
        first, second = (self.send(stack.path + path, body) for _ in range(2))
        self.assertLess(first.status_code, 300, first.text)
        self.assertEqual(first.status_code, second.status_code)
        self.assertEqual(first.content, second.content)
        self.assertEqual(before + 1, len(self.operations(stack)))
        return first

    def test_a_create_that_comes_again_makes_no_other_stack(self) -> None:
        body = {"stack_name": self.name, "template": world_templates.chain()}

        answers = [self.send("/stacks", body) for _ in range(3)]

        self.assertEqual({201}, {each.status_code for each in answers})
        self.assertEqual(1, len({each.content for each in answers}))

    def test_the_order_of_the_keys_of_a_body_does_not_count(self) -> None:
        body = {"stack_name": self.name, "template": world_templates.chain()}

        first = self.send("/stacks", body)
        second = self.send("/stacks", dict(reversed(body.items())))

        self.assertEqual(first.content, second.content)
        self.assertEqual(201, second.status_code)

    def test_another_body_with_the_key_is_refused(self) -> None:
        body = {"stack_name": self.name, "template": world_templates.chain()}
        self.send("/stacks", body)

        answer = self.send("/stacks", {**body, "stack_name": "another"})

        self.assertEqual(422, answer.status_code)
        self.assertEqual(
            "orch.request.key_reused", answer.json()["error_code"]
        )
        names = {
            one["stack_name"] for one in self.client.get("/stacks", "stacks")
        }
        self.assertNotIn("another", names)

    def test_another_address_with_the_key_is_refused(self) -> None:
        stack = self.create()
        self.send(f"{stack.path}/actions", {"check": None})

        answer = self.send(f"{stack.path}/snapshots", {})

        self.assertEqual(422, answer.status_code)

    def test_of_requests_at_the_same_time_one_is_carried_out(self) -> None:
        body = {"stack_name": self.name, "template": world_templates.chain()}

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(
                pool.map(lambda _: self.send("/stacks", body), range(8))
            )

        self.assertEqual({201}, {each.status_code for each in answers})
        self.assertEqual(1, len({each.content for each in answers}))

    def test_without_the_key_the_second_create_is_refused(self) -> None:
        body = {"stack_name": self.name, "template": world_templates.chain()}
        self.send("/stacks", body)

        self.assertEqual(
            (409, "StackExists"),
            self.refused(self.client.ask, "POST", "/stacks", body),
        )

    def test_a_request_that_was_refused_may_be_sent_again(self) -> None:
        bad = {"stack_name": self.name, "template": {}}
        good = {"stack_name": self.name, "template": world_templates.chain()}

        self.assertEqual(400, self.send("/stacks", bad).status_code)
        self.assertEqual(201, self.send("/stacks", good).status_code)

    def test_a_key_of_another_project_is_another_key(self) -> None:
        other = rest.Client(self.client.endpoint.replace("/demo", "/other"))
        self.addCleanup(other.close)
        body = {"stack_name": self.name, "template": _TEMPLATE}

        mine = send(self.client, "/stacks", body, self.key)
        theirs = send(other, "/stacks", body, self.key)

        self.assertEqual(201, theirs.status_code)
        self.assertNotEqual(
            mine.json()["stack"]["id"], theirs.json()["stack"]["id"]
        )

    def test_actions(self) -> None:
        stack = self.create()

        self.check_once(stack, "/actions", {"suspend": None})
        self.client.wait(stack, "SUSPEND_COMPLETE")
        self.key += "2"
        self.check_once(stack, "/actions", {"resume": None})
        self.client.wait(stack, "RESUME_COMPLETE")

        # What the first key asked for is not done again.
        self.key = self.key.removesuffix("2")
        again = self.send(f"{stack.path}/actions", {"suspend": None})
        self.assertEqual(200, again.status_code)
        self.assertEqual(
            "RESUME_COMPLETE", self.client.show(stack)["stack_status"]
        )

    def test_an_action_that_had_nothing_to_do_does_nothing_later(self) -> None:
        stack = self.create()
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")
        path, body = f"{stack.path}/actions", {"suspend": None}
        self.assertEqual(200, self.send(path, body).status_code)
        self.act(stack, "resume")
        self.client.wait(stack, "RESUME_COMPLETE")

        self.assertEqual(200, self.send(path, body).status_code)

        self.assertEqual(
            "RESUME_COMPLETE", self.client.show(stack)["stack_status"]
        )

    def test_retry(self) -> None:
        self.world.order(self.name, "create", "b", how="error", times=2)
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")
        path, body = f"{stack.path}/actions", {"retry": None}

        self.send(path, body)
        waiting.wait_for(
            lambda: (
                self.operation(stack)["attempt"] == 2
                and self.operation(stack)["state"] == "FAILED"
            ),
            "the second attempt",
        )
        again = self.send(path, body)

        self.assertEqual(200, again.status_code)
        self.assertEqual(2, self.operation(stack)["attempt"])

    def test_snapshots_and_restoring(self) -> None:
        stack = self.create()

        taken = self.check_once(stack, "/snapshots", {"name": "one"})
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        found = self.client.get(f"{stack.path}/snapshots", "snapshots")
        self.key += "2"
        path = f"/snapshots/{taken.json()['id']}/restore"
        self.check_once(stack, path, None)

        self.assertEqual(1, len(found))

    def test_plans(self) -> None:
        stack = self.create()
        body = {"action": "check"}

        first, second = (
            self.send(f"{stack.path}/plans", body) for _ in range(2)
        )
        self.assertLess(first.status_code, 300, first.text)
        self.assertEqual(first.content, second.content)
        self.assertEqual(
            1, len(self.client.get(f"{stack.path}/plans", "plans"))
        )
        plan = first.json()["plan"]["id"]
        self.key += "2"
        self.check_once(stack, f"/plans/{plan}/apply", None)

    def test_a_plan_of_nothing_may_be_asked_for_again(self) -> None:
        stack = self.create()
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")
        path, body = f"{stack.path}/plans", {"action": "suspend"}

        refused = self.send(path, body)
        self.act(stack, "resume")
        self.client.wait(stack, "RESUME_COMPLETE")
        made = self.send(path, body)

        self.assertEqual(409, refused.status_code)
        self.assertEqual(201, made.status_code, made.text)
        self.assertEqual("suspend", made.json()["plan"]["request"])

    def test_updates_and_deletions(self) -> None:
        stack = self.create()
        body = {"template": world_templates.chain("new")}

        answers = [self.send(stack.path, body, "PUT") for _ in range(2)]
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual([202, 202], [each.status_code for each in answers])
        self.assertEqual(2, len(self.operations(stack)))

    def test_a_software_config(self) -> None:
        body: world_templates.Json = {"name": self.name, "config": "x"}

        first, second = (
            self.send("/software_configs", body) for _ in range(2)
        )

        self.assertEqual(200, first.status_code, first.text)
        self.assertEqual(
            first.json()["software_config"]["id"],
            second.json()["software_config"]["id"],
        )

    def test_a_key_that_cannot_be_kept_is_refused(self) -> None:
        for key in ('""', "k" * 256):
            answer = send(self.client, "/stacks", {}, key)
            self.assertEqual(400, answer.status_code)
            self.assertEqual(
                "orch.request.bad_key", answer.json()["error_code"]
            )


class MoreTests(serving.ServerTestCase):
    """What stays of answers, and for how long."""

    options = {"engine": {"max_idempotency_keys_per_project": 3}}  # noqa: RUF012

    def send(self, name: str, key: str) -> requests.Response:
        body = {"stack_name": name, "template": _TEMPLATE}
        return send(self.client, "/stacks", body, key)

    def test_an_answer_outlives_the_server(self) -> None:
        first = self.send("lasting", "lasting")
        self.system.server.kill()
        self.system.server.start()
        self.system.server.wait_until(self.system.is_answering, timeout_s=30)

        self.assertEqual(first.json(), self.send("lasting", "lasting").json())

    def test_the_oldest_answers_go_first(self) -> None:
        for number in range(5):
            self.send(f"n{number}", f"n{number}")

        self.assertEqual(201, self.send("n4", "n4").status_code)
        self.assertEqual(409, self.send("n0", "n0").status_code)


class WorkersTests(base.TestCase):
    """Several workers on RabbitMQ and PostgreSQL."""

    limit_s = 180

    def test_of_requests_at_the_same_time_one_is_carried_out(self) -> None:
        system = self.useFixture(running.Distributed()).system

        def ask(number: int) -> requests.Response:
            name = f"s{number % 3}"
            body = {"stack_name": name, "template": _TEMPLATE}
            return send(system.client, "/stacks", body, name)

        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(ask, range(12)))

        self.assertEqual({201}, {each.status_code for each in answers})
        self.assertEqual(3, len({each.content for each in answers}))

    def test_nothing_is_done_twice_when_processes_are_killed(self) -> None:
        system = self.useFixture(
            running.Distributed({"api": {"rpc_timeout": 3}})
        ).system
        names = [f"s{number}" for number in range(_MANY)]

        def ask(name: str) -> str | None:
            body = {"stack_name": name, "template": _TEMPLATE}
            try:
                answer = send(system.client, "/stacks", body, name)
            except CUT_OFF:
                return None
            if answer.status_code == 503:
                return None
            self.assertEqual(201, answer.status_code, answer.text)
            return str(answer.json()["stack"]["id"])

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            first = [pool.submit(ask, name) for name in names]
            waiting.wait_for(lambda: first[4].done(), "the first answers")
            system.engines[0].kill()
            system.api.kill()
            before = [each.result() for each in first]
        system.api.start()
        system.api.wait_until(system.is_answering, timeout_s=30)
        after = [
            waiting.wait_for(lambda name=name: ask(name), name, 60)
            for name in names
        ]

        self.assertIn(None, before)
        self.assertEqual(
            after,
            [
                mine or theirs
                for mine, theirs in zip(before, after, strict=True)
            ],
        )
        found = system.client.get("/stacks", "stacks")
        self.assertEqual(sorted(names), sorted(e["stack_name"] for e in found))

    def test_old_answers_are_purged(self) -> None:
        fixture = self.useFixture(running.Distributed(workers=1))
        system = fixture.system
        body = {"stack_name": "s", "template": _TEMPLATE}
        send(system.client, "/stacks", body, "old")
        engine = sa.create_engine(fixture.database.url)
        self.addCleanup(engine.dispose)
        table = stacks.IDEMPOTENT_ANSWERS
        with engine.begin() as connection:
            aged = connection.execute(
                sa.update(table).values(created_at=table.c.created_at - 90_000)
            )

        system.manage("purge")

        with engine.begin() as connection:
            kept = connection.execute(sa.select(table.c.key)).all()
        self.assertEqual((1, []), (aged.rowcount, kept))
