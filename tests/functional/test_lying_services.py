"""Services that tell what is not so: nothing is doubled, nothing removed."""

import collections.abc
import typing

from tests.functional import observing
from tests.support import rest
from tests.support import running
from tests.support import services
from tests.support import serving
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]

_HUNDRED = 100
_LOOKS = 3
_NAMES: typing.Final = [f"r{number:03}" for number in range(_HUNDRED)]


class LyingCase(serving.WorldTestCase):
    """A stack of a hundred physical resources, which all exist."""

    limit_s = 180
    options: typing.ClassVar = {"observer": observing.OPTIONS}

    def create(self, *names: str) -> rest.Stack:
        """Return a complete stack of these resources."""
        wanted = world_templates.template(
            **{name: observing.listed() for name in names}
        )
        stack = self.client.create(self.name, wanted)
        self.client.wait(stack, "CREATE_COMPLETE", timeout_s=60)
        return stack

    def lie(
        self, names: collections.abc.Iterable[str], act: str, how: str
    ) -> None:
        """Let a service tell something else of these resources."""
        moment = "after" if act == "tell" else "before"
        for name in names:
            self.world.order(self.name, act, name, how=how, moment=moment)

    def watch(self, stack: rest.Stack) -> None:
        """Return after some looks; forgive the lies then."""
        for _ in range(_LOOKS):
            observing.wait_for_look(self.client, stack)
        self.world.forgive(self.name)

    def assert_untouched(self) -> None:
        """Assert that all exist once, and were neither created nor deleted."""
        self.assertEqual(_NAMES, self.names())
        self.assertEqual(_HUNDRED, len(self.acts("create")))
        self.assertEqual([], self.acts("delete"))


class RepairTests(LyingCase):
    def test_a_lying_list_doubles_and_removes_nothing(self) -> None:
        stack = self.create(*_NAMES)
        observing.set_policy(self.client, stack, {"stack": "repair"})
        for names, how in (
            (_NAMES, "unlisted"),
            (_NAMES[::2], "unlisted"),
            (_NAMES, "stale"),
        ):
            self.lie(names, "tell", how)
            self.watch(stack)
            self.assert_untouched()
        self.lie(_NAMES, "list", "transient")
        self.lie(_NAMES, "read", "transient")

        self.watch(stack)

        self.assert_untouched()
        self.world.remove(self.name, _NAMES[7])
        waiting.wait_for(lambda: self.names() == _NAMES, "the repair")
        self.assertEqual(_NAMES[7], self.acts("create")[-1])


class ConvergeTests(LyingCase):
    options: typing.ClassVar = {}

    def test_a_lying_list_doubles_nothing_by_converge(self) -> None:
        stack = self.create(*_NAMES)
        for names, how in ((_NAMES, "unlisted"), (_NAMES[::2], "unlisted")):
            self.lie(names, "tell", how)
            shown = self.client.ask(
                "PUT", f"{stack.path}/preview", self.request(_NAMES)
            )
            self.assertNotIn("not there any more", str(shown))
            self.client.ask("PUT", stack.path, self.request(_NAMES))
            self.client.wait(stack, "UPDATE_COMPLETE")
            self.world.forgive(self.name)

        self.assert_untouched()

    def request(self, names: collections.abc.Iterable[str]) -> Json:
        return {
            "template": world_templates.template(
                **{name: observing.listed() for name in names}
            ),
            "converge": True,
        }

    def test_killed_before_the_creation_it_looks_again(self) -> None:
        stack = self.create("a", "b")
        self.lie(["a"], "tell", "unlisted")
        self.world.order(
            self.name, "read", "a", how="vanished", moment="before", times=1
        )
        self.world.order(self.name, "read", "a", moment="before")
        self.client.ask("PUT", stack.path, self.request("ab"))
        self.wait_for_act("held-read-before", "a")

        self.system.server.kill()
        self.world.forgive(self.name)
        self.system.start()

        self.client.wait(stack, "UPDATE_COMPLETE", timeout_s=60)
        self.assertEqual(["a", "b"], self.names())
        self.assertEqual(["a", "b"], sorted(self.acts("create")))
        self.assertEqual([], self.acts("delete"))


class WorkersTests(LyingCase):
    @classmethod
    def installation(cls) -> running.Distributed:
        services.require("RabbitMQ", "PostgreSQL")
        return running.Distributed(
            {**cls.defaults, **cls.options}, cls.environment()
        )

    def test_a_lying_list_doubles_nothing_on_two_workers(self) -> None:
        stack = self.create(*_NAMES)
        observing.set_policy(self.client, stack, {"stack": "repair"})
        self.lie(_NAMES, "tell", "unlisted")

        self.watch(stack)

        self.assert_untouched()

    def test_a_worker_killed_in_a_repair_doubles_nothing(self) -> None:
        stack = self.create("a", "b")
        observing.set_policy(self.client, stack, {"stack": "repair"})
        self.world.order(self.name, "create", "b", moment="after", times=1)

        self.world.remove(self.name, "b")
        self.wait_for_act("held-create-after", "b")
        for each in self.system.engines:
            each.kill()
        self.world.release(self.name)
        for each in self.system.engines:
            each.start()

        self.client.wait(stack, "UPDATE_COMPLETE", timeout_s=60)
        self.assertEqual(["a", "b"], self.names())
        self.assertEqual([], self.world.doubles())
