"""Orch as its users run it: embedded in one process, or distributed.

Needs nothing of the test libraries, since the demo uses it too; the
fixtures are in ``tests.support.running``.
"""

import collections.abc
import contextlib
import functools
import os
import pathlib
import types

from tests.support import ports
from tests.support import processes
from tests.support import rest

PROJECT = "demo"

Options = collections.abc.Mapping[str, collections.abc.Mapping[str, object]]


def write_config(path: pathlib.Path, options: Options) -> None:
    """Write a configuration file: group to option to value."""
    lines = []
    for group, values in options.items():
        lines.append(f"[{group}]")
        lines.extend(f"{name} = {value}" for name, value in values.items())
        lines.append("")
    path.write_text("\n".join(lines), encoding="utf-8")


class System:
    """What both forms share: an endpoint, processes, a place on disk.

    :param launch: how its processes are started
    :param make_client: of what watches it start
    :ivar root: the directory that local types may write to
    :ivar client: speaks to the project ``demo``, if it is not another's
    :ivar ready_s: so many seconds its processes have to answer at a start
    """

    ready_s: float = 30

    def __init__(
        self,
        directory: pathlib.Path,
        launch: processes.Launch,
        make_client: "MakeClient | None" = None,
    ) -> None:
        self.directory = directory
        self._launch = launch
        self.root = directory / "root"
        self.root.mkdir(exist_ok=True)
        self.port = ports.find_free()
        self.endpoint = f"http://127.0.0.1:{self.port}/v1/{PROJECT}"
        self.client = (
            make_client(self) if make_client else rest.Client(self.endpoint)
        )
        self._healthcheck = f"http://127.0.0.1:{self.port}/healthcheck"

    def __enter__(self) -> "System":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        self.close()

    @property
    def members(self) -> collections.abc.Sequence[processes.Process]:
        """Return all its processes, running or not."""
        raise NotImplementedError

    def close(self) -> None:
        """End all processes and connections."""
        self.client.close()
        processes.close(self.members)

    def kill(self) -> None:
        """Kill all processes, and end all connections."""
        self.client.close()
        processes.kill(self.members)

    def is_answering(self) -> bool:
        """Answer whether the API is up."""
        return processes.answers(self._healthcheck)


MakeClient = collections.abc.Callable[[System], rest.Client]


class Embedded(System):
    """One ``orch-all`` on SQLite.

    :param options: beyond the defaults, group to option to value
    :param arguments: further ones of the command
    """

    def __init__(
        self,
        directory: pathlib.Path,
        *,
        options: Options | None = None,
        environment: collections.abc.Mapping[str, str] | None = None,
        launch: processes.Launch = processes.execute,
        arguments: collections.abc.Sequence[str] = (),
    ) -> None:
        super().__init__(directory, launch)
        config = directory / "orch.conf"
        write_config(config, options or {})
        self.server = processes.Process(
            "orch-all",
            *("--port", str(self.port)),
            *("--state-dir", str(directory / "state")),
            *("--local-root", str(self.root)),
            *("--config-file", str(config)),
            *arguments,
            log=directory / "orch-all.log",
            environment=environment,
            launch=launch,
        )

    @property
    def members(self) -> collections.abc.Sequence[processes.Process]:
        """Return the one process."""
        return (self.server,)

    def start(self) -> None:
        """Start it on its state directory; return once it answers."""
        self.server.start()
        self.server.wait_until(self.is_answering, timeout_s=self.ready_s)


