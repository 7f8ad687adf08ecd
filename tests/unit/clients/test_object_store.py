import hashlib
import hmac
import urllib.parse

from orch.clients import object_store
from orch.clients import rest
from tests import base
from tests.unit.resources.heat import installations

KEY = "Temp-URL-Key of the container"


class PlaceTest(base.TestCase):
    def test_an_address_leads_to_an_object(self) -> None:
        url = "https://swift/v1/AUTH_1/a%20b/c/d%2Fe?temp_url_sig=1"

        self.assertEqual(
            object_store.Place("AUTH_1", "a b", "c/d/e"),
            object_store.Place.of_url(url),
        )

    def test_another_address_leads_nowhere(self) -> None:
        for url in (
            "",
            "x",
            "https://swift/v1/AUTH_1/a",
            "https://s/v1//a/b",
            "//[/v1/a/b/c",
        ):
            self.assertIsNone(object_store.Place.of_url(url))


class ObjectStoreTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.there = self.useFixture(installations.Installation())
        self.there.headers["X-Container-Meta-Temp-URL-Key"] = KEY
        cloud = self.useFixture(
            installations.Cloud(f"{self.there.url}/AUTH_1")
        ).connect(None, region_name=None)
        self.store = object_store.ObjectStore(cloud)

    def test_addresses_are_signed_by_the_key_of_the_container(self) -> None:
        self.there.answers["HEAD", "/AUTH_1/a%20b"] = 204, None

        url = self.store.address_for_writing("a b", "o")

        found = urllib.parse.urlsplit(url)
        query = urllib.parse.parse_qs(found.query)
        expires = query["temp_url_expires"][0]
        signed = f"PUT\n{expires}\n/v1/AUTH_1/a b/o".encode()
        wanted = hmac.new(KEY.encode(), signed, hashlib.sha256).hexdigest()
        self.assertEqual([wanted], query["temp_url_sig"])
        self.assertEqual("/v1/AUTH_1/a%20b/o", found.path)

    def test_a_container_that_is_there_keeps_its_key(self) -> None:
        self.there.answers["HEAD", "/AUTH_1/c"] = 204, None

        self.store.make_container("c", is_versioned=True)

        self.assertEqual(["HEAD"], [one.method for one in self.there.requests])

    def test_without_a_container_there_is_no_address(self) -> None:
        self.assertRaises(
            rest.CloudNotFound, self.store.address_for_writing, "c", "o"
        )

    def test_what_is_too_large_is_not_read(self) -> None:
        self.there.answers["HEAD", "/AUTH_1/c/o"] = 200, "x" * (2**20 + 1)

        self.assertRaises(object_store.TooLarge, self.store.read, "c", "o")

        self.assertEqual([], self.there.find_requests("GET", "/AUTH_1/c/o"))

    def test_what_is_too_large_in_all_is_not_read_to_its_end(self) -> None:
        old = [f"001o/{number:02}" for number in range(40)]
        listed = [{"name": each} for each in old]
        self.there.answers["GET", "/AUTH_1/c"] = 200, listed
        for each in (*old, "o"):
            path = f"/AUTH_1/c/{urllib.parse.quote(each, '')}"
            self.there.answers["HEAD", path] = 200, "x" * 2**20
            self.there.answers["GET", path] = 200, "x" * 2**20

        self.assertRaises(object_store.TooLarge, self.store.read_all, "c", "o")

        self.assertEqual([], self.there.find_requests("GET", "/AUTH_1/c/o"))

    def test_texts_of_a_container_are_read_at_once(self) -> None:
        self.list_(a=2, b=2, c=2)
        self.there.answers["GET", "/AUTH_1/c/a"] = 200, "aa"
        self.there.answers["GET", "/AUTH_1/c/b"] = 404, None

        found = self.store.read_texts("c", ["c"], 4)

        self.assertEqual({"a": "aa"}, found)

    def test_what_a_manifest_leads_to_counts_too(self) -> None:
        self.list_(a=0, b=0)
        self.there.answers["GET", "/AUTH_1/c/a"] = 200, "aaaaaa"
        self.there.answers["GET", "/AUTH_1/c/b"] = 200, "bbbbbb"

        self.assertRaises(
            object_store.TooLarge, self.store.read_texts, "c", [], 11
        )
        self.assertEqual(2, len(self.store.read_texts("c", [], 12)))
        self.assertEqual(2, len(self.store.read_texts("c", [], -1)))

    def test_more_objects_than_anybody_includes_are_not_read(self) -> None:
        self.list_(**{f"o{number}": 0 for number in range(1001)})

        self.assertRaises(
            object_store.TooLarge, self.store.read_texts, "c", [], -1
        )
        self.assertEqual(1, len(self.there.requests))

    def list_(self, **sizes: int) -> None:
        self.there.answers["GET", "/AUTH_1/c"] = (
            200,
            [{"name": name, "bytes": each} for name, each in sizes.items()],
        )

    def test_the_container_of_another_project_is_refused(self) -> None:
        place = object_store.Place("AUTH_2", "c", "o")

        self.assertRaises(rest.CloudRefused, self.store.check_is_ours, place)
        self.store.check_is_ours(object_store.Place("AUTH_1", "c", "o"))

    def test_to_remove_what_is_gone_is_no_failure(self) -> None:
        self.store.delete_container("c")

        self.assertEqual(["POST"], [one.method for one in self.there.requests])
