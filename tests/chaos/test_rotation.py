"""Keys change while workers work, and the change is hurt in the middle."""

import collections.abc
import contextlib
import re
import threading
import typing

import fixtures
import sqlalchemy as sa

from orch.db import encryption
from orch.db import types
from orch.db.models import catalog
from orch.db.models import stacks as stack_tables
from orch.engine import credentials
from tests.chaos import base
from tests.functional import databases
from tests.support import processes
from tests.support import rest
from tests.support import systems
from tests.support import waiting
from tests.support import world_templates

_CANARY: typing.Final = "canary-51d0c7"
_KEYS: typing.Final = re.compile(r"(?m)^encryption_keys = .*$")
_ROTATION: typing.Final = ("secrets", "rotate")

Stored = str | bytes


def _template(label: str) -> world_templates.Json:
    """Return a template of which a hidden value goes into two things."""
    return {
        "heat_template_version": "2021-04-16",
        "parameters": {"word": {"type": "string", "hidden": True}},
        "resources": {
            "a": world_templates.declare_resource(label={"get_param": "word"}),
            "b": world_templates.declare_resource("a", label=label),
        },
        "outputs": {"word": {"value": {"get_param": "word"}}},
    }


class RotationTestCase(base.ChaosTestCase):
    """Two workers on a database in which secrets are encrypted."""

    limit_s = 300

    def setUp(self) -> None:
        super().setUp()
        self.old, self.new = credentials.new_key(), credentials.new_key()

    def begin(
        self, database: type[fixtures.Fixture] | None = None
    ) -> systems.Distributed:
        self.site = self.distribute(
            base.options(
                # No request is lost here; one that a busy machine answers
                # late is not refused.
                api={"rpc_timeout": 20},
                DEFAULT={"encrypt_parameters_and_properties": True},
                credentials={"encryption_keys": self.old},
            ),
            database=database,
        )
        return self.site

    def configure(self, *keys: str, names: str = "*") -> None:
        """Write keys into the options, for the next start."""
        for path in self.site.directory.glob(f"{names}.conf"):
            text = path.read_text(encoding="utf-8")
            line = f"encryption_keys = {','.join(keys)}"
            path.write_text(_KEYS.sub(line, text), encoding="utf-8")

    def restart(self, engine: processes.Process) -> None:
        engine.stop()
        self.start(engine)

    def start(self, engine: processes.Process) -> None:
        """Start a worker; return once it works, as the log of each run says.

        What it had reported before it was stopped is still known.
        """
        before = self.count_runs(engine)
        engine.start()
        engine.wait_until(lambda: self.count_runs(engine) > before)

    @staticmethod
    def count_runs(engine: processes.Process) -> int:
        return engine.log.read_text(encoding="utf-8").count(" works on ")

    def stacks(self, count: int, first: int = 0) -> list[rest.Stack]:
        """Return stacks that are complete."""
        client = self.site.client
        made = [
            client.create(
                f"s{first + number}",
                _template("one"),
                parameters={"word": _CANARY},
            )
            for number in range(count)
        ]
        for each in made:
            client.wait(each, "CREATE_COMPLETE")
        return made

    def values(self) -> collections.abc.Iterator[tuple[str, Stored]]:
        """Return what stands in columns that may hold a secret."""
        with self.records.database.engine.connect() as conn:
            for table in catalog.TABLES:
                for column in table.columns:
                    if not isinstance(column.type, types.SEALED):
                        continue
                    is_blob = isinstance(column.type, types.SealedBlob)
                    kind = types.blob() if is_blob else sa.Text()
                    raw = sa.type_coerce(column, kind)
                    for (value,) in conn.execute(sa.select(raw)):
                        if value is not None:
                            yield f"{table.name}.{column.name}", value

    def are_by(self, key: str) -> list[bool]:
        """Return of each sealed value whether it is by this key."""
        prefix = (encryption.PREFIX, encryption.BYTES_PREFIX)
        cipher = encryption.Cipher([key], seals=True)
        return [
            cipher.is_current(value)
            for _, value in self.values()
            if value[: len(prefix[0])] in prefix
        ]

    def check_none_is_clear(self) -> None:
        for column, value in self.values():
            found = value if isinstance(value, bytes) else value.encode()
            self.assertNotIn(_CANARY.encode(), found, column)

    def check_alive(self, stack: rest.Stack, label: str) -> None:
        """Check that a stack shows its secret to its owner, and changes."""
        client = self.site.client
        self.assertEqual(_CANARY, client.outputs(stack)["word"])
        client.ask("PATCH", stack.path, {"template": _template(label)})
        client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(
            sorted([_CANARY, label]),
            sorted(
                each.label
                for each in self.world.physical_resources(stack.name)
            ),
        )