class Distributed(System):
    """An ``orch-api`` and several ``orch-engine`` on a broker and a database.

    :param transport_url: of a virtual host that nobody else uses
    :param connection: of a database that exists and is empty
    :param searchers: how many ``orch-search`` there are
    :param options: beyond these, group to option to value
    :param make_client: of who may list the workers, where not everyone may
    :ivar has_tables: whether the database has its tables before a start
    """

    has_tables = False

    def __init__(
        self,
        directory: pathlib.Path,
        *,
        transport_url: str,
        connection: str,
        workers: int = 2,
        options: Options | None = None,
        environment: collections.abc.Mapping[str, str] | None = None,
        launch: processes.Launch = processes.execute,
        searchers: int = 0,
        make_client: MakeClient | None = None,
    ) -> None:
        super().__init__(directory, launch, make_client)
        more = {group: dict(each) for group, each in (options or {}).items()}
        shared = {"transport_url": transport_url, **more.pop("DEFAULT", {})}
        # Workers need it for the addresses of signals.
        api = {"host": "127.0.0.1", "port": self.port}
        self._api_config = self._write(
            "api.conf", {"DEFAULT": shared, "api": dict(api)}, more
        )
        self._engine_configs = tuple(
            self._write(
                f"{name}.conf",
                {
                    "DEFAULT": shared | {"host": name},
                    "api": dict(api),
                    "database": {"connection": connection},
                    "local": {"enabled": True, "root": self.root},
                },
                more,
            )
            for name in self._names(workers)
        )
        self.api = self._process("orch-api", self._api_config, environment)
        self.engines = tuple(
            self._process("orch-engine", config, environment)
            for config in self._engine_configs
        )
        self.searchers = tuple(
            self._process(
                "orch-search",
                self._write(
                    f"search-{number}.conf",
                    {
                        "DEFAULT": shared | {"host": f"search-{number}"},
                        "database": {"connection": connection},
                        "search": {"folder": directory / "search"},
                    },
                    more,
                ),
                environment,
            )
            for number in range(1, searchers + 1)
        )

    @staticmethod
    def _names(workers: int) -> list[str]:
        return [f"worker-{number}" for number in range(1, workers + 1)]

    def _write(
        self,
        name: str,
        base: dict[str, dict[str, object]],
        more: Options,
    ) -> pathlib.Path:
        for group, values in more.items():
            base.setdefault(group, {}).update(values)
        path = self.directory / name
        write_config(path, base)
        return path

    def _process(
        self,
        program: str,
        config: pathlib.Path,
        environment: collections.abc.Mapping[str, str] | None,
    ) -> processes.Process:
        return processes.Process(
            program,
            *("--config-file", str(config)),
            log=config.with_suffix(".log"),
            environment=environment,
            launch=self._launch,
        )

    @property
    def members(self) -> collections.abc.Sequence[processes.Process]:
        """Return the API first, then the workers, then what searches."""
        return (self.api, *self.engines, *self.searchers)

    def manage(self, *arguments: str) -> str:
        """Run ``orch-manage`` as the workers are configured."""
        return processes.run(
            "orch-manage",
            *("--config-file", str(self._engine_configs[0])),
            *arguments,
            launch=self._launch,
        )

    def doctor(self) -> str:
        """Return what ``orch-manage doctor`` says, good or not."""
        return processes.complete(
            (
                processes.find("orch-manage"),
                *("--config-file", str(self._engine_configs[0])),
                "doctor",
            ),
            os.environ,
            launch=self._launch,
        ).output

    def start(self) -> None:
        """Make the tables and start all; return once all workers answer."""
        if not self.has_tables:
            self.manage("db", "sync")
        self.api.start()
        for each in (*self.engines, *self.searchers):
            each.start()
        self.api.wait_until(self.is_answering, timeout_s=self.ready_s)
        for engine in self.engines:
            engine.wait_until(
                functools.partial(self._has_reported, engine),
                timeout_s=self.ready_s,
            )

    def engine_of(self, worker_id: str) -> processes.Process:
        """Return the process that is or was this worker.

        :raises LookupError: none of ours was
        """
        for engine in self.engines:
            if worker_id in self._workers_of(engine):
                return engine
        raise LookupError(f"no process is worker {worker_id}")

    def _workers_of(self, engine: processes.Process) -> list[str]:
        return [
            str(service["engine_id"])
            for service in self.client.services()
            if service["host"] == engine.log.stem
        ]

    def _has_reported(self, engine: processes.Process) -> bool:
        with contextlib.suppress(rest.RefusedError):
            return bool(self._workers_of(engine))
        return False
