"""The steps of a push that wait for what comes later."""

import types
import typing

from orchclient import adoption
from orchclient import client
from orchclient import models
from orchclient import push
from tests import base

_STACK = models.StackIdentity("s", "5e0b7c2a-9f81-4d36-8a1b-0c2d3e4f5a6b")


class AnnounceTests(base.TestCase):
    """The target has some addresses only after a while."""

    def announce(self, *known: str | None, timeout_s: float) -> push.Pushed:
        """Announce; each answer of the source has one new address."""
        addresses = [
            adoption.OldAddress(
                resource="group/0/handle",
                kind="signal",
                new_address=each,
                problem=None,
            )
            for each in known
        ]
        answers = iter(addresses[1:])
        self.announced: list[object] = []

        def announce(_: object, announcement: object) -> object:
            self.announced.append(announcement)
            return (next(answers),)

        source = types.SimpleNamespace(
            adoption=types.SimpleNamespace(
                old_addresses=lambda _: tuple(addresses[:1]),
                announce=announce,
            )
        )
        target = types.SimpleNamespace(
            adoption=types.SimpleNamespace(announcement=lambda _: {"of": "s"})
        )
        wanted = push.Push(
            source=typing.cast(client.Client, source),
            target=typing.cast(client.Client, target),
            stack=_STACK,
            name="s",
            announce_timeout_s=timeout_s,
        )
        return push.announce(wanted, _STACK)

    def test_it_announces_until_the_target_has_all(self) -> None:
        found = self.announce(None, None, "http://new", timeout_s=60)

        self.assertEqual([{"of": "s"}] * 2, self.announced)
        self.assertEqual((), found.warnings)
        self.assertEqual("http://new", found.addresses[0].new_address)

    def test_what_the_target_does_not_have_in_time_is_a_warning(self) -> None:
        found = self.announce(None, None, timeout_s=0)

        self.assertEqual(
            ("group/0/handle: the target has no address of kind signal yet.",),
            found.warnings,
        )

    def test_without_addresses_nothing_is_announced(self) -> None:
        found = self.announce(timeout_s=60)

        self.assertEqual([], self.announced)
        self.assertEqual(push.Pushed(_STACK), found)
