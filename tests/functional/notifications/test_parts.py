"""Parts of a hidden value that a template cuts out are not on the bus."""

import hashlib
import json
import typing

from tests.functional.notifications import notification_case
from tests.support import listeners
from tests.support import rest
from tests.support import world_templates

Json = notification_case.Json

_SECRET: typing.Final = "north-qxzjv-staple"
_CHUNK: typing.Final = "qxzj"
"""In each part of the secret that the template makes, and in no id."""
_DIGEST: typing.Final = hashlib.md5(_SECRET.encode()).hexdigest()
_OWN: typing.Final = "canary-own-3f"
_WORD: typing.Final[Json] = {"get_param": "word"}
_PART: typing.Final[Json] = {"str_split": ["-", _WORD, 1]}


def _label_of(name: str) -> Json:
    return {"get_attr": [name, "label"]}


def _low(**given: object) -> Json:
    return {"type": "low.yaml", "properties": given}


_LOW: typing.Final = json.dumps(
    {
        "heat_template_version": "2021-04-16",
        "parameters": {
            "given": {"type": "string"},
            "open": {"type": "string", "default": "open"},
        },
        "resources": {
            "deep": world_templates.declare_resource(
                label={"get_param": "given"}, value={"get_param": "open"}
            )
        },
        "outputs": {"said": {"value": _label_of("deep")}},
    }
)
_OWNER: typing.Final = json.dumps(
    {
        "heat_template_version": "2021-04-16",
        "parameters": {
            "own": {"type": "string", "hidden": True, "default": _OWN}
        },
        "resources": {"deep": world_templates.declare_resource(label="plain")},
        "outputs": {"said": {"value": {"get_param": "own"}}},
    }
)


def cutting() -> Json:
    """Return a template that takes a hidden value apart in many ways."""
    return {
        **world_templates.template(
            a=world_templates.declare_resource(
                label=_WORD, value="seen by all"
            ),
            part=world_templates.declare_resource(label=_PART),
            reader=world_templates.declare_resource(label=_label_of("part")),
            cut=world_templates.declare_resource(
                label={"str_split": ["v", _label_of("a"), 0]}
            ),
            digest=world_templates.declare_resource(
                label={"digest": ["md5", _label_of("a")]}
            ),
            again=world_templates.declare_resource(label=_label_of("digest")),
            beside=world_templates.declare_resource(
                label={"get_attr": ["a", "value"]}, value="plain"
            ),
            low=_low(
                given=_label_of("cut"), open={"get_attr": ["a", "value"]}
            ),
            hashed=_low(given={"digest": ["md5", _label_of("a")]}),
            back=world_templates.declare_resource(
                label={"get_attr": ["low", "said"]}
            ),
            group={
                "type": "OS::Heat::ResourceGroup",
                "properties": {
                    "count": 1,
                    "resource_def": {
                        "type": "Test::World::Thing",
                        "properties": {
                            "label": {
                                "list_join": ["/", [_label_of("free"), _PART]]
                            },
                            "value": "in the open",
                        },
                    },
                },
            },
            owner={"type": "owner.yaml"},
            above=world_templates.declare_resource(
                label={"get_attr": ["owner", "said"]}
            ),
            free=world_templates.declare_resource(label="plain"),
        ),
        "parameters": {"word": {"type": "string", "hidden": True}},
        "outputs": {
            "part": {"value": _label_of("reader")},
            "cut": {"value": {"str_split": ["v", _label_of("a"), 0]}},
            "again": {"value": _label_of("again")},
            "above": {"value": _label_of("above")},
            "beside": {"value": _label_of("beside")},
            "free": {"value": _label_of("free")},
        },
    }


class PartsTests(notification_case.NotificationTestCase):
    notifications: typing.ClassVar[dict[str, object]] = {
        "template": "full",
        "outputs": "true",
        "resources": "true",
    }

    def heard_of_all(self) -> list[listeners.Heard]:
        """Return what is heard of a stack of that kind, and of all in it."""
        stack = self.cut()
        self.hear(stack, "create.end")
        return [
            each
            for each in self.listener.heard
            if each.payload["root_id"] == stack.id
        ]

    def cut(self) -> rest.Stack:
        return self.created(
            cutting(),
            files={"low.yaml": _LOW, "owner.yaml": _OWNER},
            parameters={"word": _SECRET},
        )

    def test_no_part_is_told_at_any_depth(self) -> None:
        heard = self.heard_of_all()

        self.assertEqual({0, 1}, {each.payload["depth"] for each in heard})
        for each in heard:
            for secret in (_CHUNK, _DIGEST, _OWN):
                self.assertNotIn(
                    secret,
                    json.dumps(each.payload),
                    f"{each.event_type} {each.payload['path']}",
                )

    def test_what_is_no_part_is_told(self) -> None:
        heard = self.heard_of_all()

        shown = {
            str(each.payload["path"]).partition("/")[2]: typing.cast(
                Json, each.payload["properties"]
            )
            for each in heard
            if each.event_type == "orchestration.resource.create.end"
        }
        told = {
            (
                each.payload["path"],
                notification_case.kind_of(each),
            ): each.payload
            for each in heard
        }
        for name in ("part", "reader", "cut", "digest", "again", "back"):
            self.assertEqual("******", shown[name]["label"], name)
        self.assertEqual("seen by all", shown["a"]["value"])
        self.assertEqual("seen by all", shown["beside"]["label"])
        self.assertEqual("seen by all", shown["low/deep"]["value"])
        self.assertEqual("in the open", shown["group/0"]["value"])
        low = told[f"{self.name}/low", "create.end"]
        self.assertEqual(
            ("******", "seen by all"),
            tuple(
                typing.cast(Json, low["parameters"])[name]
                for name in ("given", "open")
            ),
        )
        self.assertEqual(
            {
                "part": "******",
                "cut": "******",
                "again": "******",
                "above": "******",
                "beside": "seen by all",
                "free": "plain",
            },
            told[self.name, "create.end"]["outputs"],
        )
