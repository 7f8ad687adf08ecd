"""The service dies, and is there again; who follows notices nothing."""

import concurrent.futures

from orchclient import models
from tests.functional.orchclient import connecting
from tests.support import world_templates


class RestartTests(connecting.ClientTestCase):
    def follow(self, stack: models.StackIdentity) -> list[models.Event]:
        return list(
            self.orch.events.follow(stack, until_idle=True, interval_s=0.1)
        )

    def test_an_operation_is_waited_for_and_followed_to_its_end(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.orch.stacks.create(
            self.name, connecting.Package(template=world_templates.chain())
        )
        self.wait_for_act("create", "b")

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            waiting = pool.submit(self.wait, stack)
            following = pool.submit(self.follow, stack)
            self.system.server.kill()
            self.system.start()
            self.world.release(self.name)
            ended = waiting.result(40)
            found = following.result(40)

        self.assertTrue(ended.is_complete)
        told = self.orch.events.list(stack)
        self.assertEqual(
            [each.id for each in told], [each.id for each in found]
        )
        self.assertEqual(
            (self.name, "CREATE_COMPLETE"),
            (found[-1].resource_name, str(found[-1].status)),
        )