class RotationTests(RotationTestCase):
    def check_rotated(self, database: type[fixtures.Fixture]) -> None:
        self.begin(database)
        first = self.stacks(3)
        with self.changing() as changed:
            # First all can read what the new one seals, then it does.
            for keys in ((self.old, self.new), (self.new, self.old)):
                self.configure(*keys)
                for engine in self.site.engines:
                    self.restart(engine)
            for _ in range(3):
                self.site.manage(*_ROTATION)
            waiting.wait_for(lambda: changed(3), "changes meanwhile")
        self.site.manage(*_ROTATION)
        self.assertEqual({True}, set(self.are_by(self.new)))
        self.check_none_is_clear()

        self.configure(self.new)
        for engine in self.site.engines:
            self.restart(engine)

        for each in first:
            self.check_alive(each, "two")
        for each in first:
            self.site.client.delete(each)
            self.site.client.wait(each, "DELETE_COMPLETE")
        self.check_no_doubles()

    @contextlib.contextmanager
    def changing(
        self,
    ) -> collections.abc.Iterator[collections.abc.Callable[[int], bool]]:
        """Let stacks come, change and go; what is refused fails the test.

        It gives what answers whether so many have, or something has failed.
        """
        done: list[str] = []
        failed: list[BaseException] = []
        stopping = threading.Event()
        client = rest.Client(self.site.endpoint)
        self.addCleanup(client.close)

        def change(number: int) -> None:
            stack = client.create(
                f"c{number}", _template("one"), parameters={"word": _CANARY}
            )
            client.wait(stack, "CREATE_COMPLETE")
            client.ask("PATCH", stack.path, {"template": _template("two")})
            client.wait(stack, "UPDATE_COMPLETE")
            client.delete(stack)
            client.wait(stack, "DELETE_COMPLETE")

        def run() -> None:
            number = 0
            while not stopping.is_set():
                number += 1
                try:
                    change(number)
                except BaseException as error:
                    failed.append(error)
                    return
                done.append(f"c{number}")

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield lambda least: bool(failed) or len(done) >= least
        finally:
            stopping.set()
            thread.join()
        self.assertEqual([], failed)

    def test_workers_go_on_meanwhile(self) -> None:
        self.check_rotated(databases.PostgreSQL)

    def test_workers_go_on_meanwhile_on_mariadb(self) -> None:
        self.check_rotated(databases.MariaDB)

    def test_one_that_was_killed_goes_on_where_it_was(self) -> None:
        self.begin()
        made = self.stacks(25)
        self.configure(self.new, self.old)
        for engine in self.site.engines:
            self.restart(engine)
        rotation = self.rotation()

        # It comes as far as a row that somebody holds, and dies there.
        with self.holding_the_last():
            rotation.start()
            self.addCleanup(rotation.close)
            waiting.wait_for(
                lambda: True in self.are_by(self.new), "the first rows"
            )
            rotation.kill()
        self.assertEqual({True, False}, set(self.are_by(self.new)))
        self.check_alive(made[0], "two")
        self.check_alive(made[-1], "two")

        told = self.site.manage(*_ROTATION)
        self.assertRegex(told, "[1-9]")
        self.assertEqual({True}, set(self.are_by(self.new)))
        before = sorted(map(repr, self.values()))
        self.site.manage(*_ROTATION)
        self.assertEqual(before, sorted(map(repr, self.values())))
        self.check_alive(made[0], "three")
        self.check_alive(made[-1], "three")

    def rotation(self) -> processes.Process:
        """Return the command, to be started and killed."""
        config = self.site.directory / "worker-1.conf"
        return processes.Process(
            "orch-manage",
            *("--config-file", str(config), *_ROTATION),
            log=self.site.directory / "rotation.log",
        )

    @contextlib.contextmanager
    def holding_the_last(self) -> collections.abc.Iterator[None]:
        """Hold the last row of a table, so that nobody else writes it."""
        keys = list(stack_tables.RESOURCES.primary_key.columns)
        last = (
            sa.select(*keys)
            .order_by(*(each.desc() for each in keys))
            .limit(1)
            .with_for_update()
        )
        with self.records.database.engine.begin() as conn:
            self.assertEqual(1, len(conn.execute(last).all()))
            yield


