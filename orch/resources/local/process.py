"""``Orch::Local::Process``: a program that runs as long as the stack stands.

It belongs to no worker: it goes on when the worker that started it ends or
is killed, and any worker on the machine watches it and stops it.
"""

import collections.abc
import contextlib
import signal
import typing

from oslo_config import cfg

from orch import clock
from orch import errors
from orch.plugin import resource
from orch.plugin import schema
from orch.resources.local import health
from orch.resources.local import kept
from orch.resources.local import proc
from orch.resources.local import reaper
from orch.resources.local import root
from orch.resources.local import start

_SETTLE_S: typing.Final = 0.3
"""How long a process without a health check has to live to count as up."""
_POLL_S: typing.Final = 0.1
_KILL_S: typing.Final = 30.0
_LINES: typing.Final = 10
_MODIFY = schema.OnUpdate.MODIFY

_HEALTH_FIELDS = (
    schema.Property(
        "port",
        schema.Type.INTEGER,
        "It serves once this TCP port of 127.0.0.1 takes connections.",
        on_update=_MODIFY,
        constraints=(schema.Range(minimum=1, maximum=65535),),
    ),
    schema.Property(
        "url",
        schema.Type.STRING,
        "It serves once this URL on this machine answers with a status of"
        " 200 to 299.",
        on_update=_MODIFY,
    ),
    schema.Property(
        "timeout_s",
        schema.Type.NUMBER,
        "Seconds from its start within which it has to serve.",
        default=30,
        on_update=_MODIFY,
        constraints=(schema.Range(minimum=0, maximum=86400),),
        unit="seconds",
    ),
)


class Process(resource.Resource):
    """A program on the worker's machine, stopped when it is deleted."""

    type_name = "Orch::Local::Process"
    is_local = True
    properties = (
        schema.Property(
            "command",
            schema.Type.LIST,
            "The program and its arguments, one an element; no shell reads"
            " them.",
            required=True,
            constraints=(schema.Length(minimum=1),),
            items=schema.Property("*", schema.Type.STRING),
        ),
        schema.Property(
            "environment",
            schema.Type.MAP,
            "Variables for it, beside PATH, HOME, USER, LANG, LC_ALL and TZ"
            " of the worker; it sees no others.",
            default={},
        ),
        schema.Property(
            "working_directory",
            schema.Type.STRING,
            "Where it starts, relative to the allowed root; the root itself"
            " when it is not given.",
            default="",
        ),
        schema.Property(
            "health_check",
            schema.Type.MAP,
            "How to find out that it serves; without it, it counts as up"
            " once it has lived for a moment.",
            on_update=_MODIFY,
            fields=_HEALTH_FIELDS,
        ),
        schema.Property(
            "stop_timeout_s",
            schema.Type.NUMBER,
            "Seconds it has to end by itself (SIGTERM) when it is stopped;"
            " after that it is killed.",
            default=10,
            on_update=_MODIFY,
            constraints=(schema.Range(minimum=0, maximum=3600),),
            unit="seconds",
        ),
    )
    attributes = (
        schema.Attribute("pid", schema.Type.INTEGER, "Its process id."),
        schema.Attribute(
            "log",
            schema.Type.STRING,
            "Absolute path of the file with all that it prints.",
        ),
    )

    def __init__(
        self, conf: cfg.ConfigOpts, clock_: clock.Clock | None = None
    ) -> None:
        """Keep options and clock; nothing is started yet.

        :param clock_: tells how long a process takes to end; the machine's
            when none is given
        """
        super().__init__(conf)
        self._root = root.Root(conf)
        self._clock = clock_ or clock.SystemClock()
        self._reaper = reaper.Reaper()

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse a place, a check or variables that can never be right."""
        _place(properties)
        _check(properties)
        _variables(properties)
        command = properties.get("command")
        if isinstance(command, list) and command and not command[0]:
            raise _wrong("command", "names no program; its first is empty")
        if isinstance(command, list) and "\0" in "".join(map(str, command)):
            raise _wrong("command", "contains a zero byte")

    def create(self, context: resource.Context) -> resource.PhysicalId:
        """Start the command, unless an earlier attempt has.

        :raises root.Refused: it cannot be run, or its port is taken
        """
        properties = context.properties
        with (
            kept.opened(self._root, context.token) as files,
            kept.locked(files) as lock,
        ):
            process = files.find_running()
            if process is None:
                _check_free(properties)
                with self._working_directory(_place(properties)) as place:
                    process = start.start(
                        files,
                        lock,
                        typing.cast("list[str]", properties["command"]),
                        _variables(properties),
                        place,
                        self._reaper,
                    )
        return str(process)

    def is_created(self, context: resource.Context) -> resource.Pending | None:
        """Answer ``None`` once it serves.

        :raises root.Refused: it ended, or does not serve in time
        """
        process = _identity(context)
        check = _check(context.properties)
        problem = _find_problem(process, check)
        with kept.opened(self._root, context.token) as files:
            if not proc.is_alive(process):
                text = self._obituary(files)
                files.forget()
                raise root.Refused(text)
            if not problem:
                return resource.DONE
            if check is not None and proc.age_s(process) > check.timeout_s:
                raise root.Refused(
                    f"it does not serve {check.timeout_s:g} seconds after"
                    f" its start: {problem}{self._last_words(files)}"
                )
        return resource.Pending(after_s=_POLL_S, note=problem)

    def find(
        self, context: resource.Context
    ) -> resource.PhysicalId | resource.Made | None:
        """Return the process that an earlier attempt started, if it runs."""
        with (
            kept.opened(self._root, context.token) as files,
            kept.locked(files),
        ):
            process = files.find_running()
            if process is None:
                files.forget()
        return None if process is None else str(process)

    def delete(self, context: resource.Context) -> None:
        """Ask the process and its children to end."""
        process = _identity(context)
        if proc.is_alive(process):
            proc.send(process, signal.SIGTERM)
        else:
            children = proc.children_of(process, context.token)
            proc.send_all(children, signal.SIGTERM)

    def is_deleted(self, context: resource.Context) -> resource.Pending | None:
        """Answer ``None`` once all have ended; kill those that do not.

        :raises root.Refused: the operating system cannot end it
        """
        process = _identity(context)
        children = []
        if not proc.is_alive(process):
            children = proc.children_of(process, context.token)
            if not children:
                with kept.opened(self._root, context.token) as files:
                    files.forget()
                return resource.DONE
        limit_s = typing.cast("float", context.properties["stop_timeout_s"])
        over_s = self._clock.now() - context.started_at - limit_s
        if over_s > _KILL_S:
            raise root.Refused(
                f"process {process.pid} does not end even when it is killed;"
                " look at the machine"
            )
        if over_s >= 0:
            proc.send(process, signal.SIGKILL)
            proc.send_all(children, signal.SIGKILL)
        return resource.Pending(after_s=_POLL_S, note="is being stopped")

    def read_attributes(
        self,
        context: resource.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the process id and where its output goes."""
        log = (root.PRIVATE, kept.PROCESSES, f"{context.token}.{kept.LOG}")
        return {
            "pid": _identity(context).pid,
            "log": self._root.absolute(log),
        }

    def show(self, context: resource.Context) -> object:
        """Return what the machine says of the process now."""
        process = _identity(context)
        is_alive = proc.is_alive(process)
        with kept.opened(self._root, context.token) as files:
            return {
                "pid": process.pid,
                "state": "running" if is_alive else "ended",
                "exit_code": None if is_alive else files.find_exit_code(),
                "last_lines": self._lines(files),
            }

    @contextlib.contextmanager
    def _working_directory(
        self, parts: root.Parts
    ) -> collections.abc.Iterator[int]:
        with contextlib.ExitStack() as opened:
            try:
                number = opened.enter_context(self._root.directory(parts))
            except FileNotFoundError as error:
                raise root.Refused(
                    f"the working_directory {'/'.join(parts)} is not there;"
                    " let the process depend on an Orch::Local::Directory"
                ) from error
            yield number

    def _obituary(self, files: kept.Kept) -> str:
        code = files.find_exit_code()
        how = "it ended"
        if code is not None and code < 0:
            how = f"it was ended by signal {-code}"
        elif code is not None:
            how = f"it ended with exit code {code}"
        return f"{how} before it served{self._last_words(files)}"

    def _last_words(self, files: kept.Kept) -> str:
        lines = self._lines(files)
        return f"; its last lines: {' | '.join(lines)}" if lines else ""

    def _lines(self, files: kept.Kept) -> list[str]:
        most = self.conf.local.max_log_kib * 1024
        return files.read(kept.LOG, most).splitlines()[-_LINES:]


