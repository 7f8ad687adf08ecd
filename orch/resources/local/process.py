"""``Orch::Local::Process``: a program that runs as long as its stack.

It belongs to no worker: it goes on when the worker that started it ends or
is killed, and any worker on the machine watches it and stops it.
"""

import collections.abc
import contextlib
import dataclasses
import math
import os
import signal
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import type_files
from orch.resources.local import health
from orch.resources.local import owned_process
from orch.resources.local import path_base
from orch.resources.local import proc
from orch.resources.local import records
from orch.resources.local import root

_SETTLE_S: typing.Final = 0.3
"""How long a process without a health check has to live to count as up."""
_BUSY_SETTLE_S: typing.Final = 3.0
"""The same for one that computes, which may have done nothing yet."""
_POLL_S: typing.Final = 0.1
_KILL_S: typing.Final = 30.0
_CHECK_S: typing.Final = 5.0
"""How long a check waits for a process that does not answer at once."""


@type_files.described("Orch::Local::Process")
class Process(path_base.LocalResource):
    """A program on the worker's machine, stopped when it is deleted."""

    own_settings = frozenset({"health_check", "stop_timeout_s"})

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse a place, a check or variables that can never be right."""
        _place(properties)
        _check(properties)
        _variables(properties)
        command = properties.get("command")
        if isinstance(command, list) and command and not command[0]:
            raise errors.property_error(
                "command", "names no program; its first is empty"
            )
        if isinstance(command, list) and "\0" in "".join(map(str, command)):
            raise errors.property_error("command", "contains a zero byte")

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Start the command, unless an earlier attempt has.

        :raises root.LocalRefused: it cannot be run, or its port is taken
        """
        properties = context.properties
        parts = _place(properties)
        with self._open_locked(context) as (process, lock):
            identity = process.find_running()
            if identity is None:
                _check_free(properties)
                try:
                    with self._root.directory(parts) as place:
                        identity = process.start(
                            lock,
                            properties["command"],
                            _variables(properties),
                            place,
                        )
                except FileNotFoundError as error:
                    raise root.LocalRefused(
                        f"the working_directory {'/'.join(parts)} is not"
                        " there; let the process depend on an"
                        " Orch::Local::Directory"
                    ) from error
        return str(identity)

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it serves.

        :raises root.LocalRefused: it ended, or does not serve in time
        """
        with self._open(context) as process:
            age_s = proc.age_s(process.identity)
            try:
                return self._look(
                    context, age_s, "its start", when="before it served"
                )
            except root.Gone:
                process.forget()
                raise

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Return the process that an earlier attempt started, if it runs."""
        with self._open_locked(context) as (process, _):
            identity = process.find_running()
            if identity is None:
                process.forget()
        return None if identity is None else str(identity)

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Take a process for ours that another resource has started.

        Its log and the records of it are ours, too, from then on.

        :raises root.LocalRefused: no resource has started it
        """
        adopted = dataclasses.replace(context, physical_id=given.physical_id)
        with self._open_locked(adopted) as (process, _):
            process.adopt()
        return given

    def get_reality(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Look whether it runs; return the command that it was started with.

        What it calls itself by now does not count: many programs do. The
        other properties say how Orch looks after it, and are nowhere to be
        read.

        :raises root.Gone: it has ended
        """
        with self._open(context) as process:
            process.check_alive()
            record = process.record()
        return {"command": record["command"]} if record else {}

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Let the process run on; what changes is how it is looked after.

        :raises root.LocalRefused: it has ended
        """
        self.validate(context.properties)
        with self._open_ours(context):
            pass

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it serves by the new health check.

        :raises root.LocalRefused: it has ended, or does not serve in time
        """
        with self._open(context) as process:
            if process.is_at_rest():
                return call_context.DONE
        return self._look(context, self._waited_s(context), "the update")

    def suspend(self, context: call_context.Context) -> None:
        """Stop it where it is (SIGSTOP), its children too.

        It keeps its memory, its files and its ports, and uses no CPU.

        :raises root.LocalRefused: it has ended
        """
        with self._open_ours(context) as process:
            os.close(process.open(owned_process.REST, os.O_WRONLY))
            process.send(signal.SIGSTOP)

    def is_suspended(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it stands still.

        :raises root.LocalRefused: it has ended
        """
        with self._open_ours(context) as process:
            if proc.is_stopped(process.identity):
                return call_context.DONE
        return call_context.Pending(after_s=_POLL_S, note="is being stopped")

    def resume(self, context: call_context.Context) -> None:
        """Let it go on from where it is (SIGCONT), its children too.

        :raises root.LocalRefused: it has ended
        """
        with self._open_ours(context) as process:
            process.send(signal.SIGCONT)
            process.remove(owned_process.REST)

    def is_resumed(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once it serves again.

        :raises root.LocalRefused: it has ended, or does not serve in time
        """
        return self._look(context, self._waited_s(context), "it was resumed")

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Look whether it runs and serves; one at rest only has to be there.

        :raises root.LocalRefused: it has ended, stands still, or does not
            serve
        """
        with self._open_ours(context) as process:
            if process.is_at_rest():
                return call_context.DONE
            if proc.is_stopped(process.identity):
                raise root.LocalRefused(
                    "it was stopped from outside (SIGSTOP); send it SIGCONT"
                )
        waited_s = self._waited_s(context)
        return self._look(context, waited_s, "it was asked", most_s=_CHECK_S)

    def delete(self, context: call_context.Context) -> None:
        """Ask the process and its children to end; wake those at rest.

        One that no resource has started is left alone.
        """
        with self._open(context) as process:
            if process.is_leader_ours():
                proc.send_signal(process.identity, signal.SIGTERM)
            else:
                proc.send_all(process.find_children(), signal.SIGTERM)
            process.send(signal.SIGCONT)

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once all have ended; kill those that do not.

        :raises root.LocalRefused: the operating system cannot end it
        """
        limit_s = typing.cast("float", context.properties["stop_timeout_s"])
        over_s = self._waited_s(context) - limit_s
        with self._open(context) as process:
            if not process.is_leader_ours() and not process.find_children():
                process.forget()
                return call_context.DONE
            if over_s > _KILL_S:
                raise root.LocalRefused(
                    f"process {process.identity.pid} does not end even when"
                    " it is killed; check the machine"
                )
            if over_s >= 0:
                process.send(signal.SIGKILL)
        return call_context.Pending(after_s=_POLL_S, note="is being stopped")

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the process id and where its output goes."""
        with self._open(context) as process:
            token = process.owner() or context.token
        log = f"{token}.{owned_process.LOG}"
        place = (root.PRIVATE, owned_process.PROCESSES, log)
        return {
            "pid": process.identity.pid,
            "log": self._root.absolute(place),
        }

    def show(self, context: call_context.Context) -> object:
        """Return what the machine says of the process now."""
        with self._open(context) as process:
            is_alive = proc.is_alive(process.identity)
            state = "running" if is_alive else "ended"
            if is_alive and proc.is_stopped(process.identity):
                state = "stopped"
            return {
                "pid": process.identity.pid,
                "state": state,
                "exit_code": None if is_alive else process.find_exit_code(),
                "last_lines": process.last_lines(),
            }

    @contextlib.contextmanager
    def _open(
        self, context: call_context.Context
    ) -> collections.abc.Iterator[owned_process.OwnedProcess]:
        """Give the process of a resource, whether it runs or not."""
        max_bytes = self.conf.local.max_log_kib * 1024
        with self._root.private(owned_process.PROCESSES) as directory:
            yield owned_process.OwnedProcess(
                directory, context.token, context.physical_id, max_bytes
            )

    @contextlib.contextmanager
    def _open_ours(
        self, context: call_context.Context, when: str = ""
    ) -> collections.abc.Iterator[owned_process.OwnedProcess]:
        """Give a process that runs, and that a resource has started.

        :param when: when it ended if it has, for the error
        :raises root.Gone: it has ended
        :raises root.LocalRefused: no resource has started it
        """
        with self._open(context) as process:
            process.check_alive(when)
            process.check_owned()
            yield process

    @contextlib.contextmanager
    def _open_locked(
        self, context: call_context.Context
    ) -> collections.abc.Iterator[tuple[owned_process.OwnedProcess, int]]:
        """Give the process, and the lock that keeps others from a start.

        :raises orch.errors.Transient: another start goes on and on
        """
        busy = "the process is being started by another worker; retry"
        with (
            self._open(context) as process,
            records.lock_file(
                process.directory, process.name(owned_process.LOCK), busy
            ) as lock,
        ):
            yield process, lock

    def _waited_s(self, context: call_context.Context) -> float:
        return self.clock.now() - context.started_at

    def _look(
        self,
        context: call_context.Context,
        waited_s: float,
        after: str,
        *,
        most_s: float = math.inf,
        when: str = "",
    ) -> call_context.Pending | None:
        """Look whether a process serves.

        :param waited_s: for how long it was waited
        :param after: what was before, for the error
        :param most_s: how long to wait, where its health check waits longer
        :param when: when it ended if it has, for the error
        :raises root.LocalRefused: it has ended, or does not serve in time
        """
        check = _check(context.properties)
        timeout_s = health.DEFAULT_TIMEOUT_S
        problem = "has just begun"
        if check is not None:
            problem, timeout_s = check.find_problem(), check.timeout_s
        timeout_s = min(timeout_s, most_s)
        with self._open_ours(context, when) as process:
            if check is None and _has_settled(process.identity):
                problem = ""
            if not problem:
                return call_context.DONE
            if waited_s > timeout_s:
                raise root.LocalRefused(
                    f"it does not serve {timeout_s:g} seconds after {after}:"
                    f" {problem}{process.last_words()}"
                )
        return call_context.Pending(after_s=_POLL_S, note=problem)


def _has_settled(process: proc.Identity) -> bool:
    age_s = proc.age_s(process)
    return age_s >= _BUSY_SETTLE_S or (
        age_s >= _SETTLE_S and not proc.is_busy(process)
    )


def _place(
    properties: collections.abc.Mapping[str, object],
) -> root.Parts:
    path = properties.get("working_directory")
    return root.parse_path(str(path), "working_directory") if path else ()


def _check(
    properties: collections.abc.Mapping[str, object],
) -> health.Check | None:
    given = properties.get("health_check")
    return health.parse_check(
        typing.cast("collections.abc.Mapping[str, object] | None", given)
    )


def _check_free(properties: collections.abc.Mapping[str, object]) -> None:
    check = _check(properties)
    if check is not None and check.is_port_taken():
        raise root.LocalRefused(
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
            raise errors.property_error(
                "environment",
                f"has a name {name!r}, or its value,"
                " that no variable can have",
            )
        if not isinstance(value, str | int | float):
            raise errors.property_error(
                "environment", f"needs a text as value of {name}"
            )
    return {name: str(value) for name, value in given.items()}
