import pathlib
import sys
from unittest import mock

from oslo_config import cfg
from oslo_db import options as db_options

from orch import errors
from orch.conf import opts
from orch.search.index import factory
from orch.search.index.shared import index as shared_index
from orch.search.index.sqlite import index as sqlite_index
from tests import base


class OpeningTest(base.TestCase):
    def conf(self, search: str | None, database: str = "") -> cfg.ConfigOpts:
        conf = cfg.ConfigOpts()
        for group, options in opts.list_opts():
            conf.register_opts(options, group=group)
        conf.register_opts(db_options.database_opts, "database")
        conf([], project="orch", default_config_files=[])
        conf.set_override("connection", search, group="search")
        conf.set_override("connection", database, group="database")
        return conf

    def test_a_file(self) -> None:
        path = self.make_directory() / "with space" / "search.db"
        for url in (f"sqlite:///{path}", f"sqlite:///{path}?x=1"):
            index = factory.open_index(self.conf(url.replace(" ", "%20")))
            self.assertIsInstance(index, sqlite_index.SQLiteIndex)
            index.prepare()
            index.close()
        self.assertTrue(path.exists())

    def test_nothing_is_opened_before_it_is_needed(self) -> None:
        path = pathlib.Path("/no/such/directory/search.db")
        factory.open_index(self.conf(f"sqlite:///{path}")).close()

    def test_what_cannot_be_used_is_said(self) -> None:
        for search, database, expected in (
            (None, "sqlite:////x/orch.db", "[search] connection is not set"),
            (None, "", "[search] connection is not set"),
            ("oracle://x/y", "", "begins with"),
            ("nonsense", "", "begins with"),
            ("sqlite:///", "", "names no file"),
            ("sqlite:///:memory:", "", "names no file"),
            ("tantivy+sqlite:////x/s.db", "", "Use sqlite:///FILE"),
            ("tantivy+postgresql://h/search", "", "or opensearch://"),
        ):
            refused = self.assertRaises(
                errors.Invalid,
                factory.open_index,
                self.conf(search, database),
            )
            self.assertIn(expected, refused.message)

    def test_a_database_server_may_be_that_of_the_engine(self) -> None:
        for search, database in (
            ("postgresql+psycopg2://h/search", "mysql://x/orch"),
            ("mysql+pymysql://h/search", ""),
            (None, "mysql+pymysql://x/orch"),
            (None, "postgresql://x/orch"),
        ):
            index = factory.open_index(self.conf(search, database))
            self.assertIsInstance(index, shared_index.SharedIndex)
            index.close()

    def test_a_missing_library_is_reported_with_its_extra(self) -> None:
        module = "orch.search.index.opensearch"
        loaded = [each for each in sys.modules if each.startswith(module)]
        with mock.patch.dict(sys.modules, {"opensearchpy": None}):
            for each in loaded:
                del sys.modules[each]
            refused = self.assertRaises(
                errors.Invalid,
                factory.open_index,
                self.conf("opensearch://h"),
            )

        self.assertIn("install orch[search-opensearch].", refused.message)

    def test_a_missing_driver_is_reported_with_its_extra(self) -> None:
        index = factory.open_index(self.conf("postgresql://h/search"))
        with mock.patch.dict(sys.modules, {"psycopg2": None}):
            refused = self.assertRaises(errors.Invalid, index.prepare)

        self.assertIn("install orch[postgresql].", refused.message)

    def test_other_backends_are_not_imported(self) -> None:
        before = set(sys.modules)
        path = self.make_directory() / "search.db"
        factory.open_index(self.conf(f"sqlite:///{path}"))
        new = set(sys.modules) - before
        others = (
            "psycopg2",
            "opensearchpy",
            "orch.search.index.shared.index",
        )
        self.assertEqual([], [each for each in new if each.startswith(others)])
