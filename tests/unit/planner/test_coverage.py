"""Which given properties were not compared, and why."""

import typing

from oslo_config import cfg

from orch import clock
from orch.model import drift_policy
from orch.model import observation
from orch.planner import coverage
from orch.planner import drift
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource
from orch.plugin import schema
from tests import base
from tests.unit.planner import test_drift

_State = observation.State


class _Readable(resource.Resource):
    type_name = "T::Readable"
    has_reality = True
    own_settings = frozenset({"url"})
    properties = (
        schema.Property("shown", schema.Type.STRING),
        schema.Property("other", schema.Type.STRING),
        schema.Property("written", schema.Type.STRING),
        schema.Property("secret", schema.Type.STRING, is_sensitive=True),
        schema.Property("url", schema.Type.STRING),
    )

    @property
    def write_only(self) -> frozenset[str]:
        return frozenset({"written"})

    def get_reality(self, context: call_context.Context) -> reality.Reality:
        raise NotImplementedError


class _Unreadable(resource.Resource):
    type_name = "T::Unreadable"


_GIVEN: typing.Final = {
    "shown": "a",
    "other": "b",
    "written": "c",
    "secret": "d",
    "url": "e",
    "absent": None,
}


class UncoveredTests(base.TestCase):
    def uncovered(
        self,
        state: observation.State = _State.IN_SYNC,
        live: dict[str, object] | None = None,
        *,
        policy: dict[str, object] | None = None,
        kind: type[resource.Resource] = _Readable,
        is_current: bool = True,
        is_vanished: bool = False,
        reason: str = "",
    ) -> dict[str, str]:
        row = test_drift.row(_GIVEN)
        observed = observation.Observation(
            root_id=row.stack_id,
            stack_id=row.stack_id,
            resource_id=row.id,
            state=state,
            live=live,
            is_vanished=is_vanished,
            reason=reason,
            observed_at=clock.Timestamp(1.0),
        )
        found = coverage.list_uncovered(
            kind(cfg.ConfigOpts()),
            row,
            observed,
            drift_policy.Policies(policy or {}),
            "thing",
            is_current=is_current,
        )
        return {name: reason.value for name, reason in found}

    def test_each_property_has_its_own_reason(self) -> None:
        self.assertEqual(
            {
                "other": "not_shown",
                "secret": "hidden",
                "written": "write_only",
            },
            self.uncovered(live={"shown": "a"}),
        )

    def test_what_a_policy_ignores_is_not_covered(self) -> None:
        ignored = {"resources": {"*": {"properties": {"shown": "ignore"}}}}

        found = self.uncovered(live={"shown": "a"}, policy=ignored)

        self.assertEqual("ignored", found["shown"])

    def test_what_could_not_be_read_has_one_reason(self) -> None:
        names = {"other", "secret", "shown", "written"}
        for given, reason in (
            ({"state": _State.UNKNOWN}, "failed"),
            ({"state": _State.UNKNOWN, "reason": drift.IGNORED}, "ignored"),
            (
                {"state": _State.UNKNOWN, "is_current": False},
                "not_observed",
            ),
        ):
            self.assertEqual(
                dict.fromkeys(names, reason),
                self.uncovered(**given),  # type: ignore[arg-type]
            )

    def test_a_type_without_a_reading_covers_nothing(self) -> None:
        found = self.uncovered(_State.UNKNOWN, kind=_Unreadable)

        self.assertEqual({"no_reading"}, set(found.values()))
        self.assertEqual(5, len(found))

    def test_of_what_has_vanished_all_is_covered(self) -> None:
        self.assertEqual({}, self.uncovered(_State.DRIFTED, is_vanished=True))
        self.assertEqual({}, self.uncovered(_State.NOTHING))
