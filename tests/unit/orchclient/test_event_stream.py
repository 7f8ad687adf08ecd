from orchclient import event_stream
from tests import base

_STREAM = (
    "\ufeff: hello\n"
    "\n"
    "id: e1\r\n"
    'data: {"a":\r\n'
    "data: 1}\r\n"
    "\r\n"
    "event: end\r"
    "data:no blank\r"
    "\r"
    "id: e2\n"
    "data: cut off"
).encode()


class MessagesTests(base.TestCase):
    def read(
        self, size: int, stream: bytes = _STREAM
    ) -> list[event_stream.Message]:
        chunks = [stream[at : at + size] for at in range(0, len(stream), size)]
        return list(event_stream.read_messages(chunks))

    def test_messages_are_read_whatever_ends_their_lines(self) -> None:
        self.assertEqual(
            [
                event_stream.Message(),
                event_stream.Message("e1", "message", '{"a":\n1}'),
                event_stream.Message("e1", "end", "no blank"),
            ],
            self.read(len(_STREAM)),
        )

    def test_chunks_may_be_cut_anywhere(self) -> None:
        whole = self.read(len(_STREAM))

        for size in range(1, 20):
            self.assertEqual(whole, self.read(size), size)

    def test_a_line_has_a_limit(self) -> None:
        endless = b"data: " + b"x" * (5 * 2**20)

        self.assertRaises(ValueError, self.read, 2**20, endless)
