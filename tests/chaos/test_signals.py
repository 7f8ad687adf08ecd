"""Workers die while signals come; none is lost, none counts twice."""

import json
import random
import threading
import time
import typing

import requests

from tests import base
from tests.functional import signalling
from tests.support import running

_SIGNALS = 40
_KILLS = 6
_PATIENCE_S = 60


class SignalChaosTests(signalling.SignalMixin, base.TestCase):
    limit_s = 240

    def test_each_signal_counts_once_whoever_dies(self) -> None:
        system = self.useFixture(
            running.Embedded(
                {"engine": {"lease_ttl": 2, "scan_interval": 0.2}}
            )
        ).system
        self.client = system.client
        stack = self.begin(signalling.waiting(count=_SIGNALS))
        url = str(self.attributes(stack, "handle")["endpoint"])
        luck = random.Random(20260)
        sender = threading.Thread(target=self.send_all, args=(url,))
        sender.start()
        for _ in range(_KILLS):
            time.sleep(luck.uniform(0.2, 1.5))
            system.server.kill()
            system.start()
        sender.join(_PATIENCE_S)
        self.client.wait(stack, "CREATE_COMPLETE")

        data = typing.cast(str, self.client.outputs(stack)["data"])
        self.assertEqual(
            {str(number): number for number in range(_SIGNALS)},
            json.loads(data),
        )
        told = self.signals(stack, "handle")
        self.assertEqual(_SIGNALS, len(told))
        numbers = [
            int(str(each["id"])[-12:], 16)
            for each in self.client.events(stack)
        ]
        self.assertEqual(list(range(1, len(numbers) + 1)), numbers)

    @staticmethod
    def send_all(url: str) -> None:
        """Send each signal until it is known to be taken."""
        luck = random.Random(4)
        for number in range(_SIGNALS):
            limit = time.monotonic() + _PATIENCE_S
            while time.monotonic() < limit:
                try:
                    answer = requests.post(
                        url,
                        json={
                            "id": number,
                            "data": number,
                            "reason": f"n{number}",
                        },
                        timeout=5,
                    )
                except requests.RequestException:
                    time.sleep(0.1)
                    continue
                if answer.status_code == 200:
                    break
                time.sleep(0.1)
            time.sleep(luck.uniform(0, 0.3))
