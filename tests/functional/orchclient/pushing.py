"""What tests of pushes share: two installations, and the command."""

import io
import typing

import yaml

import orchclient
from orchclient import client as clients
from orchclient import shell
from tests.functional import adopting
from tests.functional.orchclient import commanding
from tests.support import installations
from tests.support import rest
from tests.support import systems
from tests.support import world_templates

Json = world_templates.Json
declare_resource = world_templates.declare_resource

OPTIONS: systems.Options = {
    **installations.OPTIONS,
    "adoption": {"forward_hosts": "127.0.0.1"},
}


def tree() -> tuple[Json, dict[str, str]]:
    """Return a template of three levels with groups, and its files."""
    leaf = world_templates.template(x=declare_resource(label="leaf"))
    middle = world_templates.template(
        m=declare_resource(),
        group={
            "type": "OS::Heat::ResourceGroup",
            "properties": {
                "count": 2,
                "resource_def": {"type": "leaf.yaml"},
            },
        },
    )
    root = world_templates.template(
        a=declare_resource(label="a"),
        mid={"type": "middle.yaml", "depends_on": "a"},
        handle={"type": "OS::Heat::WaitConditionHandle"},
    )
    root["outputs"] = {"url": {"value": {"get_attr": ["handle", "endpoint"]}}}
    files = {"leaf.yaml": leaf, "middle.yaml": middle}
    return root, {name: yaml.safe_dump(each) for name, each in files.items()}


def handled() -> Json:
    """Return a template of a resource and a handle, and its address."""
    wanted = world_templates.template(
        a=declare_resource(label="a"),
        handle={"type": "OS::Heat::WaitConditionHandle"},
    )
    wanted["outputs"] = {
        "url": {"value": {"get_attr": ["handle", "endpoint"]}}
    }
    return wanted


class PushTestCase(adopting.AdoptingTestCase):
    """A class has two installations that know nothing of each other.

    :cvar options: of both
    """

    options: typing.ClassVar[systems.Options] = OPTIONS

    @classmethod
    def setUpClass(cls) -> None:
        super(adopting.AdoptingTestCase, cls).setUpClass()
        cls.pair = cls.use(installations.Pair(cls.options))
        cls.world = cls.pair.world
        cls.here = cls.pair.here.client
        cls.there = cls.pair.there.client

    def login(self, endpoint: str | None = None) -> tuple[str, ...]:
        """Return the words that log in at the source."""
        return (
            *("--os-auth-type", "none"),
            *("--os-endpoint", endpoint or self.pair.here.endpoint),
        )

    def words(self, *words: str, target: str | None = None) -> list[str]:
        """Return the words of the command that pushes the stack."""
        return [
            *("stack", "push", self.name),
            *("--to-endpoint", target or self.pair.there.endpoint),
            *words,
        ]

    def push(
        self,
        *words: str,
        source: str | None = None,
        target: str | None = None,
        answer: str | None = None,
    ) -> commanding.Ended:
        """Run the command.

        :param answer: typed at a terminal; ``None``: there is none
        """
        argv = [*self.login(source), *self.words(*words, target=target)]
        return self.run_words(argv, answer)

    def run_words(
        self, argv: list[str], answer: str | None = None
    ) -> commanding.Ended:
        out, err, typed = io.StringIO(), io.StringIO(), io.StringIO(answer)
        typed.isatty = lambda: answer is not None  # type: ignore[method-assign]
        code = shell.main(argv, typed, out, err)
        return commanding.Ended(code, out.getvalue(), err.getvalue())

    def pushed(self, *words: str) -> commanding.Ended:
        ended = self.push(*words)
        self.assertEqual(0, ended.code, ended)
        return ended

    def client(self, endpoint: str) -> clients.Client:
        found = orchclient.connect(endpoint=endpoint)
        self.addCleanup(found.close)
        return found

    def found(
        self, client: rest.Client | None = None, name: str | None = None
    ) -> rest.Stack:
        """Return the only stack of that name, by default at the target."""
        (found,) = self.listed(client or self.there, name)
        return rest.Stack(str(found["stack_name"]), str(found["id"]))

    def listed(
        self, client: rest.Client, name: str | None = None
    ) -> list[Json]:
        path = f"/stacks?name={name or self.name}"
        return typing.cast(list[Json], client.get(path, "stacks"))

    def assert_unchanged(self, stack: rest.Stack, shown: Json) -> None:
        """The stack is at the source as it was, and not at the target."""
        self.assertEqual(shown, self.here.show(stack))
        self.assertEqual([], self.listed(self.there))

    def old_addresses(self, stack: rest.Stack) -> list[Json]:
        path = f"{stack.path}/abandon/addresses"
        return typing.cast(list[Json], self.here.get(path, "addresses"))
