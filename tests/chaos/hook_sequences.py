"""Five recording plug-ins in systems that are hurt, and what must hold.

The journal of the plug-ins says who was called, and survives ``kill -9``;
the rows say what the workers know of it.
"""

import collections.abc
import functools
import itertools
import threading

import sqlalchemy as sa

from orch import clock
from orch.db.models import stacks as stack_tables
from orch.db.repositories import lifecycle as runs
from orch.model import lifecycle as model
from orch.model import states
from tests import base as tests_base
from tests.chaos import base
from tests.chaos import records
from tests.support import lifecycle as plugins
from tests.support import processes
from tests.support import rest
from tests.support import systems
from tests.support import world_templates

COUNT = 5
_ENDS_S = 180.0
"""Each death costs the start of a worker, one after the other."""

Lines = list[plugins.Json]


class Restarter:
    """Starts again whichever worker of a system has died.

    The leases of the dead one end at once: how long others wait for that is
    not what is asked here, and would be most of the time of a test.

    :ivar starts: how often
    """

    def __init__(self, system: systems.System, rows: records.Records) -> None:
        """Look after those that run now."""
        self.starts = 0
        self._rows = rows
        self._watched = [
            each
            for each in system.members
            if each.program != "orch-api" and each.is_running()
        ]
        self._error: BaseException | None = None
        self._is_stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def stop(self) -> None:
        """Look after nobody any more.

        :raises Exception: one that had died did not start again
        """
        self._is_stopping.set()
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _watch(self) -> None:
        try:
            while not self._is_stopping.wait(0.02):
                for each in self._watched:
                    if not each.is_running():
                        each.kill()
                        self._end_leases(each)
                        each.start()
                        self.starts += 1
        except Exception as error:
            self._error = error

    def _end_leases(self, dead: processes.Process) -> None:
        is_alone = len(self._watched) == 1
        workers = [
            worker
            for worker, host in self._rows.hosts().items()
            if is_alone or host == dead.log.stem
        ]
        table = stack_tables.OPERATIONS
        self._rows.change(
            sa.update(table)
            .where(
                table.c.owner.in_(workers),
                table.c.state == states.OperationState.RUNNING,
            )
            .values(lease_expires_at=clock.Timestamp(1.0))
        )


class Checks(tests_base.TestCase):
    """What must hold of all calls, whatever became of workers.

    :ivar plugins: what they do, and were called for
    """

    plugins: plugins.Plugins
    records: records.Records

    def runs(self) -> list[model.Run]:
        """Return what the rows say of the calls of all operations."""
        return [
            run
            for each in self.records.operations()
            for run in self.records.database.query(
                functools.partial(runs.list_, operation_id=each["id"])
            )
        ]

    def check_calls(self, outcomes: collections.abc.Mapping[str, str]) -> None:
        """Check the calls of all operations that have ended.

        :param outcomes: of each operation, by its id
        """
        found = self.runs()
        self.assertEqual(
            sorted(outcomes), sorted(str(each.operation_id) for each in found)
        )
        for run in found:
            outcome = outcomes[str(run.operation_id)]
            self.check_run(run, self.lines(run), outcome)

    def lines(self, run: model.Run) -> Lines:
        """Return what the plug-ins wrote of these calls."""
        return [
            each
            for each in self.plugins.lines()
            if (each["operation"], each["attempt"], each["verb"])
            == (run.operation_id, run.attempt, run.verb)
        ]

    def check_run(
        self, run: model.Run, lines: Lines, outcome: str | None = None
    ) -> None:
        """Check the calls around one attempt of an operation.

        :param outcome: ``None`` for any, the same for all
        """
        what = f"{run.verb} of {lines[0]['stack'] if lines else run}"
        self.assertIs(model.Stage.CLOSED, run.stage, what)
        pres, posts = (
            [each for each in lines if each["phase"] == phase]
            for phase in (model.PRE, model.POST)
        )
        # Whoever was called before is called behind; but who was against it.
        denied = {each.plugin for each in run.calls if each.ruling == "deny"}
        called = {str(each["plugin"]) for each in posts}
        missing = {str(each["plugin"]) for each in pres} - denied - called
        self.assertEqual(set(), missing, what)
        self.assertEqual(set(), denied & called, what)
        # In order, and in reverse; nobody before all have ruled.
        firsts = first_names(pres)
        self.assertEqual(list(run.chain[: len(firsts)]), firsts, what)
        self.assertEqual(
            [each for each in run.chain[::-1] if each in called],
            first_names(posts),
            what,
        )
        for before, behind in itertools.product(pres, posts):
            self.assertLess(before["at"], behind["at"], what)
        # What became of it, the same for all.
        told = {str(each["outcome"]) for each in posts}
        self.assertEqual({outcome or run.outcome} if posts else set(), told)
        known = {(each.plugin, each.phase) for each in run.calls}
        # Whoever asks for an end may come before a lost call is made again.
        told = {
            (str(each["plugin"]), str(each["phase"]))
            for each in (posts if outcome is None else lines)
        }
        self.assertEqual(set(), told - known, f"{what}: {run}, {lines}")
        self.check_known(run, lines, what)

    def check_known(self, run: model.Run, lines: Lines, what: str) -> None:
        """Check that each call is known once, and was the last of its kind."""
        known = [(each.plugin, each.phase) for each in run.calls]
        self.assertEqual(sorted(set(known)), sorted(known), what)
        for call in run.calls:
            same = [
                each
                for each in lines
                if (each["plugin"], each["phase"]) == (call.plugin, call.phase)
            ]
            later = [each for each in same if each["at"] >= call.began_at]
            self.assertEqual(1, len(later), f"{what}: {call}")
            self.assertTrue(call.is_repeat or len(same) == 1, what)
            self.assertIsNone(call.error, what)


class HookSequenceTestCase(Checks, base.ChaosTestCase):
    """Systems with five recording plug-ins."""

    def setUp(self) -> None:
        super().setUp()
        self.plugins = self.useFixture(plugins.Plugins(COUNT))
        self.settings = base.options(
            engine={"scan_interval": 0.1}, **self.plugins.options
        )
        self.world.environment.update(self.plugins.environment)

    def ask_for(self, name: str, **body: object) -> base.AcceptedStack:
        """Ask for a chain of three things; return once it is accepted."""
        return self.create(name, world_templates.chain(), **body)

    def wait_until_idle(self) -> None:
        self.records.wait_until_idle(timeout_s=_ENDS_S)

    def check_world(self) -> None:
        """Check that the things that stand are those that rows tell of."""
        rows = {
            str(each["physical_id"])
            for each in self.records.resources()
            if each["physical_id"] is not None
        }
        stacks = {str(each["stack"]) for each in self.plugins.lines()}
        standing = {
            each.id
            for name in stacks
            for each in self.world.physical_resources(name)
        }
        self.assertEqual(rows, standing)
        self.check_no_doubles()

    def newest(self, stack: rest.Stack) -> str:
        """Return the id of the newest operation of a stack."""
        found = [
            each
            for each in self.records.operations()
            if each["stack_id"] == stack.id
        ]
        return str(found[-1]["id"])


def first_names(lines: Lines) -> list[str]:
    """Return the plug-ins in the order in which each was first called."""
    return list(dict.fromkeys(str(each["plugin"]) for each in lines))
