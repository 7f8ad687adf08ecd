# The commands run here are our own, and found where they belong.
# ruff: noqa: S603
"""Runs the tests of ``tests/cloud`` on a control plane of real services.

``python -m tools.cloud``: the short set, one case for each type that acts on a
cloud (:mod:`tests.cloud.short_set`); ``python -m tools.cloud full``: all of
them. The control plane is what ``cloud/up`` starts, in the folder that
``ORCH_SHARED`` names, or in ``../shared``: below ``build/cloud``, or where
``ORCH_CLOUD_DIR`` says, with only the services that the tests need. One that
runs there already is used as it is. What was started here is stopped again.
Where it cannot be had the tests are left out, and the last line says so; that
is no failure.

The durations name that of the start as well; the CPU seconds are those of the
processes that have ended, not of the services, whose sum stands before the
summary. The last line counts; it stands in ``build/tests/summary-cloud`` as
well, or in ``summary-cloud-full``.
"""

import collections.abc
import contextlib
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import typing

from tests.cloud import short_set
from tests.support import apart as programs
from tests.support import ports
from tests.support import shared
from tools import durations
from tools import run_tests

SUMMARY: typing.Final = pathlib.Path("build/tests/summary-cloud")
SUMMARY_FULL: typing.Final = pathlib.Path("build/tests/summary-cloud-full")

_HOME: typing.Final = pathlib.Path("build/cloud")
PLACE: typing.Final = "ORCH_CLOUD_DIR"
_RECEIPTS: typing.Final = "OS_FERNET_RECEIPTS__KEY_REPOSITORY"
_FULL: typing.Final = "full"
_CORE: typing.Final = "core"
# What `up` calls a service that is not of its core, by its type.
_EXTRAS: typing.Final = {
    "object-store": "swift",
    "load-balancer": "octavia",
    "key-manager": "barbican",
    "dns": "designate",
}
# Of the core: Keystone, Nova, Placement, Glance, Neutron and Cinder.
_PORTS: typing.Final = {
    _CORE: (5000, 8774, 8778, 9292, 9696, 8776),
    "barbican": (9311,),
    "designate": (9001,),
    "swift": (8080,),
    "octavia": (9876,),
}
_WORKERS: typing.Final = 2
# The tests are cut off when none has ended for so long.
_STALL_S: typing.Final = 900
_START_S: typing.Final = 360
_STOP_S: typing.Final = 60
# What `up` says when it has waited long enough for a service.
_SLOW: typing.Final = "not there after"
_FAULTS: typing.Final = ("FAILED", "taken", _SLOW)


class PlaneError(Exception):
    """There is no control plane; the text says why."""


