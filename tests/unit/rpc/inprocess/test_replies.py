import time

from orch.rpc.inprocess import replies
from tests import base


class RepliesTest(base.TestCase):
    def test_a_reply_is_handed_over(self) -> None:
        mailbox = replies.Replies()
        mailbox.put(replies.Reply(b"1"))

        self.assertEqual(replies.Reply(b"1"), mailbox.wait(None, None))

    def test_without_a_reply_the_wait_ends_in_time(self) -> None:
        self.assertIsNone(replies.Replies().wait(0.01, None))

    def test_silence_ends_the_wait_of_a_monitored_call(self) -> None:
        begun = time.monotonic()

        self.assertIsNone(replies.Replies().wait(30, 0.01))
        self.assertLess(time.monotonic() - begun, 10)

    def test_a_heartbeat_is_no_reply(self) -> None:
        mailbox = replies.Replies()
        mailbox.beat()
        mailbox.put(replies.Reply(b"1"))

        self.assertEqual(replies.Reply(b"1"), mailbox.wait(30, 30))

    def test_nothing_is_left_of_a_deadline_that_has_passed(self) -> None:
        self.assertEqual(0, replies.left(time.monotonic() - 5))
        self.assertIsNone(replies.left(replies.deadline(None)))
