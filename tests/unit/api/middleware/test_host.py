from orch.api import app
from tests.unit.api import fakes


class HostTest(fakes.ApiTestCase):
    settings = app.Settings(
        is_local=True, public_url="https://cloud.example.net:8004"
    )

    def reach(self, host: str, status: int) -> None:
        self.bus.answers["stack.list"] = []
        for path in ("/v1/demo/stacks", "/"):
            answer = self.api.simulate_get(path, headers={"Host": host})
            wanted = 300 if path == "/" and status == 200 else status
            self.assertEqual(wanted, answer.status_code, host)

    def test_addresses_and_local_names_are_served(self) -> None:
        for host in (
            "127.0.0.1:8004",
            "127.0.0.1",
            "[::1]:8004",
            "localhost",
            "LocalHost:8004",
            "127.8.9.10:80",
        ):
            self.reach(host, 200)

    def test_other_addresses_of_the_machine_are_refused(self) -> None:
        for host in (
            "0.0.0.0:8004",
            "0.0.0.0",
            "0:8004",
            "[::]:8004",
            "192.0.2.7:80",
            "[::ffff:192.0.2.7]",
        ):
            self.reach(host, 403)
        self.assertEqual([], self.bus.calls)

    def test_the_public_name_is_served(self) -> None:
        self.reach("cloud.example.net", 200)

    def test_names_of_others_are_refused(self) -> None:
        for host in (
            "evil.example:8004",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "evil.example@127.0.0.1.evil.example",
            "",
            "[::1",
        ):
            self.reach(host, 403)
        self.assertEqual([], self.bus.calls)


class EverywhereTest(fakes.ApiTestCase):
    def test_a_server_for_others_is_asked_by_any_name(self) -> None:
        self.bus.answers["stack.list"] = []

        self.get("/v1/demo/stacks", headers={"Host": "any.example"})
