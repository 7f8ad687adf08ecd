"""A push that was cut off is continued by the same command."""

import contextlib
import os
import re
import signal
import subprocess
import threading
import typing

import requests

from orchclient import client as clients
from orchclient import push
from tests.functional import holding
from tests.functional.orchclient import pushing
from tests.support import ports
from tests.support import processes
from tests.support import rest
from tests.support import severed
from tests.support import waiting

_POLLS = re.compile(r"GET .*/operations.*")


class ResumedTestCase(pushing.PushTestCase):
    """Both installations are reached through proxies that lose answers."""

    limit_s = 600

    def setUp(self) -> None:
        super().setUp()
        self.source, self.target = (
            self.useFixture(severed.Severed(each.endpoint))
            for each in (self.pair.here, self.pair.there)
        )

    def argv(self) -> list[str]:
        return [
            *self.login(self.source.endpoint),
            *self.words("--yes", target=self.target.endpoint),
        ]

    def requested(self) -> list[tuple[str, str, int]]:
        """Return all requests of a push: side, kind, number of that kind.

        Of those that wait for an operation only the first.
        """
        found: list[tuple[str, str, int]] = []
        for side, proxy in (("source", self.source), ("target", self.target)):
            numbers: dict[str, int] = {}
            for kind in proxy.kinds:
                kind = kind.replace(f"/{self.name}", "/NAME")
                number = numbers.get(kind, 0)
                numbers[kind] = number + 1
                if number == 0 or not _POLLS.fullmatch(kind):
                    found.append((side, kind, number))
        return found

    def lose(
        self,
        cut: tuple[str, str, int],
        act: severed.Act = lambda: None,
    ) -> severed.Severed:
        side, kind, number = cut
        proxy = self.source if side == "source" else self.target
        proxy.lose(
            re.escape(kind.replace("/NAME", f"/{self.name}")), number, act
        )
        return proxy

    def fill(self) -> tuple[rest.Stack, list[str], str]:
        """Return a stack, its physical resources, and its old address."""
        stack = self.created(pushing.handled())
        url = str(self.here.outputs(stack)["url"])
        return stack, self.existing_names(), url

    def check(self, stack: rest.Stack, existing: list[str]) -> None:
        """All that a push does was done, and once."""
        adopted = self.found()
        self.assertEqual([], self.listed(self.here))
        self.assertEqual(existing, self.existing_names())
        self.assertEqual(
            "ADOPT_COMPLETE", self.there.show(adopted)["stack_status"]
        )
        path = f"/stacks?name={self.name}&show_deleted=true"
        ever = typing.cast(list[pushing.Json], self.there.get(path, "stacks"))
        self.assertEqual([adopted.id], [each["id"] for each in ever])
        (address,) = self.old_addresses(stack)
        self.assertTrue(
            str(address["new_address"]).startswith(
                self.pair.there.endpoint.partition("/v1/")[0]
            ),
            address,
        )


