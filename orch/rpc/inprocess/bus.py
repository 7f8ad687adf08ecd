"""Queues inside one process, with the rules that AMQP has for them.

A letter goes to every queue that is bound to its address; of the consumers of
a queue one gets it, in turn among those that wait. Knows nothing of RPC:
``orch.rpc.inprocess.driver`` makes an oslo.messaging driver of it.
"""

import collections
import dataclasses
import threading
import time

from orch.rpc.inprocess import replies

MAX_NOTIFICATIONS = 1000
"""Messages that a kept queue holds while it has no consumer."""

Address = tuple[str, str]
"""An exchange and a routing key."""


@dataclasses.dataclass(slots=True)
class Letter:
    """One message on its way.

    :ivar expires_at: by ``time.monotonic``; it is not delivered after that
    :ivar monitor_s: the sender gives up after so long without a heartbeat
    """

    body: bytes
    mailbox: replies.Replies | None = None
    expires_at: float | None = None
    monitor_s: float | None = None


class Queue:
    """Letters that wait, and those who wait for them.

    Its methods need the lock of the bus, but for :meth:`give_back`.
    """

    def __init__(self, lock: threading.Lock, limit: int | None) -> None:
        self.limit = limit
        self._lock = lock
        self.letters: collections.deque[Letter] = collections.deque()
        self.consumers: collections.deque[Consumer] = collections.deque()

    def put(self, letter: Letter) -> None:
        """Append a letter and wake the consumer whose turn it is."""
        self._drop_oldest()
        self.letters.append(letter)
        self.wake_one()

    def wake_one(self) -> None:
        """Wake one waiting consumer; the next call wakes another."""
        for _ in range(len(self.consumers)):
            consumer = self.consumers[0]
            self.consumers.rotate(-1)
            if consumer.is_waiting:
                consumer.wake()
                return

    def take(self) -> Letter | None:
        """Return the oldest letter that has not expired."""
        while self.letters:
            letter = self.letters.popleft()
            if not _is_expired(letter):
                return letter
        return None

    def give_back(self, letter: Letter) -> None:
        """Put a letter that was taken before all others."""
        with self._lock:
            self.letters.appendleft(letter)
            self.wake_one()

    def _drop_oldest(self) -> None:
        """Drop what has expired."""
        while self.letters and _is_expired(self.letters[0]):
            self.letters.popleft()
        if self.limit is not None and not self.consumers:
            while len(self.letters) >= self.limit:
                self.letters.popleft()


class Bus:
    """Queues by name, and the addresses that they are bound to."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._queues: dict[str, Queue] = {}
        self._bindings: dict[Address, list[Queue]] = {}

    def declare(
        self, address: Address, name: str, limit: int | None = None
    ) -> Queue:
        """Return the queue of that name, bound to the address.

        A queue stays, with what is in it, when its consumers leave.

        :param limit: letters that it keeps while it has no consumer
        """
        with self.lock:
            queue = self._queues.setdefault(name, Queue(self.lock, limit))
            bound = self._bindings.setdefault(address, [])
            if queue not in bound:
                bound.append(queue)
            return queue

    def forget(self, address: Address, name: str) -> None:
        """Remove a queue and what is in it."""
        with self.lock:
            queue = self._queues.pop(name)
            self._bindings[address].remove(queue)

    def publish(self, address: Address, letter: Letter) -> bool:
        """Put the letter into each bound queue.

        :returns: whether there was any
        """
        with self.lock:
            queues = self._bindings.get(address, ())
            for queue in queues:
                queue.put(letter)
            return bool(queues)


class Consumer:
    """Takes letters from its queues, one after another."""

    def __init__(self, bus: Bus) -> None:
        self.is_waiting = False
        self._bus = bus
        self._is_closed = False
        self._queues: list[Queue] = []
        self._letters = threading.Condition(bus.lock)

    def consume(self, queue: Queue) -> None:
        """Take letters from this queue too."""
        with self._bus.lock:
            self._queues.append(queue)
            queue.consumers.append(self)

    def wake(self) -> None:
        """Let :meth:`take` look again; the caller holds the bus's lock."""
        self.is_waiting = False
        self._letters.notify()

    def take(self, timeout_s: float | None) -> tuple[Queue, Letter] | None:
        """Wait for a letter.

        :returns: ``None`` when the time is over or the consumer is closed
        """
        end = replies.deadline(timeout_s)
        with self._bus.lock:
            while not self._is_closed:
                for queue in self._queues:
                    letter = queue.take()
                    if letter is not None:
                        return queue, letter
                self.is_waiting = True
                is_awake = self._letters.wait(replies.left(end))
                self.is_waiting = False
                if not is_awake and replies.left(end) == 0:
                    return None
        return None

    def close(self) -> None:
        """Leave the queues; what is in them is for the other consumers."""
        with self._bus.lock:
            self._is_closed = True
            left, self._queues = self._queues, []
            for queue in left:
                queue.consumers.remove(self)
                if queue.letters:
                    queue.wake_one()
            self._letters.notify_all()


def _is_expired(letter: Letter) -> bool:
    return letter.expires_at is not None and (
        letter.expires_at <= time.monotonic()
    )
