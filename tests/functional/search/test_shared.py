"""The same answers of ``orch-search`` beside an API, on shared rows."""

import typing

from tests.functional import databases
from tests.functional.search import finding
from tests.functional.search import test_answers
from tests.functional.search import test_as_of
from tests.functional.search import test_finding
from tests.functional.search import test_saved_searches
from tests.functional.search import test_search_rights
from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import systems
from tests.support import waiting


class _Distributed(serving.ServerTestCase):
    """Every part is a process of its own."""

    limit_s = 300
    database: type[databases.PostgreSQL | databases.MariaDB] = (
        databases.PostgreSQL
    )

    @classmethod
    def installation(cls) -> running.Distributed:
        return running.Distributed(
            {**cls.defaults, **cls.options, "api": {"rpc_timeout": 5}},
            cls.environment(),
            workers=1,
            searchers=1,
            database=cls.database,
        )


class FindingTests(_Distributed, test_finding.FindingTests):
    """S1."""


class MariaDBFindingTests(_Distributed, test_finding.FindingTests):
    """S1, with its rows beside those of the engine on MariaDB."""

    database = databases.MariaDB


class AnswerTests(_Distributed, test_answers.AnswerTests):
    """S6."""


class SavedTests(_Distributed, test_saved_searches.SavedTests):
    """Saved searches, with their rows on PostgreSQL."""


class CanaryTests(_Distributed, test_search_rights.CanaryTests):
    """S3."""


class AsOfTests(_Distributed, test_as_of.AsOfTests):
    """S3, of what was hidden since."""

    options: typing.ClassVar[systems.Options] = {
        "signals": {"seal_keys": "k" * 32}
    }


class OutageTests(_Distributed):
    """What is answered while nobody searches."""

    def ask(self, path: str) -> tuple[int, str]:
        """Return status and message; an empty one of a success."""
        try:
            self.client.ask("GET", path)
        except rest.RefusedError as error:
            return error.status, error.message
        return 200, ""

    def test_without_a_search_service_it_is_unavailable(self) -> None:
        system = typing.cast(typing.Any, self.system)
        (searcher,) = system.searchers
        waiting.wait_for(
            lambda: self.ask("/search")[0] == 200, "search", finding.SOON_S
        )

        searcher.kill()

        for path in ("/search?q=a", "/search/facets", "/search/plugins"):
            status, message = self.ask(path)
            self.assertEqual(503, status, path)
            self.assertIn("search service gives no answer", message)
        self.assertEqual(200, self.ask("/stacks")[0])
        searcher.start()
        waiting.wait_for(
            lambda: self.ask("/search")[0] == 200, "search", finding.SOON_S
        )