class KilledTests(ResumedTestCase):
    """The client dies between the answer of a server and its next step."""

    def test_a_push_that_was_killed_anywhere_is_continued(self) -> None:
        stack, existing, _ = self.fill()
        self.assertEqual(0, self.run_words(self.argv()).code)
        self.check(stack, existing)
        requested = self.requested()
        kinds = [kind for _, kind, _ in requested]
        for must in ("POST /stacks", "POST /stacks/preview"):
            self.assertIn(must, kinds)
        self.assertEqual(
            # Prepare, commit, and prepare again for the adoption.
            3,
            kinds.count("POST /stacks/NAME//abandon"),
        )
        self.assertIn("POST /stacks/NAME//abandon/addresses", kinds)

        # Between two others the servers know nothing new of the push.
        cuts = [
            each
            for each in requested
            if each[1].startswith("POST") or each[1].endswith("operations/")
        ]
        self.assertEqual(9, len(cuts), cuts)
        for number, cut in enumerate(cuts):
            with self.subTest(cut=cut):
                self.name = f"{self.name.partition('-')[0]}-{number}"
                stack, existing, _ = self.fill()
                before = self.mark()

                code = self.run_killed(cut)
                ended = self.run_words(self.argv())

                self.assertEqual(-signal.SIGKILL, code)
                self.assertEqual(0, ended.code, ended)
                self.check(stack, existing)
                self.assertEqual([], self.writes(before))

    def run_killed(self, cut: tuple[str, str, int]) -> int:
        """Return the exit code of the command, killed at an answer."""
        started: list[subprocess.Popen[bytes]] = []
        self.lose(cut, lambda: os.kill(started[0].pid, signal.SIGKILL))
        started.append(
            subprocess.Popen(
                [processes.find("orch"), *self.argv()],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        return started[0].wait(60)


class LostTests(ResumedTestCase):
    """An answer is lost, or an installation is away for a while."""

    def test_an_answer_that_is_lost_anywhere_is_no_harm(self) -> None:
        stack, existing, _ = self.fill()
        self.run_words(self.argv())
        cuts = [
            each for each in self.requested() if each[1].startswith("POST")
        ]
        # Two previews, three steps of the abandonment, and two more.
        self.assertEqual(7, len(cuts), cuts)
        for number, cut in enumerate(cuts):
            with self.subTest(cut=cut):
                self.name = f"{self.name.partition('-')[0]}-{number}"
                stack, existing, _ = self.fill()
                proxy = self.lose(cut)

                first = self.run_words(self.argv())
                ended = self.run_words(self.argv())

                self.assertTrue(proxy.has_lost)
                if first.code:
                    self.assertEqual(9, first.code, first)
                    self.assertIn(f"at the {cut[0]} http", first.err)
                    self.assertRegex(
                        first.err,
                        "Push the stack again|Nothing has changed|was not"
                        " abandoned",
                    )
                self.assertEqual(0, ended.code, ended)
                self.check(stack, existing)

    def test_a_target_that_is_away_after_the_commit_gets_it_later(
        self,
    ) -> None:
        stack, existing, url = self.fill()
        nobody = f"http://127.0.0.1:{ports.find_free()}/v1/demo"
        self.lose(("source", "POST /stacks/NAME//abandon", 1))
        self.assertEqual(9, self.run_words(self.argv()).code)
        self.wait_gone(stack)

        away = self.push(target=nobody)
        came = requests.post(url, json={"id": "1", "data": "d"}, timeout=10)
        ended = self.run_words(self.argv())

        self.assertEqual(9, away.code, away)
        self.assertIn(f"target {nobody}", away.err)
        self.assertEqual(202, came.status_code)
        self.assertEqual(0, ended.code, ended)
        self.check(stack, existing)

    def test_a_second_push_at_the_same_time_adopts_nothing_twice(self) -> None:
        """The other one is faster, between our question and our request."""
        stack, existing, _ = self.fill()
        source, target = self.clients()
        adopt = target.adoption.adopt

        def late(*given: typing.Any, **request: typing.Any) -> object:
            self.assertEqual(0, self.run_words(self.argv()).code)
            return adopt(*given, **request, tags=["other"])

        target.adoption.adopt = late  # type: ignore[method-assign]

        pushed = push.push(source, target, self.name)

        assert pushed is not None
        self.assertEqual(self.found().id, pushed.stack.id)
        self.check(stack, existing)

    def test_a_stack_of_another_origin_is_not_touched(self) -> None:
        self.fill()
        self.lose(("source", "POST /stacks/NAME//abandon", 1))
        self.run_words(self.argv())
        one = self.here.create(f"{self.name}-2", self.chain())
        self.here.wait(one, "CREATE_COMPLETE")
        other = self.adopt(self.abandon(one))
        shown = self.there.show(other)

        ended = self.run_words(self.argv())

        self.assertEqual(6, ended.code, ended)
        self.assertIn("already exists", ended.err)
        self.assertEqual(shown, self.there.show(other))

    def test_another_name_is_no_second_stack(self) -> None:
        wanted = pushing.handled()
        del wanted["resources"]["a"]
        stack = self.created(wanted)
        self.pushed()

        ended = self.push("--name", f"{self.name}-2")

        self.assertEqual(6, ended.code, ended)
        self.assertIn(
            f"belongs to resource handle of stack {self.name}", ended.err
        )
        self.assertEqual([], self.listed(self.there, f"{self.name}-2"))
        self.check(stack, [])

    def test_a_failed_abandonment_is_retried(self) -> None:
        stack = self.created(
            pushing.handled(), environment=holding.hooks(a="pre-delete")
        )
        actions = f"{stack.path}/actions"
        cleared = f"{stack.path}/resources/a/signal"

        with self.once_blocked(
            stack, actions, {"cancel_without_rollback": None}
        ):
            failed = self.run_words(self.argv())
        with self.once_blocked(stack, cleared, {"unset_hook": "pre-delete"}):
            ended = self.run_words(self.argv())

        self.assertEqual(3, failed.code, failed)
        self.assertIn("abandon at the source", failed.err)
        self.assertEqual(0, ended.code, ended)
        self.check(stack, ["a"])

    @contextlib.contextmanager
    def once_blocked(
        self, stack: rest.Stack, path: str, body: pushing.Json
    ) -> typing.Iterator[None]:
        """Send a request meanwhile, once the stack waits at a breakpoint."""

        def is_blocked() -> bool:
            found = self.here.get(f"{stack.path}/operations", "operations")
            newest = typing.cast(list[pushing.Json], found)[0]
            return bool(newest["state"] == "BLOCKED")

        def work() -> None:
            waiting.wait_for(is_blocked, "the breakpoint")
            self.here.ask("POST", path, body)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            thread.join()

    def clients(self) -> tuple[clients.Client, clients.Client]:
        return (
            self.client(self.pair.here.endpoint),
            self.client(self.pair.there.endpoint),
        )


class FailedTests(ResumedTestCase):
    """The adoption fails at the target, after the stack was abandoned."""

    def failed(self) -> tuple[rest.Stack, list[str]]:
        """Let the adoption fail, as what it adopts differs by then."""
        stack, existing, _ = self.fill()
        self.lose(("source", "POST /stacks/NAME//abandon", 1))
        self.assertEqual(9, self.run_words(self.argv()).code)

        def confirm(_: object) -> bool:
            self.world.relabel(self.name, "a", "other")
            return True

        error = self.assertRaises(
            push.PushError,
            push.push,
            self.client(self.pair.here.endpoint),
            self.client(self.pair.there.endpoint),
            self.name,
            adopt_verify="refuse",
            confirm=confirm,
        )
        self.assertEqual(
            (push.Side.TARGET, push.Step.ADOPT),
            (error.side, error.step),
            str(error),
        )
        self.assertEqual(self.pair.there.endpoint, error.endpoint)
        self.assertIn(f"orch retry {self.name}", error.advice)
        self.assertEqual(
            "ADOPT_FAILED", self.there.show(self.found())["stack_status"]
        )
        return stack, existing

    def test_the_same_command_says_so_again(self) -> None:
        self.failed()

        ended = self.run_words([*self.argv(), "--adopt-verify", "refuse"])

        self.assertEqual(3, ended.code, ended)
        self.assertIn("adopt at the target", ended.err)
        self.assertIn("root cause: a (Test::World::Thing)", ended.err)

    def test_the_same_command_retries_what_was_repaired(self) -> None:
        stack, existing = self.failed()
        self.world.relabel(self.name, "a", "a")

        ended = self.run_words([*self.argv(), "--adopt-verify", "refuse"])

        self.assertEqual(0, ended.code, ended)
        self.check(stack, existing)

    def test_the_retry_has_what_the_command_says(self) -> None:
        stack, existing = self.failed()

        ended = self.run_words([*self.argv(), "--adopt-verify", "warn"])

        self.assertEqual(0, ended.code, ended)
        self.check(stack, existing)

    def test_what_was_retried_at_the_target_is_announced(self) -> None:
        stack, existing = self.failed()
        self.world.relabel(self.name, "a", "a")
        adopted = self.found()
        self.there.retry(adopted)
        self.there.wait(adopted, "ADOPT_COMPLETE")

        ended = self.run_words(self.argv())

        self.assertEqual(0, ended.code, ended)
        self.check(stack, existing)

    def test_what_was_abandoned_at_the_target_is_adopted_again(self) -> None:
        stack, existing = self.failed()
        adopted = self.found()
        self.there.ask("DELETE", f"{adopted.path}/abandon")
        self.there.wait(adopted, "DELETE_COMPLETE")

        ended = self.run_words(self.argv())

        self.assertEqual(0, ended.code, ended)
        self.assertNotEqual(adopted.id, self.found().id)
        self.assertEqual(existing, self.existing_names())
        (address,) = self.old_addresses(stack)
        self.assertTrue(
            str(address["new_address"]).startswith(
                self.pair.there.endpoint.partition("/v1/")[0]
            ),
            address,
        )
