"""Send one signal to the new address of its resource."""

import collections.abc
import dataclasses
import enum
import typing

import requests

from orch.clients import egress
from orch.context import seals
from orch.model import forwarding

_CONNECT_S: typing.Final = 3.0
_ANSWER_S: typing.Final = 5.0
MAX_SEND_S: typing.Final = _CONNECT_S + _ANSWER_S
"""Longest time that a receiver without an answer blocks a turn."""

_METHODS: typing.Final = {
    forwarding.Kind.SIGNAL: "POST",
    forwarding.Kind.WAIT_CONDITION: "PUT",
}
_NEVER: typing.Final = frozenset({400, 413, 422})
"""Statuses of a signal that the receiver will never accept. All others can be
mended: by a new announcement, or by its operator."""


class DeliveryResult(enum.Enum):
    """The result of sending a signal."""

    TAKEN = enum.auto()
    REJECTED = enum.auto()
    NOT_NOW = enum.auto()
    UNREACHABLE = enum.auto()


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    """The answer of the receiver.

    :ivar problem: for people, empty where there is none; it contains no
        address
    """

    result: DeliveryResult
    problem: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Sender:
    """Opens connections to hosts that the operator allows.

    :ivar hosts: that signals may go to; see ``[adoption] forward_hosts``
    :ivar within: further limits where only a pattern allows a host
    """

    hosts: collections.abc.Collection[str] = ()
    within: egress.Egress = egress.DEFAULT

    def session(self, host: str | None) -> requests.Session:
        """Return a session for a host, with its port.

        A host that the operator has named in full may be anywhere.
        """
        known = host or ""
        name = known.rpartition(":")[0]
        if not {known, name, f"[{name}]"}.isdisjoint(
            each.lower() for each in self.hosts
        ):
            found = requests.Session()
            # Neither .netrc nor variables of the worker decide here.
            found.trust_env = False
            return found
        return egress.open_session(self.within)


def send_signal(
    sender: Sender, address: forwarding.Address, signal: forwarding.Signal
) -> Answer:
    """Send one signal to the new address of its resource.

    No redirect is followed and the body of the answer is not read, so the
    receiver learns nothing of us and cannot delay us.
    """
    if address.new_address is None:
        return Answer(
            DeliveryResult.NOT_NOW, "the new address is not announced"
        )
    try:
        with (
            sender.session(address.host) as session,
            session.request(
                _METHODS[address.kind],
                address.new_address,
                json=signal.details,
                headers={
                    seals.SIGNAL_ID: signal.signal_id,
                    seals.HOPS: str(signal.hops + 1),
                },
                timeout=(_CONNECT_S, _ANSWER_S),
                allow_redirects=False,
                stream=True,
            ) as answer,
        ):
            return _result_of_status(answer.status_code)
    except egress.EgressRefused:
        problem = f"[egress] lets no request go to {address.host}"
        return Answer(DeliveryResult.UNREACHABLE, problem)
    except requests.RequestException as error:
        # The text of the error may have the address, which is a secret.
        problem = f"{address.host} gives no answer: {type(error).__name__}"
        return Answer(DeliveryResult.UNREACHABLE, problem)


def _result_of_status(status: int) -> Answer:
    if 200 <= status < 300:
        return Answer(DeliveryResult.TAKEN)
    result = (
        DeliveryResult.REJECTED if status in _NEVER else DeliveryResult.NOT_NOW
    )
    return Answer(result, f"the new address answers {status}")
