"""Hidden parameters in the child stacks whose templates the engine writes."""

import collections.abc
import importlib.metadata
import json
import typing

from orch.plugin import nested_stack
from tests.functional import deploying
from tests.functional import observing
from tests.functional import test_instance_groups
from tests.functional import test_secrets
from tests.functional.search import finding
from tests.support import rest
from tests.support import texts
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]

_WORD: typing.Final = "canary-member-41ce"
_LINE: typing.Final = "canary-line-7d30"
_LINES: typing.Final = "\n".join(
    f"{_LINE} {number} " + "of many words " * 30 for number in range(3)
)
_NUMBER: typing.Final = 914275538
_LATER: typing.Final = "canary-member-later-b3"
_VALUES: typing.Final = {"word": _WORD, "lines": _LINES, "number": _NUMBER}
_HIDDEN: typing.Final = {
    "word": {"type": "string", "hidden": True},
    "lines": {"type": "string", "hidden": True},
    "number": {"type": "number", "hidden": True},
}
_READ: typing.Final = {"get_param": "word"}
_MEMBER: typing.Final = {
    "type": "Test::World::Thing",
    "properties": {
        "label": _READ,
        "value": {"list_join": [" ", ["user", {"get_param": "lines"}]]},
        "refs": [{"get_param": "number"}],
    },
}
_INNER: typing.Final = {
    "heat_template_version": "2021-04-16",
    "resources": {"deep": world_templates.declare_resource(label="$label")},
}
_AT_URL: typing.Final = json.dumps(
    {
        "heat_template_version": "2021-04-16",
        "parameters": {"label": {"type": "string"}},
        "resources": {
            "deep": world_templates.declare_resource(
                label={"get_param": "label"}
            )
        },
    }
)
_ROLES: typing.Final = ("reader", "admin")


def software(kind: str, config: object) -> Json:
    return {
        "type": kind,
        "properties": {
            "config": config,
            "servers": {"one": {"get_resource": "server"}},
            "signal_transport": "NO_SIGNAL",
            "input_values": {"greeting": _READ},
        },
    }


def group_types() -> set[str]:
    """Return the installed types that hold a stack."""
    return {
        each.name
        for each in importlib.metadata.entry_points(group="orch.resources")
        if each.value.startswith("orch.")
        and issubclass(each.load(), nested_stack.NestedStackResource)
    }


def child_templates(document: Json) -> collections.abc.Iterator[str]:
    """Yield the templates in a document, but that of the root."""
    for entry in document["resources"].values():
        if "template" in entry:
            yield json.dumps(entry["template"], sort_keys=True)
            yield from child_templates(entry)


