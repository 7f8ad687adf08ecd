from orch.model import states
from tests import base

_STATES = states.OperationState


class CheckMoveTest(base.TestCase):
    def test_a_move_that_is_allowed_gives_the_new_state(self) -> None:
        for old, new in (
            (_STATES.WAITING, _STATES.RUNNING),
            (_STATES.RUNNING, _STATES.FAILED),
            (_STATES.FAILED, _STATES.WAITING),
            (_STATES.SUPERSEDED, _STATES.WAITING),
        ):
            self.assertIs(new, states.check_move(old, new))

    def test_nothing_leaves_a_complete_end(self) -> None:
        for new in _STATES:
            self.assertRaises(
                ValueError, states.check_move, _STATES.COMPLETE, new
            )

    def test_what_waits_does_not_end_by_itself(self) -> None:
        for new in (_STATES.COMPLETE, _STATES.FAILED):
            self.assertRaises(
                ValueError, states.check_move, _STATES.WAITING, new
            )
