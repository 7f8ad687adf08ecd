import logging
import wsgiref.types

from orch.metrics import catalogue
from orch.metrics import exposition
from orch.metrics import meters
from tests import base
from tests.support import scraped


class ExpositionTest(base.TestCase):
    def collection(self, *reads: meters.Read) -> exposition.Collection:
        made = exposition.Collection("orch-test", "1.2", reads)
        self.addCleanup(made.end)
        return made

    def test_counts_are_by_their_labels(self) -> None:
        counted = self.collection()

        for action in ("CREATE", "CREATE", "DELETE"):
            catalogue.OPERATIONS_ENDED.count(action, "complete")
        catalogue.LEASES_LOST.count()

        found = scraped.Scraped(counted.text())
        self.assertEqual(
            {("CREATE", "complete"): 2.0, ("DELETE", "complete"): 1.0},
            found.all_of("orch_operations_ended_total", "action", "outcome"),
        )
        self.assertEqual(1, found.value("orch_leases_lost_total"))
        self.assertEqual("counter", found.types["orch_operations_ended"])

    def test_times_are_in_the_buckets_they_belong_to(self) -> None:
        counted = self.collection()

        for seconds in (0.3, 20, 100_000):
            catalogue.OPERATION_S.observe(seconds, "CREATE", "complete")

        found = scraped.Scraped(counted.text())
        name = "orch_operation_duration_seconds"
        by_bound = found.all_of(f"{name}_bucket", "le")
        self.assertEqual(
            [0, 1, 1, 2, 2, 3],
            [
                by_bound[(bound,)]
                for bound in ("0.1", "0.5", "15.0", "60.0", "86400.0", "+Inf")
            ],
        )
        self.assertEqual({(): 3.0}, found.all_of(f"{name}_count"))
        self.assertEqual({(): 100_020.3}, found.all_of(f"{name}_sum"))

    def test_it_says_which_program_of_which_version_it_is(self) -> None:
        found = scraped.Scraped(self.collection().text())

        self.assertEqual(
            {("orch-test", "1.2"): 1.0},
            found.all_of("orch_process_info", "program", "version"),
        )
        self.assertIn("process_resident_memory_bytes", found)

    def test_gauges_are_read_each_time(self) -> None:
        numbers = iter((3.0, 5.0))
        counted = self.collection(
            lambda: [
                meters.Reading(catalogue.SEARCH_WAITING, next(numbers)),
                meters.Reading(catalogue.OPERATIONS_OPEN, 1, ("waiting",)),
                meters.Reading(catalogue.OPERATIONS_OPEN, 2, ("running",)),
            ]
        )

        shown = [scraped.Scraped(counted.text()) for _ in range(2)]

        self.assertEqual(
            [3.0, 5.0],
            [each.value("orch_search_stacks_waiting") for each in shown],
        )
        self.assertEqual(
            {("waiting",): 1.0, ("running",): 2.0},
            shown[0].all_of("orch_operations_open", "state"),
        )

    def test_a_gauge_that_cannot_be_read_keeps_no_other_back(self) -> None:
        def fail() -> list[meters.Reading]:
            raise OSError("the database is away")

        counted = self.collection(
            fail, lambda: [meters.Reading(catalogue.SEARCH_WAITING, 4)]
        )

        with self.assertLogs(exposition.LOG, logging.WARNING) as told:
            found = scraped.Scraped(counted.text())

        self.assertEqual(4, found.value("orch_search_stacks_waiting"))
        self.assertIn("the database is away", told.output[0])

    def test_only_what_is_asked_for_is_shown(self) -> None:
        read: list[str] = []

        def number() -> list[meters.Reading]:
            read.append("number")
            return [meters.Reading(catalogue.SEARCH_WAITING, 4)]

        counted = self.collection(number)
        catalogue.LEASES_LOST.count()
        # Nobody has asked for it yet.
        self.assertEqual([], read)

        for name, value in (
            ("orch_search_stacks_waiting", 4),
            ("orch_process_info", 1),
            ("orch_leases_lost_total", 1),
            ("process_start_time_seconds", None),
        ):
            found = scraped.Scraped(self.named(counted, name))
            self.assertIn(name, found)
            self.assertEqual(1, len(found.types), name)
            if value is not None:
                (shown,) = found.all_of(name).values()
                self.assertEqual(value, shown)

    @staticmethod
    def named(counted: exposition.Collection, name: str) -> str:
        """Return what is shown to who asks for one metric."""
        environ = {
            "PATH_INFO": "/metrics",
            "REQUEST_METHOD": "GET",
            "QUERY_STRING": f"name[]={name}",
        }
        body = counted.application()(environ, lambda status, *rest: None)
        return b"".join(body).decode()

    def test_nothing_is_counted_once_it_has_ended(self) -> None:
        with self.collection() as counted:
            catalogue.LEASES_LOST.count()
        catalogue.LEASES_LOST.count()

        found = scraped.Scraped(counted.text())
        self.assertEqual(1, found.value("orch_leases_lost_total"))

    def test_it_is_shown_at_one_address_alone(self) -> None:
        application = self.collection().application()

        self.assertEqual(
            ["200 OK", "404 Not Found", "404 Not Found"],
            [
                self.status_of(application, path)
                for path in ("/metrics", "/", "/metrics/orch")
            ],
        )

    @staticmethod
    def status_of(
        application: wsgiref.types.WSGIApplication, path: str
    ) -> str:
        found: list[str] = []
        environ = {
            "PATH_INFO": path,
            "REQUEST_METHOD": "GET",
            "QUERY_STRING": "",
        }
        application(environ, lambda status, *rest: found.append(status))
        return found[0]
