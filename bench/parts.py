"""The single measurements, each on a freshly started system."""

import collections.abc
import json
import pathlib
import subprocess
import sys
import threading
import time

import pymysql

from bench import machine
from tests.support import services
from tests.support import systems

_QUIET_S = 3
_VERSION = "2021-04-16"
_FREE = "OS::Heat::None"

Part = collections.abc.Callable[
    [systems.System, pathlib.Path, pathlib.Path, bool], None
]


def shapes(
    system: systems.System,
    load: pathlib.Path,
    target: pathlib.Path,
    is_large: bool,
) -> None:
    """Create, update and delete 1,000 (and 10,000) in three shapes."""
    sizes = "1000,10000" if is_large else "1000"
    _drive(
        system,
        load,
        target,
        *("--sizes", sizes, "--ops", "noop,update,delete", "--extras"),
    )


def many(
    system: systems.System,
    load: pathlib.Path,
    target: pathlib.Path,
    is_large: bool,
) -> None:
    """Create and delete 200 stacks of 5 resources, 8 at a time."""
    _drive(
        system,
        load,
        target,
        *("--many", "200", "--n", "5", "--concurrency", "8"),
        *("--ops", "delete"),
    )


def waits(
    system: systems.System,
    load: pathlib.Path,
    target: pathlib.Path,
    is_large: bool,
) -> None:
    """Create 1,000 resources that wait 5 s each, on one worker."""
    workers = system.members[1:] or system.members
    for spare in workers[1:]:
        spare.stop()
    template = {
        "heat_template_version": "2021-04-16",
        "resources": {
            f"r{number}": {
                "type": "OS::Heat::TestResource",
                "properties": {"wait_secs": 5},
            }
            for number in range(1000)
        },
    }
    seen = _Threads(workers[0].pid)
    began = time.monotonic()
    stack = system.client.create("waits", template)
    system.client.wait(stack, "CREATE_COMPLETE", timeout_s=60)
    wall_s = time.monotonic() - began
    _save_result(
        target,
        {
            "op": "waits",
            "n": 1000,
            "wait_s": 5,
            "wall_s": round(wall_s, 2),
            "most_threads_of_the_worker": seen.stop(),
        },
    )


def retry(
    system: systems.System,
    load: pathlib.Path,
    target: pathlib.Path,
    is_large: bool,
) -> None:
    """Go on with 1,000 resources of which one failed."""
    size = 1000
    resources: dict[str, object] = {
        f"r{number}": {"type": "OS::Heat::TestResource"}
        for number in range(size - 1)
    }
    resources["last"] = {
        "type": "Orch::Local::File",
        "properties": {"path": "taken"},
    }
    template = {"heat_template_version": "2021-04-16", "resources": resources}
    for name in ("warm", "measured"):
        taken = system.root / "taken"
        taken.parent.mkdir(parents=True, exist_ok=True)
        taken.touch()
        stack = system.client.create(name, template, keep_going=True)
        system.client.wait(stack, "CREATE_FAILED", timeout_s=60)
        taken.unlink()
        before = _all_cpu_s(system)
        system.client.retry(stack)
        time.sleep(_QUIET_S)
        spent = _all_cpu_s(system) - before
        system.client.wait(stack, "CREATE_COMPLETE", timeout_s=60)
        before = _all_cpu_s(system)
        system.client.ask("PATCH", stack.path, {})
        time.sleep(_QUIET_S)
        spent_on_nothing = _all_cpu_s(system) - before
        system.client.wait(stack, "UPDATE_COMPLETE", timeout_s=60)
        system.client.delete(stack)
        time.sleep(_QUIET_S)
    _save_result(
        target,
        {
            "op": "retry after 1 failure",
            "n": size,
            "cpu_s": round(spent, 2),
            "cpu_s_of_an_update_that_changes_nothing": round(
                spent_on_nothing, 2
            ),
        },
    )


def tree(
    system: systems.System,
    load: pathlib.Path,
    target: pathlib.Path,
    is_large: bool,
) -> None:
    """Create 50 stacks of 20 resources in one, beside 1,000 in one."""
    things = {f"r{n}": {"type": _FREE} for n in range(20)}
    inner = json.dumps(
        {"heat_template_version": _VERSION, "resources": things}
    )
    wide = {f"r{n}": {"type": _FREE} for n in range(1000)}
    deep = {f"kid{n}": {"type": "kid.yaml"} for n in range(50)}
    kinds: dict[str, tuple[dict[str, object], dict[str, str]]] = {
        "flat": ({"heat_template_version": _VERSION, "resources": wide}, {}),
        "tree": (
            {"heat_template_version": _VERSION, "resources": deep},
            {"kid.yaml": inner},
        ),
    }
    for name in ("warm", "measured"):
        for kind, (template, files) in kinds.items():
            spent = {}
            before = _all_cpu_s(system)
            stack = system.client.create(
                f"{name}-{kind}", template, files=files
            )
            time.sleep(_QUIET_S)
            system.client.wait(stack, "CREATE_COMPLETE", timeout_s=60)
            spent["create"] = _all_cpu_s(system) - before
            before = _all_cpu_s(system)
            system.client.ask("PATCH", stack.path, {})
            time.sleep(_QUIET_S)
            system.client.wait(stack, "UPDATE_COMPLETE", timeout_s=60)
            spent["update that changes nothing"] = _all_cpu_s(system) - before
            before = _all_cpu_s(system)
            system.client.delete(stack)
            time.sleep(_QUIET_S)
            system.client.wait(stack, "DELETE_COMPLETE", timeout_s=60)
            spent["delete"] = _all_cpu_s(system) - before
            if name == "measured":
                _save_result(
                    target,
                    {
                        "op": kind,
                        "resources": 1000,
                        "stacks": 51 if files else 1,
                        "cpu_s": {
                            each: round(cpu_s, 2)
                            for each, cpu_s in spent.items()
                        },
                    },
                )


