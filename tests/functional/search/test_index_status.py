"""``orch-manage search status`` of an index in a database: it only looks."""

import os
import pathlib

import sqlalchemy as sa

from orch.search.index.shared import index as shared_index
from tests import base
from tests.contract.search import samples
from tests.functional import databases
from tests.support import forks
from tests.support import processes


class IndexStatusTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.url: str = self.useFixture(databases.PostgreSQL()).url
        self.config: pathlib.Path = self.make_directory() / "orch.conf"
        self.config.write_text(f"[search]\nconnection = {self.url}\n")

    def status(self) -> processes.Done:
        return processes.complete(
            (
                *(processes.find("orch-manage"), "--config-file"),
                *(str(self.config), "search", "status"),
            ),
            os.environ,
            launch=forks.launch,
        )

    def tables(self) -> list[str]:
        engine = sa.create_engine(self.url)
        try:
            return sorted(sa.inspect(engine).get_table_names())
        finally:
            engine.dispose()

    def test_where_there_is_none_none_is_made(self) -> None:
        done = self.status()

        self.assertEqual(1, done.code)
        self.assertIn("search index", done.errors)
        self.assertNotIn("Traceback", done.errors)
        self.assertEqual([], self.tables())

    def test_one_that_is_there_is_told_of(self) -> None:
        folder = self.make_directory()
        index = shared_index.SharedIndex(self.url, folder)
        self.addCleanup(index.close)
        index.prepare()
        index.put([samples.stacked(samples.resource("a"))])

        done = self.status()

        self.assertEqual(0, done.code, done.errors)
        self.assertIn("1 stacks, 1 documents", done.output)
