"""What is left when a worker is killed before any of its steps on disk."""

import collections.abc
import contextlib
import os
import typing

import fixtures

from orch.plugin import call_context
from orch.resources.local import directory
from tests.unit.resources import contexts
from tests.unit.resources.local import files

_CHANGES = ("link", "rename", "unlink", "mkdir", "rmdir", "open", "fchmod")
_WRITES = os.O_CREAT | os.O_TRUNC

Act = collections.abc.Callable[[], object]


class KillsTest(files.FileTestCase):
    def kills(self, prepare: Act, act: Act) -> typing.Iterator[int]:
        """Yield after each step that an act can be cut off before."""
        for steps in range(100):
            prepare()
            if not self.is_killed(act, steps):
                self.assertGreater(steps, 2)
                return
            yield steps

    def is_killed(self, act: Act, steps: int) -> bool:
        """Run an act that changes nothing any more after so many steps."""
        left = steps

        def step(change: typing.Any) -> object:
            def run(*given: object, **more: object) -> object:
                nonlocal left
                flags = given[1] if change is open_ else _WRITES
                if typing.cast(int, flags) & _WRITES:
                    left -= 1
                if left < 0:
                    raise KeyboardInterrupt
                return change(*given, **more)

            return run

        open_ = os.open
        with contextlib.ExitStack() as patched:
            for name in _CHANGES:
                patch = fixtures.MonkeyPatch(
                    f"os.{name}", step(getattr(os, name))
                )
                patched.enter_context(patch)
            try:
                act()
            except KeyboardInterrupt:
                return True
        return False

    def content(self) -> str | None:
        path = self.root / "site" / "index.html"
        return path.read_text() if path.exists() else None

    def check_clean(self, context: call_context.Context) -> None:
        self.plugin.delete(context)
        self.assertEqual([], self.left())
        self.assertEqual([], self.staged())

    def test_a_creation_is_found_or_has_left_nothing(self) -> None:
        wanted = files.make(content="new")
        seen = set()
        for _ in self.kills(lambda: None, lambda: self.plugin.create(wanted)):
            found = self.plugin.find(wanted)
            seen.add(found)
            self.assertEqual("new" if found else None, self.content())
            if found is None:
                self.assertEqual([], self.staged())

            self.plugin.create(wanted)

            self.assertEqual("new", self.content())
            self.check_clean(wanted)
        self.assertEqual({None, "site/index.html"}, seen)

    def test_a_change_is_made_or_not_and_the_file_stays_ours(self) -> None:
        wanted = files.make(content="new")
        seen = set()
        for _ in self.kills(
            lambda: self.plugin.create(files.make(content="old")),
            lambda: self.plugin.update(wanted, {}, {"content"}),
        ):
            seen.add(self.content())
            self.assertEqual("site/index.html", self.plugin.find(wanted))

            self.plugin.update(wanted, {}, {"content"})

            self.assertEqual("new", self.content())
            self.check_clean(wanted)
        self.assertEqual({"old", "new"}, seen)
        self.check_clean(wanted)

    def test_a_replacement_has_the_file_or_the_replaced_one_has(self) -> None:
        first = files.make(content="old")
        second = files.make(content="new", token=files.OTHER, called="thing")
        seen = set()
        for _ in self.kills(
            lambda: self.plugin.create(first),
            lambda: self.plugin.create(second),
        ):
            found = self.plugin.find(second)
            seen.add(found)
            self.assertNotEqual(found, self.plugin.find(first))

            self.plugin.create(second)
            self.plugin.delete(first)

            self.assertEqual("new", self.content())
            self.check_clean(second)
        self.assertEqual({None, "site/index.html"}, seen)

    def test_a_removal_goes_on(self) -> None:
        wanted = files.make()
        for _ in self.kills(
            lambda: self.plugin.create(wanted),
            lambda: self.plugin.delete(wanted),
        ):
            self.check_clean(wanted)

    def test_an_adoption_goes_on(self) -> None:
        first, second = files.make(), files.make(token=files.OTHER)
        given = call_context.AdoptedResource(
            physical_id="site/index.html", data={}, metadata={}
        )
        for _ in self.kills(
            lambda: self.plugin.create(first),
            lambda: self.plugin.handle_adopt(second, given),
        ):
            self.plugin.handle_adopt(second, given)

            self.assertIsNone(self.plugin.find(first))
            self.plugin.delete(first)
            self.assertEqual("", self.content())
            self.check_clean(second)

    def test_a_directory_is_found_or_has_left_no_other(self) -> None:
        plugin = directory.Directory(self.conf)
        wanted = contexts.make(directory.Directory, path="a/b")
        for act in (plugin.create, plugin.delete):
            for _ in self.kills(
                lambda: plugin.create(wanted),
                lambda act=act: act(wanted),
            ):
                plugin.create(wanted)
                plugin.delete(wanted)
                self.assertEqual([], self.left())
                self.assertEqual(
                    [], contexts.names(self.root / ".orch" / "directories")
                )
