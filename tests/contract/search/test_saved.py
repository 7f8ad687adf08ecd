"""What stores saved searches keeps one contract, wherever it is."""

import concurrent.futures
import stat

from oslo_config import cfg

from orch import errors
from orch.conf import search as options
from orch.search.index import factory
from orch.search.index import port
from tests import base
from tests.functional import databases
from tests.support.opensearch import server

_KEY = "k" * 64


class _StoreTests:
    """Played against each of them."""

    url: str

    def open(self, url: str | None = None) -> port.SavedStore:
        conf = cfg.ConfigOpts()
        options.SECTION.register(conf)
        conf.set_override("connection", url or self.url, group="search")
        conf.set_override("folder", "/no/such/folder", group="search")
        store = factory.open_saved_store(conf)
        self.addCleanup(store.close)  # type: ignore[attr-defined]
        return store


class _Contract(_StoreTests, base.TestCase):
    def test_what_was_written_is_read(self) -> None:
        store = self.open()
        self.assertIsNone(store.read(_KEY))

        text = '{"größe": "日本"}' * 5000
        self.assertTrue(store.write(_KEY, "first", 0))
        self.assertTrue(store.write(_KEY, text, 1))

        self.assertEqual(port.StoredText(text, 2), store.read(_KEY))
        self.assertIsNone(store.read("other"))

    def test_what_was_written_since_is_not_overwritten(self) -> None:
        store, other = self.open(), self.open()
        self.assertFalse(store.write(_KEY, "a", 1))
        self.assertTrue(store.write(_KEY, "a", 0))
        self.assertTrue(other.write(_KEY, "b", 1))

        for version in (0, 1, 3):
            self.assertFalse(store.write(_KEY, "c", version))

        self.assertEqual(port.StoredText("b", 2), store.read(_KEY))

    def test_of_several_at_once_one_is_written(self) -> None:
        stores = [self.open() for _ in range(4)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for version in range(5):
                written = list(
                    pool.map(
                        lambda each, at=version: each.write(_KEY, "x", at),
                        stores,
                    )
                )
                self.assertEqual(1, sum(written), written)

    def test_it_outlives_the_index(self) -> None:
        store = self.open()
        store.write(_KEY, "a", 0)
        conf = cfg.ConfigOpts()
        options.SECTION.register(conf)
        conf.set_override("connection", self.url, group="search")
        index = factory.open_index(conf)
        self.addCleanup(index.close)
        index.prepare()
        index.clear()

        self.assertEqual(port.StoredText("a", 1), self.open().read(_KEY))


class SQLiteStoreTest(_Contract):
    def setUp(self) -> None:
        super().setUp()
        self.path = self.make_directory() / "a b" / "search.db"
        self.url = f"sqlite:///{self.path}"

    def test_its_file_is_for_its_owner_alone(self) -> None:
        self.open().write(_KEY, "a", 0)

        self.assertEqual(
            ["search-saved.db"],
            [
                each.name
                for each in self.path.parent.iterdir()
                if not each.name.endswith(("-wal", "-shm"))
            ],
        )
        found = self.path.with_name("search-saved.db").stat()
        self.assertEqual(0o600, stat.S_IMODE(found.st_mode))


class PostgreSQLStoreTest(_Contract):
    def setUp(self) -> None:
        super().setUp()
        self.url = self.useFixture(databases.PostgreSQL()).url


class MariaDBStoreTest(_Contract):
    def setUp(self) -> None:
        super().setUp()
        self.url = self.useFixture(databases.MariaDB()).url


class OpenSearchStoreTest(_Contract):
    def setUp(self) -> None:
        super().setUp()
        self.server = self.useFixture(server.OpenSearch())
        self.url = self.server.url()

    def test_a_row_that_is_refused_is_not_written(self) -> None:
        store = self.open()
        store.write(_KEY, "a", 0)
        made = self.server.body_of("orch-search-saved")
        made["mappings"]["properties"]["text"] = {"type": "boolean"}

        for key, version in ((_KEY, 1), ("other", 0)):
            self.assertRaises(
                errors.Unavailable, store.write, key, "b", version
            )

        self.assertEqual(port.StoredText("a", 1), store.read(_KEY))
        self.assertIsNone(store.read("other"))


class AwayTest(_StoreTests, base.TestCase):
    def test_one_that_is_away_is_unavailable(self) -> None:
        for url in (
            "sqlite:////proc/no/search.db",
            "postgresql://postgres@127.0.0.1:1/orch",
            "opensearch://127.0.0.1:1/x",
        ):
            store = self.open(url)
            self.assertRaises(errors.Unavailable, store.read, _KEY)


del _Contract
