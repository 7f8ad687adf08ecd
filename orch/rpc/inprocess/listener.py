"""How the driver ``orch-inproc`` receives."""

import typing
import uuid

from oslo_messaging._drivers import base
from oslo_messaging._drivers import common

from orch.rpc.inprocess import bus
from orch.rpc.inprocess import payload
from orch.rpc.inprocess import replies


class Incoming(base.RpcIncomingMessage):
    """A letter as oslo.messaging's servers take it."""

    def __init__(self, queue: bus.Queue, letter: bus.Letter) -> None:
        """Unpack the message; its content is not shared."""
        ctxt, message = typing.cast(
            list[object], payload.unpack_message(letter.body)
        )
        super().__init__(ctxt, message)  # type: ignore[no-untyped-call]
        self.client_timeout = letter.monitor_s
        self._queue = queue
        self._letter = letter

    def reply(
        self,
        reply: object = None,
        failure: object = None,
    ) -> None:
        """Answer the call; a cast is not answered."""
        if self._letter.mailbox is None:
            return
        if failure is not None:
            text: str = common.serialize_remote_exception(failure)
            self._letter.mailbox.put(replies.Reply(failure=text))
        else:
            self._letter.mailbox.put(
                replies.Reply(payload.pack_message(reply))
            )

    def requeue(self) -> None:
        """Give the letter back, for whoever takes the next one."""
        self._queue.give_back(self._letter)

    def heartbeat(self) -> None:
        """Tell a caller that wants to know that its call is worked on."""
        if self._letter.mailbox is not None:
            self._letter.mailbox.beat()


class Listener(base.PollStyleListener):
    """Takes letters from the queues that it was bound to."""

    def __init__(self, shared: bus.Bus) -> None:
        """Listen on nothing yet."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._bus = shared
        self._consumer = bus.Consumer(shared)
        self._private: list[tuple[bus.Address, str]] = []

    def bind(
        self, address: bus.Address, name: str, limit: int | None = None
    ) -> None:
        """Listen on the queue of that name too."""
        self._consumer.consume(self._bus.declare(address, name, limit))

    def bind_private(self, address: bus.Address) -> None:
        """Listen on a queue that is there for this listener alone."""
        name = f"{address[1]}_{uuid.uuid4().hex}"
        self.bind(address, name)
        self._private.append((address, name))

    def poll(
        self,
        timeout: float | None = None,
        batch_size: int = 1,
        batch_timeout: float | None = None,
    ) -> list[Incoming]:
        """Wait for up to ``batch_size`` messages.

        :param batch_timeout: seconds to wait for more once there is one
        :returns: nothing when the time is over or the listener stopped
        """
        batch: list[Incoming] = []
        taken = self._consumer.take(timeout)
        end = replies.deadline(batch_timeout)
        while taken is not None:
            batch.append(Incoming(*taken))
            if len(batch) >= batch_size:
                break
            taken = self._consumer.take(replies.left(end))
        return batch

    def stop(self) -> None:
        """Take no more letters; a poll that waits returns."""
        self._consumer.close()
        for address, name in self._private:
            self._bus.forget(address, name)
        self._private.clear()

    def cleanup(self) -> None:
        """Do nothing: stopping left nothing behind."""