def _find_problem(process: proc.Identity, check: health.Check | None) -> str:
    """Return why the process does not count as up, empty when it does."""
    if check is not None:
        return check.find_problem()
    return "" if proc.age_s(process) >= _SETTLE_S else "has just begun"


def _identity(context: resource.Context) -> proc.Identity:
    process = proc.parse(context.physical_id or "")
    if process is None:
        raise root.Refused(
            f"{context.physical_id!r} names no process; it should be a"
            " process id and its start time"
        )
    return process


def _place(
    properties: collections.abc.Mapping[str, object],
) -> root.Parts:
    path = properties.get("working_directory")
    return root.parse(str(path), "working_directory") if path else ()


def _check(
    properties: collections.abc.Mapping[str, object],
) -> health.Check | None:
    given = properties.get("health_check")
    return health.parse(
        typing.cast("collections.abc.Mapping[str, object] | None", given)
    )


def _check_free(properties: collections.abc.Mapping[str, object]) -> None:
    check = _check(properties)
    if check is not None and check.is_port_taken():
        raise root.Refused(
            f"port {check.port} is in use by another program already; stop"
            " that or choose another port"
        )


def _variables(
    properties: collections.abc.Mapping[str, object],
) -> dict[str, str]:
    given = typing.cast(
        "collections.abc.Mapping[str, object]",
        properties.get("environment") or {},
    )
    for name, value in given.items():
        if not name or "=" in name or "\0" in f"{name}{value}":
            raise _wrong(
                "environment",
                f"has a name {name!r}, or its value,"
                " that no variable can have",
            )
        if not isinstance(value, str | int | float):
            raise _wrong("environment", f"needs a text as value of {name}")
    return {name: str(value) for name, value in given.items()}


def _wrong(name: str, text: str) -> errors.Invalid:
    text = f"{name} {text}"
    return errors.Invalid(text, [errors.Problem(text, path=name)])
