"""What is made of the answers of a plug-in about an earlier creation."""

import types
import typing

from orch import errors
from orch.clients import rest
from orch.flow import call_pool
from orch.flow.tasks import base as tasks
from orch.flow.tasks import earlier
from orch.planner import plan
from orch.plugin import call_context
from orch.plugin import clouds
from orch.plugin import reality
from orch.plugin import resource
from tests import base
from tests.unit.flow.tasks import test_snapshot
from tests.unit.resources import contexts

PENDING = call_context.Pending()


def refusal(status: int) -> rest.CloudRefused:
    """Return what a service says that refuses to answer."""
    error = rest.CloudRefused("no")
    error.status = status
    error.is_verdict = status not in (401, 403)
    return error


class Answering(resource.Resource):
    """A type that says what a test wants, by the property ``how``."""

    type_name = "A::B"

    def __init__(self, **answers: object) -> None:
        self.answers = answers

    def is_created(self, context: call_context.Context) -> typing.Any:
        answer = self.answers[str(context.properties["how"])]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Readable(Answering):
    """The same; it can be read, or is gone."""

    has_reality = True
    is_gone = False

    def get_reality(self, context: call_context.Context) -> dict[str, object]:
        if self.is_gone:
            raise reality.Vanished("gone")
        return {}


def watch(
    plugin: resource.Resource,
    desired: str | None = "old",
    *,
    replaces_failed: bool = True,
) -> call_context.Pending | None:
    """Watch a creation with the property ``old``; another one is desired."""
    change = plan.Change(
        kind=plan.Kind.CREATE,
        name="a",
        type_name="A::B",
        resource_id=test_snapshot.ROW.id,
        requires=(),
        reason="failed",
        replaces_failed=replaces_failed,
    )
    known = None if desired is None else {"how": desired}
    resources: typing.Any = types.SimpleNamespace(
        desired_state=types.SimpleNamespace(find_properties=lambda name: known)
    )
    context = contexts.make(Answering, physical_id="thing", how="old")
    return earlier.EarlierCreation(change, resources).watch(plugin, context)


class VerdictTests(base.TestCase):
    def test_what_is_usable_is_kept_and_what_is_built_waited_for(self) -> None:
        self.assertIsNone(watch(Answering(old=None)))
        self.assertEqual(PENDING, watch(Answering(old=PENDING)))

    def test_a_permanent_error_is_a_verdict(self) -> None:
        for error in (errors.Permanent("broken"), refusal(400)):
            raised = self.assertRaises(
                tasks.Useless, watch, Answering(old=error)
            )
            self.assertEqual((error, False), (raised.verdict, raised.is_gone))

    def test_what_is_gone_needs_no_deletion(self) -> None:
        for error in (reality.Vanished("gone"), errors.NotFound("gone")):
            raised = self.assertRaises(
                tasks.Useless, watch, Answering(old=error)
            )
            self.assertTrue(raised.is_gone)

    def test_whether_it_is_gone_is_read(self) -> None:
        plugin = Readable(old=rest.CloudNotFound("no such server"))
        raised = self.assertRaises(tasks.Useless, watch, plugin)
        self.assertFalse(raised.is_gone)

        plugin.is_gone = True
        raised = self.assertRaises(tasks.Useless, watch, plugin)
        self.assertTrue(raised.is_gone)

    def test_what_cannot_be_asked_is_no_verdict(self) -> None:
        for error in (
            errors.Transient("late"),
            errors.Outage("away"),
            errors.Busy("now"),
            errors.QuotaExceeded("full"),
            errors.Forbidden("no"),
            errors.Invalid("no"),
            call_pool.HungCall("hangs"),
            call_context.OutcomeUnknown("lost"),
            clouds.NoCloud("no login"),
            clouds.BadLogin("bad login"),
            rest.NoService("no service"),
            refusal(401),
            refusal(403),
            ValueError("a bug"),
        ):
            self.assertRaises(type(error), watch, Answering(old=error))

    def test_a_wrong_answer_is_no_verdict(self) -> None:
        self.assertRaises(tasks.BadAnswer, watch, Answering(old="yes"))

    def test_the_first_attempt_fails_as_it_is(self) -> None:
        error = errors.Permanent("broken")

        raised = self.assertRaises(
            errors.Permanent,
            watch,
            Answering(old=error),
            replaces_failed=False,
        )

        self.assertIs(error, raised)


class DesiredTests(base.TestCase):
    """Other properties than those of its start are desired by now."""

    def test_what_is_usable_by_these_is_kept(self) -> None:
        for old in (PENDING, errors.Permanent("broken"), refusal(403)):
            self.assertIsNone(watch(Answering(old=old, new=None), "new"))

    def test_by_these_alone_nothing_is_replaced(self) -> None:
        broken = errors.Permanent("broken")

        self.assertEqual(
            PENDING, watch(Answering(old=PENDING, new=broken), "new")
        )
        self.assertIsNone(watch(Answering(old=None, new=broken), "new"))

    def test_what_is_not_known_yet_is_not_asked(self) -> None:
        self.assertEqual(PENDING, watch(Answering(old=PENDING), None))

    def test_the_first_attempt_goes_by_its_own(self) -> None:
        self.assertEqual(
            PENDING,
            watch(
                Answering(old=PENDING, new=None), "new", replaces_failed=False
            ),
        )