def statements(
    system: systems.System,
    load: pathlib.Path,
    target: pathlib.Path,
    is_large: bool,
) -> None:
    """Count what MariaDB is asked for a chain of 1,000 values."""
    size = 1000
    resources = {
        f"r{number}": {
            "type": "OS::Heat::Value",
            "properties": {
                "value": {"get_attr": [f"r{number - 1}", "value"]}
                if number
                else 1
            },
        }
        for number in range(size)
    }
    template = {"heat_template_version": "2021-04-16", "resources": resources}
    warm = system.client.create("warm", template)
    system.client.wait(warm, "CREATE_COMPLETE", timeout_s=60)
    idle = _count_statements(lambda: time.sleep(5)) / 5
    began = time.monotonic()
    created = _count_statements(lambda: _create(system, template))
    background = idle * (time.monotonic() - began)
    _save_result(
        target,
        {
            "op": "create",
            "type": "OS::Heat::Value",
            "shape": "chain",
            "n": size,
            "statements": created,
            "statements_of_idle_workers_meanwhile": round(background, 1),
            "statements_a_resource": round(created / size, 4),
        },
    )


def idle(
    system: systems.System,
    load: pathlib.Path,
    target: pathlib.Path,
    is_large: bool,
) -> None:
    """Measure what a worker costs that has nothing to do."""
    time.sleep(10)
    worker = (system.members[1:] or system.members)[0]
    cpu_s, seconds = _cpu_s(worker.pid), 30
    time.sleep(seconds)
    _save_result(
        target,
        {
            "op": "idle",
            "cpu_percent": round(
                100 * (_cpu_s(worker.pid) - cpu_s) / seconds, 3
            ),
            "rss_mb": _status(worker.pid, "VmRSS") // 1024,
            "threads": _status(worker.pid, "Threads"),
        },
    )


PARTS: dict[str, Part] = {
    each.__name__: each
    for each in (shapes, many, waits, retry, tree, statements, idle)
}


def _drive(
    system: systems.System,
    load: pathlib.Path,
    target: pathlib.Path,
    *arguments: str,
) -> None:
    pids = system.directory / "pids"
    pids.write_text(
        "".join(
            f"{process.log.stem} {process.pid}\n" for process in system.members
        ),
        encoding="ascii",
    )
    endpoint, _, project = system.endpoint.rpartition("/")
    before = machine.read_servers_cpu_s()
    subprocess.run(
        (
            *(sys.executable, str(load), "--auth", "noauth"),
            *("--endpoint", endpoint, "--project", project),
            *("--pids-file", str(pids), "--out", str(target)),
            *("--label", target.stem, "--timeout", "300"),
            *arguments,
        ),
        check=True,
    )
    after = machine.read_servers_cpu_s()
    _save_result(
        target,
        {
            "op": "servers, all of the above together",
            "cpu": {
                name: round(after[name] - before.get(name, 0), 2)
                for name in after
            },
        },
    )


def _create(system: systems.System, template: dict[str, object]) -> None:
    stack = system.client.create("counted", template)
    time.sleep(_QUIET_S)  # so that it is not our questions that are counted
    system.client.wait(stack, "CREATE_COMPLETE", timeout_s=60)


def _count_statements(act: collections.abc.Callable[[], None]) -> int:
    """Return how many statements the server was asked meanwhile.

    Our own question is not counted; those of the client's polls are.
    """
    before = _questions()
    act()
    return _questions() - before - 1


def _questions() -> int:
    connection = pymysql.connect(**services.MARIADB)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW GLOBAL STATUS LIKE 'Questions'")
            return int(cursor.fetchone()[1])
    finally:
        connection.close()


class _Threads:
    """Watches how many threads a process has at the most."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._max_count = 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def stop(self) -> int:
        """Watch no more; return the highest number seen."""
        self._is_over.set()
        self._thread.join()
        return self._max_count

    def _watch(self) -> None:
        while not self._is_over.wait(0.05):
            self._max_count = max(
                self._max_count, _status(self._pid, "Threads")
            )


def _status(pid: int, name: str) -> int:
    text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    for line in text.splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise LookupError(name)


def _all_cpu_s(system: systems.System) -> float:
    return sum(_cpu_s(process.pid) for process in system.members)


def _cpu_s(pid: int) -> float:
    text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _save_result(target: pathlib.Path, facts: dict[str, object]) -> None:
    line = json.dumps(facts)
    print(line, flush=True)
    with target.open("a", encoding="utf-8") as results:
        results.write(line + "\n")
