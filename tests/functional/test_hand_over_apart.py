"""A hand-over gives a project nothing but what was handed over."""

import typing

import requests

from orch.model import forwarding
from tests.functional import handing_over
from tests.functional import test_hand_over
from tests.support import rest
from tests.support import serving
from tests.support import waiting

Json = handing_over.Json


class ConfigTests(serving.ServerTestCase):
    """The other project has a software config of its own."""

    options: typing.ClassVar[Json] = {
        "DEFAULT": handing_over.OPTIONS,
        **serving.options(),
    }

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.theirs = handing_over.client_of(cls.system, handing_over.TO)
        cls.addClassCleanup(cls.theirs.close)
        cls.parties = handing_over.Parties(cls.client, cls.theirs)

    def config(self, client: rest.Client) -> str:
        """Return the id of a new software config of a project."""
        answer = client.post("/software_configs", "software_config", name="s")
        return str(answer["id"])

    def named(self, config_id: str, name: str) -> rest.Stack:
        """Return a stack with a resource that has the id of a config."""
        document = {
            "template": {
                "heat_template_version": "2021-04-16",
                "resources": {"c": {"type": "OS::Heat::RandomString"}},
            },
            "resources": {"c": {"resource_id": config_id}},
        }
        made = self.client.post(
            "/stacks",
            "stack",
            stack_name=name,
            adopt_stack_data=document,
            adopt_verify="take",
        )
        stack = rest.Stack(name, str(made["id"]))
        self.client.wait(stack, "ADOPT_COMPLETE")
        return stack

    def status(self, client: rest.Client, config_id: str) -> int:
        return requests.get(
            f"{client.endpoint}/software_configs/{config_id}",
            headers={"X-Roles": "member"},
            timeout=30,
        ).status_code

    def test_who_takes_back_gets_nothing_of_the_other_project(self) -> None:
        config_id = self.config(self.theirs)
        stack = self.named(config_id, "taken-back")
        self.parties.hand_over(stack)

        back = self.parties.begin_take_over(
            stack, self.client, adopt_verify="take"
        )
        self.client.wait(back, "ADOPT_COMPLETE")

        self.assertEqual(404, self.status(self.client, config_id))
        self.assertEqual(200, self.status(self.theirs, config_id))

    def test_what_it_had_before_it_took_the_stack_over_stays_there(
        self,
    ) -> None:
        config_id = self.config(self.theirs)
        stack = self.named(config_id, "returned")
        self.parties.hand_over(stack)
        taken = self.parties.take_over(stack, adopt_verify="take")
        self.theirs.ask("DELETE", f"{taken.path}/abandon")
        self.theirs.wait(taken, "DELETE_COMPLETE")

        back = self.parties.begin_take_over(
            stack, self.client, adopt_verify="take"
        )
        self.client.wait(back, "ADOPT_COMPLETE")

        self.assertEqual(404, self.status(self.client, config_id))
        self.assertEqual(200, self.status(self.theirs, config_id))


class HandedOnTests(test_hand_over.HandOverTestCase):
    def test_what_was_handed_on_is_not_taken_back(self) -> None:
        stack = self.made()
        self.parties.hand_over(stack)
        taken = self.parties.take_over(stack)
        third = handing_over.client_of(self.system, "third")
        self.addCleanup(third.close)
        further = handing_over.Parties(self.theirs, third)
        further.offer(taken, "third")
        self.theirs.wait(taken, "DELETE_COMPLETE")
        last = further.take_over(taken)

        error = self.assertRaises(
            rest.RefusedError,
            self.parties.begin_take_over,
            stack,
            self.client,
        )

        self.assertEqual(409, error.status)
        self.assertNotIn(last.id, error.message)
        self.assertEqual(
            409, self.refused(self.parties.withdraw, self.client, stack)[0]
        )
        listed = self.parties.listed(self.client, stack)
        assert listed is not None
        self.assertEqual(
            ("taken", taken.id), (listed["state"], listed["taken_by"])
        )

    def test_signals_follow_however_often_it_was_handed_on(self) -> None:
        wanted: Json = {
            "heat_template_version": "2021-04-16",
            "resources": {"handle": handing_over.HANDLE},
            "outputs": {
                "url": {"value": {"get_attr": ["handle", "endpoint"]}}
            },
        }
        stack = self.client.create(self.name, wanted)
        self.client.wait(stack, "CREATE_COMPLETE")
        url = str(self.client.outputs(stack)["url"])
        clients = [self.client, self.theirs]
        names = [handing_over.FROM, handing_over.TO]
        for _ in range(forwarding.MAX_HOPS + 1):
            clients.reverse()
            names.reverse()
            there, here = clients
            parties = handing_over.Parties(here, there)
            parties.offer(stack, names[0])
            here.wait(stack, "DELETE_COMPLETE")
            stack = parties.take_over(stack)

        requests.post(url, json={"id": "1", "reason": "r"}, timeout=30)

        path = f"{stack.path}/resources/handle/metadata"
        waiting.wait_for(
            lambda: "1" in typing.cast(Json, there.get(path, "metadata")),
            "the signal",
        )
