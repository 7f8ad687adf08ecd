import functools

from falcon import testing

from orch import errors
from orch.api import app
from tests import base
from tests.unit.api import fakes


class ServicesTest(fakes.ApiTestCase):
    settings = app.Settings(revision="7.1")

    def test_processes_are_up_or_down(self) -> None:
        facts = {
            "id": "w-1",
            "host": "h",
            "binary": "orch-engine",
            "topic": "orch-engine",
            "report_interval_s": 60,
            "is_up": True,
            "created_at": 1763632800.0,
            "updated_at": 1763632801.0,
        }
        settings = {
            "settings_number": None,
            "settings_loaded": "a" * 64,
            "settings_loadable": "b" * 64,
            "idle_reason": "it cannot load number 2",
        }
        # A worker of an earlier release does not say it.
        self.bus.answers["service.list"] = [
            facts,
            {**facts, **settings, "is_up": False},
        ]

        up, down = self.get("/v1/demo/services").json["services"]

        self.assertEqual(
            {
                "id": "w-1",
                "engine_id": "w-1",
                "binary": "orch-engine",
                "host": "h",
                "hostname": "h",
                "topic": "orch-engine",
                "report_interval": 60,
                "status": "up",
                "created_at": "2025-11-20T10:00:00Z",
                "updated_at": "2025-11-20T10:00:01Z",
                "deleted_at": None,
                **dict.fromkeys(settings),
            },
            up,
        )
        self.assertEqual(settings, {key: down[key] for key in settings})
        self.assertEqual("down", down["status"])

    def test_services_are_for_admins(self) -> None:
        answer = self.get(
            "/v1/demo/services", 403, headers={"X-Roles": "member,reader"}
        )

        self.assert_error(answer, "Forbidden", "service:index")

    def test_silent_workers_answer_503(self) -> None:
        self.bus.answers["service.list"] = errors.Unavailable("nobody there")

        answer = self.get("/v1/demo/services", 503)

        self.assert_error(answer, "HTTPServiceUnavailable")

    def test_both_revisions_are_told(self) -> None:
        self.bus.answers["service.revision"] = "7.0"

        self.assertEqual(
            {"api": {"revision": "7.1"}, "engine": {"revision": "7.0"}},
            self.get("/v1/demo/build_info").json,
        )

    def test_the_process_says_that_it_lives_without_any_worker(self) -> None:
        answer = self.get("/healthcheck")

        self.assertEqual("OK", answer.text)
        self.assertRegex(answer.headers["Content-Type"], "^text/plain(;|$)")
        self.ask("HEAD", "/healthcheck", 200)


class ReadinessTest(base.TestCase):
    def test_a_probe_learns_whether_workers_can_be_asked(self) -> None:
        answers = [True, False]
        api = testing.TestClient(
            app.build_app(fakes.Bus(), app.Settings(), lambda: answers.pop(0))
        )

        for status, text in ((200, "READY"), (503, "NOT READY")):
            answer = api.simulate_get("/readiness")
            self.assertEqual((status, text), (answer.status_code, answer.text))

    def test_parts_that_are_not_ready_are_named(self) -> None:
        ready = {"search": True, "lifecycle": False}
        answers = [True, True, False]
        api = testing.TestClient(
            app.build_app(
                fakes.Bus(),
                app.Settings(),
                lambda: answers.pop(0),
                parts={
                    name: functools.partial(ready.__getitem__, name)
                    for name in ready
                },
            )
        )

        some = api.simulate_get("/readiness")
        ready["search"] = False
        none = api.simulate_get("/readiness")
        away = api.simulate_get("/readiness")

        self.assertEqual(
            (200, "READY\nlifecycle: NOT READY"), (some.status_code, some.text)
        )
        self.assertEqual(
            "READY\nsearch: NOT READY\nlifecycle: NOT READY", none.text
        )
        self.assertEqual((503, "NOT READY"), (away.status_code, away.text))