class MembersTest(test_secrets.SecretsTestCase):
    """One group of each type, each given the same hidden values."""

    limit_s = 300
    words = (_WORD, _LINE, str(_NUMBER), _LATER)
    searchers = 1

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.web = cls.use(texts.Texts())
        cls.web.found["/deep.template"] = _AT_URL

    def groups(self) -> Json:
        """Return a group of each type that holds a stack."""
        structured = {"get_resource": "structured"}
        script = {"get_resource": "config"}
        return {
            "count": {
                "type": "OS::Heat::ResourceGroup",
                "properties": {"count": 2, "resource_def": _MEMBER},
            },
            "deep": {
                "type": "OS::Heat::ResourceGroup",
                "properties": {
                    "count": 1,
                    "resource_def": {
                        "type": "OS::Heat::ResourceGroup",
                        "properties": {"count": 1, "resource_def": _MEMBER},
                    },
                },
            },
            "scaled": {
                "type": "OS::Heat::AutoScalingGroup",
                "properties": {
                    "min_size": 1,
                    "max_size": 3,
                    "resource": _MEMBER,
                },
            },
            "chain": {
                "type": "OS::Heat::ResourceChain",
                "properties": {
                    "resources": [_MEMBER["type"]] * 2,
                    "resource_properties": _MEMBER["properties"],
                },
            },
            "conf": test_instance_groups.configuration(
                image=_READ, UserData={"get_param": "lines"}
            ),
            "instances": test_instance_groups.instance_group(1),
            "scaling": test_instance_groups.scaling_group(),
            "server": deploying.template()["resources"]["server"],
            "config": deploying.config(),
            "structured": {
                "type": "OS::Heat::StructuredConfig",
                "properties": {"config": {"key": "plain"}},
            },
            **{
                name.rpartition("::")[2]: software(name, config)
                for name, config in (
                    ("OS::Heat::SoftwareDeploymentGroup", script),
                    ("OS::Heat::SoftwareDeployments", script),
                    ("OS::Heat::StructuredDeploymentGroup", structured),
                    ("OS::Heat::StructuredDeployments", structured),
                )
            },
            "text": {
                "type": "OS::Heat::Stack",
                "properties": {
                    "template": {
                        "str_replace": {
                            "template": json.dumps(_INNER),
                            "params": {"$label": _READ},
                        }
                    }
                },
            },
            "url": {
                "type": "AWS::CloudFormation::Stack",
                "properties": {
                    "TemplateURL": f"{self.web.url}/deep.template",
                    "Parameters": {"label": _READ},
                },
            },
        }

    def body(self) -> Json:
        return {
            "template": {
                "heat_template_version": "2021-04-16",
                "parameters": _HIDDEN,
                "resources": self.groups(),
            },
            "parameters": _VALUES,
            "environment": test_instance_groups.MAPPED,
        }

    def make(self) -> rest.Stack:
        stack = self.client.create(self.name, **self.body())
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def children(
        self, stack: rest.Stack
    ) -> collections.abc.Iterator[rest.Stack]:
        """Yield the stacks below a stack, at all levels."""
        rows = self.client.get(
            f"{stack.path}/resources?nested_depth=4", "resources"
        )
        found = {
            str(link["href"]).rpartition("/stacks/")[2]
            for row in typing.cast(list[Json], rows)
            for link in row["links"]
            if link["rel"] == "nested"
        }
        for each in sorted(found):
            name, _, stack_id = each.partition("/")
            yield rest.Stack(name, stack_id)

    def written(self, stack: rest.Stack) -> list[str]:
        """Return the templates of child stacks in clear text, sorted."""
        found = self.client.ask("GET", f"{stack.path}/export?secrets=plain")
        del self.said[-1]
        return sorted(child_templates(typing.cast(Json, found)))

    def test_each_type_that_holds_a_stack_is_here(self) -> None:
        used = {each["type"] for each in self.groups().values()}

        self.assertEqual(set(), group_types() - used)

    def test_nothing_shows_the_values(self) -> None:
        body = self.body()
        self.client.ask("POST", "/validate?show_nested=true", body)
        self.client.ask(
            "POST", "/stacks/preview", {"stack_name": self.name, **body}
        )
        stack = self.make()
        children = list(self.children(stack))
        later = {**body, "parameters": {**_VALUES, "word": _LATER}}
        self.client.ask("PUT", f"{stack.path}/preview?show_nested=true", later)
        plan = {"action": "update", **later}
        self.client.ask("POST", f"{stack.path}/plans", plan)
        self.client.ask("POST", f"{stack.path}/snapshots", {"name": "kept"})
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        session = self.client._session
        for role in _ROLES:
            session.headers["X-Roles"] = role
            for each in (stack, *children):
                self.look_at_all(each)
        del session.headers["X-Roles"]
        for each in (stack, *children):
            self.client.ask("GET", f"{each.path}/export")

        waiting.wait_for(lambda: self.listener.heard, "a notification")
        self.assertGreaterEqual(len(children), len(group_types()))
        self.check()

    def test_no_search_finds_the_values(self) -> None:
        stack = self.make()
        stacks = 1 + len(list(self.children(stack)))
        told = f"path:{self.name}* kind:stack status:CREATE_COMPLETE"
        waiting.wait_for(
            lambda: self.found_by(told)["total"] == stacks, "the index"
        )
        self.assertLess(
            1, self.found_by("template:resources kind:stack")["total"]
        )
        for word in self.words:
            self.assertEqual(0, self.found_by(f'"{word}"')["total"], word)
        del self.said[:]
        self.found_by(f"path:{self.name}*")
        self.check_but_notifications()

    def found_by(self, query: str) -> Json:
        return finding.search(self.client, query, limit=100)

    def test_a_sealed_document_gives_the_values_back(self) -> None:
        stack = self.make()
        before = self.written(stack)

        document = self.client.ask("DELETE", f"{stack.path}/abandon")
        waiting.wait_for(lambda: self.is_gone(stack), "the stack is gone")
        answer = self.client.ask(
            "POST",
            "/stacks",
            {
                "stack_name": f"{self.name}-again",
                "adopt_stack_data": json.dumps(document),
            },
        )
        again = rest.Stack(
            f"{self.name}-again",
            str(typing.cast(Json, answer)["stack"]["id"]),
        )
        self.client.wait(again, "ADOPT_COMPLETE")

        self.assertIn(_WORD, "".join(before))
        self.assertEqual(before, self.written(again))
        self.check_but_notifications()

    def test_a_template_with_drifted_values_has_no_hidden_one(self) -> None:
        thing = {**observing.single(), "properties": {"label": _READ}}
        group = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 1, "resource_def": thing},
        }
        body = self.body()
        body["template"]["resources"] = {"g": group}
        stack = self.client.create(self.name, **body)
        self.client.wait(stack, "CREATE_COMPLETE")
        (child,) = self.children(stack)
        self.world.relabel(child.name, "0", f"{_WORD}-changed")
        place = f"{stack.path}/actions"
        self.client.ask("POST", place, {"observe": None})
        waiting.wait_for(
            lambda: observing.read(self.client, stack)["state"] == "drifted",
            "drift",
        )

        found = self.client.ask("GET", f"{child.path}/drift/template")

        (omitted,) = typing.cast(Json, found)["omitted"]
        self.assertEqual("label", omitted["property"])
        self.assertIn("hidden parameter", omitted["reason"])
        self.look_at_all(child)
        self.check_but_notifications()
