"""Searches that nothing answers delay no other request.

No search times out by itself where the tests say so: whatever is answered, is
answered although nothing that a search waits for ever comes.
"""

import collections
import concurrent.futures
import typing

import requests

from orch.rpc import contract
from tests import base
from tests.support import running
from tests.support import waiting

_COUNT: typing.Final = 40
_THREADS: typing.Final = 8
_LONG_S: typing.Final = 3600
_LIMIT_S: typing.Final = 60
_SEARCH: typing.Final = "/search?q=web"


class SearchAwayTests(base.TestCase):
    limit_s = 240

    def start(self, searchers: int = 1, **api: object) -> None:
        found = self.useFixture(
            running.Distributed(
                {"api": {"threads": _THREADS, "rpc_timeout": _LONG_S, **api}},
                workers=1,
                searchers=searchers,
            )
        )
        self.system = found.system
        self.root = f"http://127.0.0.1:{self.system.port}"
        self.pool = concurrent.futures.ThreadPoolExecutor(_COUNT)
        self.addCleanup(self.pool.shutdown, wait=False, cancel_futures=True)
        if searchers:
            waiting.wait_for(
                lambda: self.get(_SEARCH).status_code == 200, "it searches"
            )

    def get(self, path: str) -> requests.Response:
        return requests.get(f"{self.system.endpoint}{path}", timeout=_LIMIT_S)

    def search_often(
        self,
    ) -> list[concurrent.futures.Future[requests.Response]]:
        """Send searches in parallel, and return their answers to come."""
        return [self.pool.submit(self.get, _SEARCH) for _ in range(_COUNT)]

    def check_others(self) -> None:
        """Check that all other requests are answered."""
        self.assertEqual(200, self.get("/stacks").status_code)
        for path in ("/healthcheck", "/readiness"):
            answer = requests.get(f"{self.root}{path}", timeout=_LIMIT_S)
            self.assertEqual(200, answer.status_code, path)
            self.assertNotIn("NOT READY", answer.text.splitlines()[0])

    def check_refused(
        self,
        searches: list[concurrent.futures.Future[requests.Response]],
        reason: str,
    ) -> None:
        for each in searches:
            answer = each.result(_LIMIT_S)
            self.assertEqual(503, answer.status_code, answer.text)
            said = answer.json()["error"]["message"]
            self.assertIn("The search service gives no answer", said)
        self.assertIn(reason, said)

    def readiness(self) -> str:
        return requests.get(f"{self.root}/readiness", timeout=_LIMIT_S).text

    def doctor(self) -> str:
        """Return what the doctor says of searches."""
        lines = self.system.doctor().splitlines()
        (found,) = [each for each in lines if " search: " in each]
        return found

    def test_none_was_ever_there(self) -> None:
        self.start(searchers=0, search_timeout=_LONG_S)

        searches = self.search_often()

        self.check_others()
        self.check_refused(searches, f"no {contract.SEARCH_TOPIC} takes")
        waiting.wait_for(
            lambda: "search: NOT READY" in self.readiness(), "it is said"
        )
        self.assertIn("ok ", self.doctor())

    def test_one_has_died(self) -> None:
        self.start(search_timeout=_LONG_S)
        self.assertNotIn("search", self.readiness())
        (searcher,) = self.system.searchers
        searcher.kill()

        searches = self.search_often()

        self.check_others()
        self.check_refused(searches, f"no {contract.SEARCH_TOPIC} takes")
        waiting.wait_for(
            lambda: "search: NOT READY" in self.readiness(), "it is said"
        )
        searcher.start()
        waiting.wait_for(
            lambda: self.get(_SEARCH).status_code == 200, "it searches again"
        )
        waiting.wait_for(
            lambda: "search" not in self.readiness(), "it is said"
        )

    def test_one_stalls_and_goes_on(self) -> None:
        self.start(search_timeout=_LONG_S)
        (searcher,) = self.system.searchers
        searcher.freeze()

        searches = self.search_often()

        self.check_others()
        self.assertFalse(any(each.done() for each in searches))
        searcher.thaw()
        self.assertEqual(
            {200: _COUNT},
            collections.Counter(
                each.result(_LIMIT_S).status_code for each in searches
            ),
        )

    def test_one_stalls_for_longer_than_a_search_may_take(self) -> None:
        self.start(search_timeout=1)
        (searcher,) = self.system.searchers
        searcher.freeze()

        searches = self.search_often()

        self.check_others()
        self.check_refused(searches, "")
        self.assertEqual(200, self.get("/stacks").status_code)
        searcher.thaw()
        waiting.wait_for(
            lambda: self.get(_SEARCH).status_code == 200, "it searches again"
        )
