"""Runs that look at things before they are planned."""

import threading

from orch.db.repositories import operations
from orch.flow.runner import job
from orch.flow.runner import messages
from orch.model import states
from orch.planner import survey
from tests.support import flows
from tests.unit.flow import running

COMPLETE = states.OperationState.COMPLETE


class _Run(flows.Run):
    """One that is planned only with what a look has shown.

    :ivar look: gives that
    :ivar observed: the surveys that it was planned with
    """

    def __init__(self, look, *arguments) -> None:
        self.look = look
        self.observed = []
        self.is_end_requested = False
        super().__init__(*arguments)

    def prepare(self, flush, survey) -> job.Job | job.SurveyRequest:
        if survey is None:
            return job.SurveyRequest(self.look)
        self.observed.append(survey)
        return super().prepare(flush, survey)

    def is_halted(self, held) -> bool:
        return self.is_end_requested


class SurveyTest(running.RunnerCase):
    def start(self, look) -> _Run:
        return _Run(
            look,
            self.flows,
            self.flows.claim(self.flows.accept()),
            flows.Template(a=""),
        )

    def test_what_was_seen_is_there_when_it_is_planned(self) -> None:
        found = survey.Survey()
        threads: list[str] = []

        def look() -> survey.Survey:
            threads.append(threading.current_thread().name)
            return found

        run = self.start(look)
        ended = self.flows.finish(run)

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual([found], run.observed)
        self.assertEqual(["orch-call"], threads)

    def test_others_are_served_while_one_looks(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)

        def look() -> survey.Survey:
            gate.wait(30)
            return survey.Survey()

        run = self.start(look)
        passed = threading.Event()

        class Other:
            project_id = "other"

            def logged(self):
                return run.runner.logged()

            def receive(self, message):
                passed.set()

            def tick(self):
                pass

        self.flows.loop.post(Other(), messages.NextTick())
        self.assertTrue(passed.wait(10))
        self.assertEqual([], run.observed)
        gate.set()
        self.assertEqual(COMPLETE, self.flows.finish(run).state)

    def test_a_worker_that_stops_gives_it_back_at_once(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        begun = threading.Event()

        def look() -> survey.Survey:
            begun.set()
            gate.wait(30)
            return survey.Survey()

        run = self.start(look)
        self.assertTrue(begun.wait(10))

        run.runner.post(messages.Stop())
        flows.wait_for(run.ended.is_set, "the run ends")
        gate.set()

        self.assertTrue(run.has_given_back)
        self.assertEqual([], run.observed)
        self.assertEqual([], self.made())

    def test_who_asks_it_to_end_does_not_wait_for_the_look(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        begun = threading.Event()

        def look() -> survey.Survey:
            begun.set()
            gate.wait(30)
            return survey.Survey()

        run = self.start(look)
        self.assertTrue(begun.wait(10))
        run.runner.post(messages.CheckRows())
        newer = self.flows.accept(states.Action.DELETE)
        self.flows.database.run(
            lambda connection: operations.supersede(
                connection, self.flows.stack.id, newer.id
            )
        )

        run.is_end_requested = True
        run.runner.post(messages.CheckRows())
        ended = self.flows.finish(run)

        self.assertEqual(states.OperationState.SUPERSEDED, ended.state)
        self.assertEqual(1, len(run.observed))
        self.assertEqual([], self.made())

    def test_an_error_of_ours_ends_the_operation(self) -> None:
        error = RuntimeError("a mistake")

        def look() -> survey.Survey:
            raise error

        run = self.start(look)
        flows.wait_for(run.ended.is_set, "the run ends")

        self.assertIs(error, run.aborted)
        self.assertEqual([], self.made())