@dataclasses.dataclass(frozen=True)
class Plane:
    """A control plane in a folder.

    :ivar tools: where ``up``, ``down`` and ``status`` are
    :ivar home: what it keeps, and its log
    :ivar is_given: somebody else named the folder, and keeps things there
    :ivar services: what is started, as ``up`` calls it
    """

    tools: pathlib.Path
    home: pathlib.Path
    is_given: bool
    services: tuple[str, ...] = (_CORE, *_EXTRAS.values())

    @classmethod
    def chosen(cls, services: tuple[str, ...]) -> typing.Self:
        """Return the one that the environment names."""
        named = os.environ.get(PLACE)
        return cls(
            tools=shared.ROOT / "cloud",
            home=pathlib.Path(named or _HOME).absolute(),
            is_given=bool(named),
            services=services,
        )

    def is_running(self) -> bool:
        """Answer whether services of it run.

        :raises PlaneError: nobody can tell
        """
        # A line for each service that runs, and one of the sum.
        return "keystone" in self._run("status", limit_s=_STOP_S)

    def usage(self) -> str:
        """Return what its services have used so far, in a line.

        :raises PlaneError: it cannot be read
        """
        return self._run("status", limit_s=_STOP_S).strip().splitlines()[-1]

    def start(self) -> None:
        """Start what does not run of it.

        :raises PlaneError: it cannot be started; what was, is stopped
        """
        print(f"the control plane: starting in {self.home} ...", flush=True)
        deadline = time.monotonic() + _START_S
        try:
            self._up(deadline)
        except PlaneError:
            self.stop()
            raise

    def _up(self, deadline: float) -> None:
        """Start it; on a slow machine it takes a second call."""
        try:
            self._run("up", *self.services, limit_s=_START_S)
        except PlaneError as error:
            left_s = deadline - time.monotonic()
            if _SLOW not in str(error) or left_s <= 0:
                raise
            self._run("up", *self.services, limit_s=left_s)

    def stop(self) -> None:
        """Stop it; what only we have used is removed."""
        with contextlib.suppress(PlaneError):
            wipe = () if self.is_given else ("--wipe",)
            self._run("down", *wipe, limit_s=_STOP_S)

    def _run(self, name: str, *arguments: str, limit_s: float) -> str:
        """Return what a command prints.

        :raises PlaneError: it failed, or took too long
        """
        self.home.mkdir(parents=True, exist_ok=True)
        # A session of its own: what hangs is killed with all that it runs.
        # Its services are in sessions of their own, and go on.
        with subprocess.Popen(
            (str(self.tools / name), *arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={
                **_environment(),
                PLACE: str(self.home),
                # Keystone does not start without, and `up` does not say it.
                _RECEIPTS: str(self.home / "state" / "keystone" / "fernet"),
            },
            start_new_session=True,
        ) as command:
            try:
                told, _ = command.communicate(timeout=limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(command.pid, signal.SIGKILL)
                raise PlaneError(
                    f"{name} was not done in {limit_s:.0f} s"
                ) from None
        if command.returncode:
            raise PlaneError(f"{name} failed: {_last_line(told)}")
        return told


def _environment() -> dict[str, str]:
    """Return the environment without what is said of this project alone.

    Others of pbr's packages would be built as our version.
    """
    return {
        name: value
        for name, value in os.environ.items()
        if name != "PBR_VERSION"
    }


def _last_line(told: str) -> str:
    lines = [each for each in told.splitlines() if each.strip()]
    faults = [each for each in lines if any(one in each for one in _FAULTS)]
    return (faults or lines or ["it said nothing"])[-1].strip()[:300]


@contextlib.contextmanager
def running(plane: Plane) -> collections.abc.Iterator[None]:
    """Run a control plane for as long as this is open.

    :raises PlaneError: there is none
    """
    if not (plane.tools / "up").exists():
        raise PlaneError(f"{plane.tools}/up is not there")
    was_running = plane.is_running()
    if not was_running:
        taken = [
            str(port)
            for service in plane.services
            for port in _PORTS[service]
            if ports.is_open(port)
        ]
        if taken:
            raise PlaneError(
                f"something else listens on port {', '.join(taken)}; stop it,"
                f" or name its folder in {PLACE}"
            )
    plane.start()
    try:
        yield
    finally:
        if not was_running:
            plane.stop()


def services_of(cases: collections.abc.Iterable[short_set.Case]) -> set[str]:
    """Return what cases need, as ``up`` calls it."""
    types = {service for case in cases for service in case.services}
    return {_CORE} | {_EXTRAS[each] for each in types & _EXTRAS.keys()}


def main(arguments: collections.abc.Sequence[str] = ()) -> int:
    """Run the tests; return the exit code.

    :param arguments: ``full`` for all; otherwise the short set
    """
    if set(arguments) - {_FULL}:
        print(f"what is {' '.join(arguments)}? It knows: {_FULL}")
        return 2
    if arguments:
        every = (_CORE, *_EXTRAS.values())
        return _play(None, every, SUMMARY_FULL, programs.CLOUD)
    cases = short_set.cases()
    names = "|".join(re.escape(case.name) for case in cases)
    services = sorted(services_of(cases))
    return _play(f"^({names})$", tuple(services), SUMMARY)


def _play(
    wanted: str | None,
    services: tuple[str, ...],
    summary: pathlib.Path,
    needed: tuple[programs.Program, ...] = (),
) -> int:
    """Run tests on a control plane; return the exit code.

    :param wanted: what the names of the tests match; all without
    :param needed: programs that are installed before
    """
    summary.unlink(missing_ok=True)
    tally = run_tests.Tally()
    run_tests.provide(needed, tally)
    plane = Plane.chosen(services)
    began, used_s = time.monotonic(), durations.cpu_s()
    try:
        with running(plane):
            tally.times.add_phase(
                "start",
                0,
                time.monotonic() - began,
                durations.cpu_s() - used_s,
            )
            os.environ[PLACE] = str(plane.home)
            phase = run_tests.Phase("cloud", _WORKERS, _STALL_S)
            run_tests.run(phase, tally, wanted)
            with contextlib.suppress(PlaneError):
                print(f"the services: {plane.usage()}", flush=True)
    except PlaneError as reason:
        return _leave_out(str(reason), summary)
    run_tests.report(tally, summary)
    return 0 if tally.is_good() else 1


def _leave_out(reason: str, summary: pathlib.Path) -> int:
    """Say that there was nothing to test on; return the exit code."""
    line = f"!! LEFT OUT, no control plane: {reason}"
    summary.parent.mkdir(parents=True, exist_ok=True)
    summary.write_text(line + "\n", encoding="utf-8")
    print(line)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, run_tests.end)
    sys.exit(main(sys.argv[1:]))
