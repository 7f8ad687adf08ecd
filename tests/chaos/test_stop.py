"""A worker that is asked to end gives its operations back at once."""

import time

from tests.chaos import base
from tests.chaos import records
from tests.chaos import templates

_LONG_LEASE_S = 60.0
_AT_ONCE_S = 10.0


class StopTests(base.ChaosTestCase):
    def test_its_operations_go_on_elsewhere_long_before_the_lease_ends(
        self,
    ) -> None:
        self.distribute(base.options(engine={"lease_ttl": _LONG_LEASE_S}))
        asked = [
            self.create(
                name,
                templates.chain(
                    name,
                    8,
                    delay_before_s=0.1,
                    delay_after_s=0.1,
                    ready_after_s=0.3,
                ),
            )
            for name in ("a", "b", "c", "d")
        ]
        records.wait_until(self.records.owners, what="nobody works")
        time.sleep(0.5)
        hosts = self.records.hosts()
        running = {
            each["id"]: hosts[str(each["owner"])]
            for each in self.records.open()
        }
        busy = next(iter(running.values()))
        victim = next(
            each for each in self.system.engines if each.log.stem == busy
        )
        ours = [each for each, host in running.items() if host == busy]

        code = victim.stop()
        stopped_at = time.time()
        ended_at = self.records.wait_until_idle(timeout_s=_AT_ONCE_S)

        self.assertEqual(0, code)
        fences = {
            each["id"]: each["fence"] for each in self.records.operations()
        }
        self.assertEqual([2] * len(ours), [fences[each] for each in ours])
        self.assertLess(ended_at - stopped_at, _AT_ONCE_S)
        self.check_created(asked)
