# The commands run here are our own, and found where they belong.
# ruff: noqa: S603
"""Runs the tests that Heat publishes: ``python -m tools.heat_tests``.

First ``tests.functional.test_published``, which plays heat-tempest-plugin;
then ``heat_integrationtests`` of the package that ``tools/heat.lock`` names,
on the control plane that :mod:`tools.cloud` starts. The page *Heat's tests* of
the documents says which tests differ and why: these are counted as skipped.

Where the second suite cannot be had, or no control plane, the output says so
above the summary. The last line counts; it stands in
``build/tests/summary-heat`` as well.
"""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import typing
import zipfile

import fixtures
import tempest

from tests.support import heat_suite
from tests.support import rig
from tools import cloud
from tools import durations
from tools import run_tests

SUITE: typing.Final = "heat_integrationtests"
PLUGIN: typing.Final = "heat_tempest_plugin.tests.functional"
SUMMARY: typing.Final = pathlib.Path("build/tests/summary-heat")
_LOCK: typing.Final = pathlib.Path(__file__).with_name("heat.lock")
_HOME: typing.Final = pathlib.Path("build/heat")
_DOWNLOAD_S: typing.Final = 120
_PUBLISHED: typing.Final = r"^tests\.functional\.test_published\."
_WORKERS: typing.Final = 3
_STALL_S: typing.Final = 900

DIFFERING: typing.Final = (
    "replace_huge_min_in_service",
    "replace_with_adjusted_capacity",
    "no_replace_with_adjusted_capacity",
    "test_nested_resources_nochange",
    "test_cancel_update_without_rollback",
    "test_cancel_create_without_rollback",
    "test_check_fail",
    "test_unavailable_resources_not_listed",
    "test_resource_group_zero_novalidate",
    "test_replace_software_deployments",
    "test_adopt_nested_stack_resources",
    "TemplateResourceAdoptTest.test_abandon",
    "test_update_trunk_name_and_description",
)
"""Ends of names of tests that fail on purpose; the page says why."""

NOT_PLAYED: typing.Final = ("test_notifications",)
"""Modules that ask for options which oslo.messaging no longer has."""


def provide(home: pathlib.Path = _HOME) -> str | None:
    """Return why the second suite cannot be had; ``None``: it is there."""
    wanted = _LOCK.read_text(encoding="utf-8")
    stamp = home / "installed"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return None
    print(f"{SUITE}: downloading ...", flush=True)
    shutil.rmtree(home, ignore_errors=True)
    fault = _download(home)
    if fault is None:
        (package,) = home.glob("*.whl")
        with zipfile.ZipFile(package) as archive:
            names = archive.namelist()
            own = [each for each in names if each.startswith(f"{SUITE}/")]
            archive.extractall(home, own)
        if not own:
            return f"{package.name} has no {SUITE}"
        stamp.write_text(wanted, encoding="utf-8")
    return fault


def _download(home: pathlib.Path) -> str | None:
    """Return why the package cannot be downloaded."""
    try:
        done = subprocess.run(
            (
                *(sys.executable, "-m", "pip", "download", "--quiet"),
                *("--disable-pip-version-check", "--retries", "1"),
                *("--no-deps", "--only-binary", ":all:"),
                *("--dest", str(home), "--requirement", str(_LOCK)),
            ),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_DOWNLOAD_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)[:300]
    if not done.returncode:
        return None
    lines = [each for each in done.stdout.splitlines() if "ERROR" in each]
    return (lines or [done.stdout.strip()])[0][:300]


def play(found: rig.Rig, tally: run_tests.Tally) -> None:
    """Play both suites on a control plane; count their tests."""
    began, used_s = time.monotonic(), durations.cpu_s()
    own = run_tests.Tally()
    home = _HOME.absolute()
    plugin = pathlib.Path(str(tempest.__file__)).parent
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(heat_suite.Installation(found))
        for name, value in place.environment().items():
            stack.enter_context(fixtures.EnvironmentVariable(name, value))
        for suite, tests, top in (
            (SUITE, home / SUITE, home),
            (PLUGIN, plugin / "test_discover", plugin.parent),
        ):
            phase = run_tests.Phase(suite, _WORKERS, _STALL_S)
            code, is_cut = run_tests.play(
                (
                    *(sys.executable, "-m", "stestr"),
                    *("-d", str(place.directory)),
                    *("--test-path", str(tests), "--top-dir", str(top)),
                    *("run", "--subunit", "--concurrency", str(_WORKERS)),
                    *("--exclude-regex", "|".join(NOT_PLAYED)),
                    rf"^{suite}\.",
                ),
                phase,
                own,
            )
            if code and not own.failed and not is_cut:
                own.broken.append(f"{suite}: stestr exited with {code}")
    excuse(own)
    print(own.line(), flush=True)
    tally.absorb(own)
    tally.times.add_phase(
        "heat",
        own.passed,
        time.monotonic() - began,
        durations.cpu_s() - used_s,
    )


def excuse(tally: run_tests.Tally) -> None:
    """Count failures of tests that differ on purpose as skipped."""
    for name in list(tally.failed):
        # A scenario's name stands behind, or an id, in brackets.
        if re.split(r"[(\[]", name)[0].endswith(DIFFERING):
            del tally.failed[name]
            tally.skipped["differs from Heat on purpose, and failed"] += 1


def main() -> int:
    """Run both suites; return the exit code."""
    SUMMARY.unlink(missing_ok=True)
    run_tests.prepare()
    tally = run_tests.Tally()
    (functional,) = [
        each for each in run_tests.PHASES if each.name == "functional"
    ]
    run_tests.run(functional, tally, _PUBLISHED)
    for module in NOT_PLAYED:
        tally.omitted.append(f"{module} of {SUITE}: see Heat's tests")
    fault = provide()
    if fault is None:
        plane = cloud.Plane.chosen(("core", "swift"))
        try:
            with cloud.running(plane):
                os.environ[cloud.PLACE] = str(plane.home)
                play(rig.insist("compute", "object-store"), tally)
        except cloud.PlaneError as error:
            fault = f"no control plane: {error}"
    if fault is not None:
        tally.omitted.append(f"ALL OF {SUITE}: {fault}")
    run_tests.report(tally, SUMMARY)
    if fault is not None:
        print(f"!! HEAT'S SECOND SUITE WAS NOT PLAYED: {fault}")
    return 0 if tally.is_good() else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, run_tests.end)
    sys.exit(main())
