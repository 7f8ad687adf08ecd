import hashlib
import pathlib
import socket
import urllib.request

from orch.resources.local import root
from orch.template import world
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources import player

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


class ExamplesTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.root = self.make_directory()

    def load(self, name: str, **parameters: object) -> player.Player:
        stack = player.Player(EXAMPLES / name, self.root, parameters)
        self.addCleanup(stack.delete)
        return stack

    def left(self) -> list[str]:
        """Return all files that are left, also those that Orch keeps."""
        return sorted(
            str(path.relative_to(self.root))
            for path in self.root.rglob("*")
            if not path.is_dir()
        )

    def test_every_example_is_valid_and_says_what_it_is(self) -> None:
        names = sorted(path.name for path in EXAMPLES.glob("*.yaml"))
        self.assertIn("website.yaml", names)
        for name in names:
            loaded = self.load(name).template
            self.assertIn("description", loaded.raw, name)
            for output in loaded.resolve_outputs(world.EmptyWorld()):
                self.assertTrue(output.description, name)
            for one in loaded.parameters.schemas.values():
                self.assertTrue(one.description, name)

    def test_hello_makes_a_password(self) -> None:
        stack = self.load("hello.yaml", user="bob", length=30)

        stack.create()

        outputs = stack.outputs()
        password = str(outputs["password"])
        self.assertEqual(30, len(password))
        self.assertEqual(f"bob logs in with {password}", outputs["sentence"])
        self.assertEqual([], self.left())

    def test_the_website_serves_and_leaves_nothing(self) -> None:
        stack = self.load("website.yaml", title="Shop", port=free_port())

        stack.create()

        outputs = stack.outputs()
        with urllib.request.urlopen(str(outputs["url"])) as answer:
            page = answer.read()
        self.assertIn(b"<h1>Shop</h1>", page)
        self.assertIn(str(outputs["key"]).encode(), page)
        digest = hashlib.sha256(page).hexdigest()
        self.assertEqual(digest, outputs["page_sha256"])
        stack.delete()
        self.assertEqual([], self.left())

    def test_the_release_goes_on_once_it_is_approved(self) -> None:
        stack = self.load("retry.yaml")

        error = self.assertRaises(root.LocalRefused, stack.create)
        self.assertIn("approved.txt is missing", error.message)
        self.assertEqual(["key", "manifest", "place"], sorted(stack.made))
        before = dict(stack.made)
        (self.root / "approved.txt").touch()
        stack.create()

        for name, context in before.items():
            self.assertIs(context, stack.made[name])
        path = pathlib.Path(str(stack.outputs()["announcement"]))
        self.assertEqual("release-1 is out.\n", path.read_text())
        stack.delete()
        self.assertEqual(["approved.txt"], self.left())

    def test_the_slow_one_leaves_a_file_a_step(self) -> None:
        stack = self.load("slow.yaml", seconds=0)

        stack.create()

        files = stack.outputs()["files"]
        assert isinstance(files, list)
        self.assertEqual(
            ["a4", "b4", "c4"],
            [pathlib.Path(path).read_text() for path in files],
        )
        self.assertEqual(12, len(contexts.names(self.root / "slow")))
        stack.delete()
        self.assertEqual([], self.left())

    def test_the_http_one_makes_things_of_a_service(self) -> None:
        stack = self.load("http.yaml", port=free_port())

        stack.create()

        self.assertEqual(
            {
                "zone_id": "1",
                "zone_status": "ACTIVE",
                "address": "192.0.2.1",
            },
            stack.outputs(),
        )
        stack.delete()
        self.assertEqual([], self.left())