class OldKeysTests(RotationTestCase):
    """A worker has a list without the key that sealed what it reads."""

    def rotate(self) -> list[rest.Stack]:
        """Let all be sealed with a key that the second worker has not."""
        self.begin()
        made = self.stacks(2)
        first = self.site.engines[0]
        self.configure(self.new, self.old, names="worker-1")
        self.restart(first)
        self.site.manage(*_ROTATION)
        self.assertEqual({True}, set(self.are_by(self.new)))
        return made

    def everything(self) -> list[str]:
        """Return what a worker might spoil."""
        return sorted(map(repr, self.values()))

    def test_one_that_runs_tells_and_changes_nothing(self) -> None:
        made = self.rotate()
        self.site.engines[0].stop()
        before = self.everything()

        client = self.site.client
        for method, path, body in (
            ("GET", f"{made[0].path}/resources/a", None),
            ("GET", f"{made[1].path}/resources/b", None),
            ("GET", f"{made[1].path}/template", None),
            ("PATCH", made[1].path, {"template": _template("two")}),
        ):
            error = self.assertRaises(
                rest.RefusedError, client.ask, method, path, body
            )
            self.assertEqual((500, path), (error.status, path))
            self.assertIn("None of the keys in [credentials]", error.message)
        self.assertEqual(before, self.everything())

        self.configure(self.new, self.old, names="worker-2")
        self.restart(self.site.engines[1])
        for each in made:
            self.check_alive(each, "two")

    def test_one_that_starts_is_told_at_once(self) -> None:
        self.rotate()
        second = self.site.engines[1]
        second.stop()
        before = self.everything()

        second.start()
        waiting.wait_for(lambda: not second.is_running(), "its end")

        self.assertIn("None of the keys in [credentials]", second.tail(5))
        self.assertEqual(before, self.everything())

    def wait_for_words(self, words: str) -> None:
        """Return once the worker that lacks a key has said something."""
        log = self.site.engines[1].log
        waiting.wait_for(
            lambda: words in log.read_text(encoding="utf-8"),
            f"the other worker to say: {words}",
        )
        self.assertIn("None of the keys", log.read_text(encoding="utf-8"))

    def state_of(self, stack: rest.Stack) -> str:
        return self.records.stack_states()[stack.id]

    def check_goes_on(self, stack: rest.Stack, status: str) -> None:
        """Let the worker with all keys go on, and the other one end."""
        first, second = self.site.engines
        self.start(first)
        second.stop()
        self.site.client.wait(stack, status)

    def test_what_it_takes_over_waits_for_one_that_has_them(self) -> None:
        self.begin()
        (made,) = self.stacks(1)
        first, second = self.site.engines
        second.stop()
        self.world.order(made.name, "update", "b")
        self.site.client.ask(
            "PATCH", made.path, {"template": _template("two")}
        )
        waiting.wait_for(
            lambda: "updated" in {e.act for e in self.world.calls(made.name)},
            "the update to begin",
        )
        self.start(second)
        self.configure(self.new, self.old, names="worker-1")
        self.site.manage(*_ROTATION)

        first.kill()
        # What it is about is sealed, so that it cannot even be claimed.
        self.wait_for_words("a claim failed")
        self.assertEqual("UPDATE_IN_PROGRESS", self.state_of(made))
        self.world.release(made.name)
        self.check_goes_on(made, "UPDATE_COMPLETE")
        self.check_alive(made, "three")

    def test_what_it_accepts_itself_waits_too(self) -> None:
        made = self.rotate()[0]
        self.site.engines[0].stop()

        self.site.client.ask("POST", f"{made.path}/actions", {"check": None})

        self.wait_for_words("is left to the next scan")
        self.assertEqual("CHECK_IN_PROGRESS", self.state_of(made))
        self.check_goes_on(made, "CHECK_COMPLETE")
