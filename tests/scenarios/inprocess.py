"""All of Orch inside the test's process, with workers that can be killed.

The parts are those of ``orch-all``: the API without its socket, the bus
inside the process, a worker, SQLite. A worker that is killed writes nothing
from that moment on and gets no answer any more, as after ``kill -9``; a call
that its plug-in is about to make does not happen, one that is being made may
still change the world.
"""

import collections.abc
import importlib
import logging
import pathlib
import sys
import threading
import typing

import falcon.testing
import fixtures
import orjson
import sqlalchemy as sa
from oslo_config import cfg
from oslo_db import options as db_options

from orch.api import app
from orch.cmd import assembly
from orch.conf import load
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.models import stacks
from orch.engine import service
from orch.model import states
from orch.plugin import registry
from orch.rpc import options as rpc_options
from orch.rpc import transport
from tests.chaos import records
from tests.support import rest
from tests.support import systems
from tests.support import tables
from tests.support import world

_LEASE_S = 5.0
_KILLED = "the worker was killed"
_FASTEST: systems.Options = {
    "engine": {
        "lease_ttl": _LEASE_S,
        "scan_interval": 0.5,
        "call_threads": 8,
        "event_loops": 1,
        "rpc_threads": 2,
        "retry_first_pause": 0.05,
        "blocked_first_pause": 0.2,
    },
    # Without a socket no user is at the other end.
    "api": {"rpc_timeout": 20, "auth": "none", "local_users": "any"},
}
Answer = typing.TypeVar("Answer")


def _is_of_the_living(record: logging.LogRecord) -> bool:
    """Answer whether a line tells of more than that a worker was killed."""
    error = record.exc_info[1] if record.exc_info else None
    return _KILLED not in f"{record.getMessage()} {error}"


class Life:
    """Whether a worker lives; what it shares with its parts."""

    def __init__(self) -> None:
        self._is_over = threading.Event()

    def end(self) -> None:
        """Kill the worker."""
        self._is_over.set()

    def goes_on(self) -> bool:
        """Answer whether the worker lives."""
        return not self._is_over.is_set()


class MortalDatabase(db_engine.Database):
    """A database that takes nothing from a worker that was killed."""

    life: Life

    def run(
        self, work: collections.abc.Callable[[sa.Connection], Answer]
    ) -> Answer:
        """Do as always, while the worker lives."""
        return super().run(lambda connection: self._live(work, connection))

    def query(
        self, work: collections.abc.Callable[[sa.Connection], Answer]
    ) -> Answer:
        """Do as always, while the worker lives."""
        return super().query(lambda connection: self._live(work, connection))

    def _live(
        self,
        work: collections.abc.Callable[[sa.Connection], Answer],
        connection: sa.Connection,
    ) -> Answer:
        answer = work(connection)
        if not self.life.goes_on():
            raise db_errors.LeaseLost(_KILLED)
        return answer


class Worker:
    """One worker, from its start to its death."""

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        url: str,
        types: registry.ResourceTypes,
        life: Life,
    ) -> None:
        self.life = life
        self.database = MortalDatabase(url)
        self.database.life = life
        self._service = service.Service(
            conf, self.database, transport.build_transport(conf), types, "host"
        )

    def start(self) -> None:
        """Answer and work from now on."""
        self._service.start()

    def stop(self) -> None:
        """End the threads; one that lives does so in good order."""
        self._service.stop(0.0)
        self.database.dispose()


class Client(rest.Client):
    """Speaks to the API without a socket."""

    def __init__(self, wsgi: object, project: str) -> None:
        super().__init__(f"/v1/{project}")
        self._api = falcon.testing.TestClient(wsgi)

    def ask(
        self, method: str, path: str, body: rest.Json | None = None
    ) -> object:
        """Send one request; return the parsed answer, ``None`` if empty.

        :raises tests.support.rest.RefusedError: its status is 400 or
            above
        """
        answer = self._api.simulate_request(
            method,
            (self.endpoint + path).partition("?")[0],
            query_string=path.partition("?")[2],
            body=None if body is None else orjson.dumps(body),
            headers={"Content-Type": "application/json"},
            host="127.0.0.1",
        )
        content = orjson.loads(answer.content) if answer.content else None
        if answer.status_code >= 400:
            raise rest.RefusedError(answer.status_code, content)
        return content


class System(fixtures.Fixture):
    """A world, an API and one worker, which a new one follows when killed.

    :ivar world: what the things stand in
    :ivar client: speaks to the API
    :ivar records: the rows
    """

    _numbers: typing.ClassVar[typing.Iterator[int]] = iter(range(1 << 30))

    def __init__(self, around: world.World | None = None) -> None:
        """Prepare a system.

        :param around: the world of another system; ``None`` for its own
        """
        super().__init__()
        self._around = around

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self.useFixture(fixtures.FakeLogger(level=logging.ERROR))
        for handler in logging.getLogger().handlers:
            handler.addFilter(_is_of_the_living)
        self.world = self._around or self.useFixture(world.World())
        for name, value in self.world.environment.items():
            self.useFixture(fixtures.EnvironmentVariable(name, value))
        self.useFixture(
            fixtures.MonkeyPatch("sys.path", [str(world.PLUGIN), *sys.path])
        )
        # What other tests of this process found on another path.
        self.useFixture(
            fixtures.MonkeyPatch(
                "stevedore.extension.ExtensionManager.ENTRY_POINT_CACHE", {}
            )
        )
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self._url = f"sqlite:///{directory}/orch.sqlite"
        self._conf = self._options()
        tables.make(self._url)
        self.records = self.useFixture(records.Records(self._url))
        self._worker = self._begin()
        self.addCleanup(lambda: self._worker.stop())
        bus = transport.build_transport(self._conf)
        self.client = Client(
            app.build_app(
                transport.Caller(bus, self._conf.api.rpc_timeout),
                assembly.build_settings(self._conf),
            ),
            systems.PROJECT,
        )

    def kill(self) -> None:
        """Kill the worker; another one finds its leases run out."""
        dead = self._worker
        dead.life.end()
        table = stacks.OPERATIONS
        self.records.change(
            sa.update(table)
            .where(table.c.state == states.OperationState.RUNNING)
            .values(lease_expires_at=0.0)
        )
        self._worker = self._begin()
        dead.stop()

    def _begin(self) -> Worker:
        life = Life()
        worker = Worker(self._conf, self._url, self._types(life), life)
        worker.start()
        return worker

    def _types(self, life: Life) -> registry.ResourceTypes:
        """Return the types of the world, in the hands of one worker."""
        # The plug-in is on the path only while the fixture is in use.
        plugin = importlib.import_module("orch_test_world")
        kinds = [
            type(
                kind.__name__, (kind,), {"is_alive": lambda _: life.goes_on()}
            )
            for kind in (plugin.WorldResource, plugin.Other)
        ]
        return registry.ResourceTypes.of(kinds, self._conf)

    def _options(self) -> cfg.ConfigOpts:
        conf = load.load([], [], prog="orch-all")
        for group, values in _FASTEST.items():
            for name, value in values.items():
                conf.set_override(name, value, group=group)
        conf.set_override("enable_stack_abandon", True)
        conf.set_override("enable_stack_adopt", True)
        db_options.set_defaults(conf, self._url)
        rpc_options.register_options(conf)
        number = next(self._numbers)
        conf.set_override("transport_url", f"orch-inproc:///s{number}")
        return conf
