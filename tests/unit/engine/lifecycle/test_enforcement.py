"""What a verdict does, by the level of the plug-in."""

from orch import clock
from orch.context import request
from orch.engine.lifecycle import enforcement
from orch.model import lifecycle as model
from orch.model import origin
from orch.plugin import lifecycle
from orch.plugin import lifecycle_order
from tests import base

_LEVELS = {each.value: each for each in lifecycle_order.Enforcement}
_ANN = enforcement.Override("ann", "it burns")


def judge(
    level: str,
    ruling: str | None,
    override: enforcement.Override | None = None,
    *,
    is_fail_open: bool = False,
) -> tuple[model.Call, lifecycle.Ruling]:
    member = lifecycle_order.OrderedPlugin(
        lifecycle.LifecyclePlugin("one", None),
        is_fail_open=is_fail_open,
        enforcement=_LEVELS[level],
    )
    call = model.Call(
        plugin="one",
        phase=model.PRE,
        ruling=ruling,
        error=None if ruling else "it failed",
        began_at=clock.Timestamp(1.0),
    )
    order = lifecycle_order.PluginOrder([member])
    return enforcement.judge(
        order, call, override, lambda text: text.replace("burns", "******")
    )


class JudgeTests(base.TestCase):
    def test_each_level_ruling_and_override(self) -> None:
        allow, deny, hold = (
            lifecycle.Ruling.ALLOW,
            lifecycle.Ruling.DENY,
            lifecycle.Ruling.HOLD,
        )
        for level, ruling, without, overridden in (
            ("advisory", "allow", allow, allow),
            ("advisory", "warn", allow, allow),
            ("advisory", "deny", allow, allow),
            ("advisory", "hold", allow, allow),
            ("advisory", None, allow, allow),
            ("soft-mandatory", "allow", allow, allow),
            ("soft-mandatory", "warn", allow, allow),
            ("soft-mandatory", "deny", deny, allow),
            ("soft-mandatory", "hold", hold, hold),
            ("soft-mandatory", None, deny, allow),
            ("mandatory", "allow", allow, allow),
            ("mandatory", "warn", allow, allow),
            ("mandatory", "deny", deny, deny),
            ("mandatory", "hold", hold, hold),
            ("mandatory", None, deny, deny),
        ):
            with self.subTest(f"{level} {ruling}"):
                self.assertIs(without, judge(level, ruling)[1])
                call, found = judge(level, ruling, _ANN)
                self.assertIs(overridden, found)
                self.assertEqual(level, call.enforcement)
                is_used = without is deny and found is allow
                self.assertEqual(
                    ("ann", "it ******") if is_used else (None, ""),
                    (call.overridden_by, call.override_reason),
                )

    def test_who_fails_open_is_passed_over_at_each_level(self) -> None:
        for level in _LEVELS:
            call, found = judge(level, None, _ANN, is_fail_open=True)

            self.assertIs(lifecycle.Ruling.ALLOW, found)
            self.assertIsNone(call.overridden_by)
            self.assertEqual("warn", call.shown_ruling)

    def test_who_is_not_installed_any_more_is_mandatory(self) -> None:
        self.assertIs(
            lifecycle_order.Enforcement.MANDATORY,
            lifecycle_order.NO_PLUGINS.enforcement_of("gone"),
        )


class OverrideTests(base.TestCase):
    def context(self, cause: str | None = None) -> request.RequestContext:
        found = request.RequestContext(user_id="id-ann", user_name="ann")
        found.override_reason = "it burns"
        if cause is not None:
            found.origin = origin.Origin(cause=cause).to_stored()
        return request.RequestContext.from_stored(found.to_stored())

    def test_a_request_overrides_and_what_acts_for_it_does_not(self) -> None:
        self.assertEqual(_ANN, enforcement.override_of(self.context()))
        for cause in (origin.SIGNAL, origin.REPAIR):
            self.assertIsNone(enforcement.override_of(self.context(cause)))

    def test_a_request_without_a_reason_overrides_nothing(self) -> None:
        found = request.RequestContext(user_name="ann")

        self.assertIsNone(enforcement.override_of(found))
