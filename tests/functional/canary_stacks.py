"""Stacks in which secrets of every source go through every function."""

import collections.abc
import json
import typing

from tests.functional import observing
from tests.support import canaries
from tests.support import world_templates

Json = canaries.Json

HIDDEN: typing.Final = canaries.make_secret("kestrel", "plover")
CARRIED: typing.Final = canaries.make_secret("sparrow", "wagtail")
NAMED: typing.Final = canaries.make_secret("avocets", "curlew")
OWN: typing.Final = canaries.make_secret("bittern", "redwing")
LATER: typing.Final = canaries.make_secret("godwits", "dunlin")

SOURCES: typing.Final[Json] = {
    "hidden": {"get_param": "word"},
    "carried": {"get_attr": ["carrier", "label"]},
    "named": {"get_attr": ["named", "value", "admin_pass"]},
    "generated": {"get_attr": ["made", "value"]},
    "own": {"get_attr": ["low", "own"]},
}
"""Expressions of secrets in the HOT stack, by their source."""

_PARAMETERS: typing.Final[Json] = {
    "word": {"type": "string", "hidden": True},
    "carried": {"type": "string", "hidden": True},
}
_GIVEN: typing.Final[Json] = {"get_param": "given"}
_LOW: typing.Final[Json] = {
    "heat_template_version": canaries.HOT,
    "parameters": {
        # Not hidden: the secret comes under another name.
        "given": {"type": "string"},
        "own": {"type": "string", "hidden": True, "default": OWN},
    },
    "resources": {
        "deep": world_templates.declare_resource(
            label={"digest": ["sha1", _GIVEN]}, value=_GIVEN
        ),
        "part": world_templates.declare_resource(
            label={"str_split": ["-", _GIVEN, 1]}
        ),
    },
    "outputs": {
        "own": {"value": {"get_param": "own"}},
        "facade": {"value": {"resource_facade": "metadata"}},
    },
}
FILES: typing.Final = {"low.yaml": json.dumps(_LOW)}


def declare_value(value: object) -> Json:
    """Return a resource that is a value."""
    return {"type": "OS::Heat::Value", "properties": {"value": value}}


def _declare_made() -> Json:
    """Return a generated secret that can be split."""
    return {
        "type": "OS::Heat::RandomString",
        "properties": {
            "length": 40,
            "character_sequences": [{"sequence": "-", "min": 1}],
            "character_classes": [{"class": "lettersdigits", "min": 36}],
        },
    }


def _declare_low(given: object) -> Json:
    return {
        "type": "low.yaml",
        "properties": {"given": given},
        "metadata": {"told": {"get_param": "word"}},
    }


def _declare_compared(label: object) -> Json:
    """Return a resource whose real state is compared."""
    declared = observing.single()
    declared["properties"]["label"] = label
    return declared


def write_template(
    sources: collections.abc.Iterable[str] = tuple(SOURCES),
) -> Json:
    """Return the HOT template; each row is a resource and an output."""
    rows = {
        f"{source}_{name}": row.write(SOURCES[source])
        for source in sources
        for name, row in canaries.HOT_ROWS.items()
    }
    digests = {
        name: {"digest": ["sha384", each]} for name, each in SOURCES.items()
    }
    return {
        "heat_template_version": canaries.HOT,
        "conditions": canaries.CONDITIONS,
        "parameters": _PARAMETERS,
        "resources": {
            "carrier": world_templates.declare_resource(
                label={"get_param": "carried"}
            ),
            "named": declare_value({"admin_pass": NAMED}),
            "moved": declare_value({"admin_pass": NAMED}),
            "made": _declare_made(),
            "low": _declare_low(SOURCES["hidden"]),
            "low_made": _declare_low(SOURCES["generated"]),
            "low_carried": _declare_low(SOURCES["carried"]),
            "made_id": declare_value({"get_resource": "made"}),
            "group": {
                "type": "OS::Heat::ResourceGroup",
                "properties": {
                    "count": 1,
                    "resource_def": declare_value(
                        {**SOURCES, "digests": digests}
                    ),
                },
            },
            "compared": _declare_compared(SOURCES["hidden"]),
            "compared_digest": _declare_compared(digests["carried"]),
            "compared_made": _declare_compared(SOURCES["generated"]),
            **{name: declare_value(each) for name, each in rows.items()},
        },
        "outputs": {
            **{name: {"value": each} for name, each in rows.items()},
            "made_id": {"value": {"get_resource": "made"}},
            "facade": {"value": {"get_attr": ["low", "facade"]}},
        },
    }


def write_refused(url: str) -> Json:
    """Return a template of resources that a service is asked for.

    :param url: of the service
    """
    bodies = {
        "word": {"note": SOURCES["hidden"]},
        "digest": {"note": {"digest": ["sha384", SOURCES["hidden"]]}},
        "attribute": {"note": SOURCES["carried"]},
        "literal": {"password": NAMED},
        "random": {"note": SOURCES["generated"]},
    }
    return {
        "heat_template_version": canaries.HOT,
        "parameters": _PARAMETERS,
        "resources": {
            "carrier": world_templates.declare_resource(
                label={"get_param": "carried"}
            ),
            "made": _declare_made(),
            **{
                f"refused_{name}": {
                    "type": "Orch::HTTP::Resource",
                    "properties": {
                        "url": url,
                        "create": {"path": f"/{name}", "body": each},
                    },
                }
                for name, each in bodies.items()
            },
        },
        "outputs": {"made": {"value": SOURCES["generated"]}},
    }


CFN_SOURCES: typing.Final[Json] = {
    "Hidden": {"Ref": "Word"},
    "Carried": {"Fn::GetAtt": ["Carrier", "label"]},
    "Named": {"Fn::FindInMap": ["Passwords", "All", "Password"]},
}
_CFN_LOW: typing.Final[Json] = {
    "AWSTemplateFormatVersion": canaries.CFN,
    "Resources": {},
    "Outputs": {
        "Facade": {"Value": {"Fn::ResourceFacade": "Metadata"}},
    },
}
CFN_FILES: typing.Final = {"low.template": json.dumps(_CFN_LOW)}


def write_cfn_template() -> Json:
    """Return the CloudFormation template, of the same form."""
    rows = {
        f"{source}{name}": row.write(given)
        for source, given in CFN_SOURCES.items()
        for name, row in canaries.CFN_ROWS.items()
    }
    return {
        "AWSTemplateFormatVersion": canaries.CFN,
        "Conditions": canaries.CFN_CONDITIONS,
        "Mappings": {"Passwords": {"All": {"Password": NAMED}}},
        "Parameters": {
            name: {"Type": "String", "NoEcho": "true"}
            for name in ("Word", "Carried")
        },
        "Resources": {
            "Carrier": {
                "Type": "Test::World::Thing",
                "Properties": {"label": {"Ref": "Carried"}},
            },
            "Low": {
                "Type": "low.template",
                "Metadata": {"told": {"Ref": "Word"}},
            },
            "Compared": {
                "Type": "Test::World::Single",
                "Properties": {"value": "v", "label": CFN_SOURCES["Carried"]},
            },
            "Group": {
                "Type": "OS::Heat::ResourceGroup",
                "Properties": {
                    "count": 1,
                    "resource_def": declare_value(
                        {
                            name: {"Fn::Split": ["-", each]}
                            for name, each in CFN_SOURCES.items()
                        }
                    ),
                },
            },
            **{
                name: {
                    "Type": "OS::Heat::Value",
                    "Properties": {"value": each},
                }
                for name, each in rows.items()
            },
        },
        "Outputs": {
            **{name: {"Value": each} for name, each in rows.items()},
            "Facade": {"Value": {"Fn::GetAtt": ["Low", "Facade"]}},
        },
    }
