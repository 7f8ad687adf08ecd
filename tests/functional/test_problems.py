"""What a caller is told about mistakes: all of them, where, and what to do.

Each case is a request to a running server and what its error body says.
"""

import dataclasses
import json

import requests

from tests.support import serving

_HOT = "heat_template_version: 2021-04-16\n"
_CFN = "HeatTemplateFormatVersion: 2012-12-12\n"

Problem = dict[str, object]


@dataclasses.dataclass(frozen=True)
class Typo:
    """A mistake, and the advice that its author gets.

    :ivar place: file, path, line and column of the problem
    """

    text: str
    advice: str
    place: tuple[str, str, int, int]
    environment: str = ""
    kind: str = "StackValidationFailed"


def value(text: str) -> str:
    """Return a template with one resource of that value."""
    return (
        _HOT
        + "resources:\n"
        + "  a:\n"
        + "    type: OS::Heat::Value\n"
        + "    properties:\n"
        + f"      {text}\n"
    )


TYPOS = {
    "section": Typo(
        _HOT + "resuorces: {}\n",
        "Did you mean resources?",
        ("", "resuorces", 2, 1),
    ),
    "section of cfn": Typo(
        _CFN + "Paramters: {}\n",
        "Did you mean Parameters?",
        ("", "Paramters", 2, 1),
    ),
    "key of the version": Typo(
        "heat_template_versoin: 2021-04-16\n",
        "Write heat_template_version for heat_template_versoin.",
        ("", "", 0, 0),
        kind="HTTPBadRequest",
    ),
    "version": Typo(
        "description: x\nheat_template_version: 2021-04-61\n",
        "Did you mean 2021-04-16?",
        ("", "heat_template_version", 2, 1),
        kind="InvalidTemplateVersion",
    ),
    "function": Typo(
        _HOT
        + "resources:\n"
        + "  a:\n"
        + "    type: OS::Heat::RandomString\n"
        + "    properties: {salt: {get_parm: p}}\n",
        "Did you mean the function get_param?",
        ("", "resources.a.properties.salt", 5, 18),
    ),
    "function of a later version": Typo(
        "heat_template_version: 2013-05-23\n"
        "resources:\n"
        "  a:\n"
        "    type: OS::Heat::RandomString\n"
        "    properties: {salt: {yaql: {expression: x}}}\n",
        "yaql is a function from version 2016-10-14 on.",
        ("", "resources.a.properties.salt", 5, 18),
    ),
    "function of a condition": Typo(
        _HOT + "conditions: {c: {equlas: [1, 2]}}\n",
        "Did you mean the function equals?",
        ("", "conditions.c", 2, 14),
    ),
    "resource type": Typo(
        _HOT + "resources: {a: {type: OS::Heat::RandomStrin}}\n",
        "Did you mean OS::Heat::RandomString?",
        ("", "resources.a.type", 2, 17),
    ),
    "key of a resource": Typo(
        _HOT + "resources: {a: {type: OS::Heat::None, propertis: {}}}\n",
        "Did you mean properties?",
        ("", "resources.a.propertis", 2, 39),
    ),
    "key of a resource of cfn": Typo(
        _CFN + "Resources: {a: {Tipe: OS::Heat::None}}\n",
        "Write Type for Tipe.",
        ("", "Resources.a", 2, 13),
    ),
    "property": Typo(
        value("valu: 1"),
        "Did you mean value?",
        ("", "resources.a.properties.valu", 6, 7),
    ),
    "nested property": Typo(
        _HOT
        + "resources:\n"
        + "  a:\n"
        + "    type: OS::Heat::RandomString\n"
        + "    properties:\n"
        + "      character_classes:\n"
        + "        - {clas: digits}\n",
        "Did you mean class?",
        ("", "resources.a.properties.character_classes[0].clas", 7, 12),
    ),
    "get_param": Typo(
        _HOT
        + "parameters: {flavor: {type: string, default: x}}\n"
        + "resources:\n"
        + "  a:\n"
        + "    type: OS::Heat::Value\n"
        + "    properties: {value: {get_param: flavour}}\n",
        "Did you mean flavor?",
        ("", "resources.a.properties.value", 6, 18),
    ),
    "parameter of an environment": Typo(
        _HOT + "parameters: {flavor: {type: string, default: x}}\n",
        "Did you mean flavor?",
        ("environment", "parameters.flavour", 2, 3),
        "parameters:\n  flavour: y\n",
        "UnknownUserParameter",
    ),
    "get_resource": Typo(
        value("value: {get_resource: ab}"),
        "Did you mean a?",
        ("", "resources.a.properties.value.get_resource", 6, 15),
        kind="InvalidTemplateReference",
    ),
    "depends_on": Typo(
        _HOT
        + "resources:\n"
        + "  server: {type: OS::Heat::None}\n"
        + "  b: {type: OS::Heat::None, depends_on: sever}\n",
        "Did you mean server?",
        ("", "resources.b.depends_on", 4, 29),
        kind="InvalidTemplateReference",
    ),
    "attribute": Typo(
        value("value: 1") + "outputs: {o: {value: {get_attr: [a, vlaue]}}}\n",
        "Did you mean value?",
        ("", "outputs.o.value.get_attr", 7, 23),
    ),
    "condition": Typo(
        _HOT
        + "conditions: {is_prod: true}\n"
        + "resources: {a: {type: OS::Heat::None, condition: is_pord}}\n",
        "Did you mean is_prod?",
        ("", "resources.a.condition", 3, 39),
    ),
    "condition of if": Typo(
        "heat_template_version: 2021-04-16\n"
        "conditions: {is_prod: true}\n"
        "outputs: {o: {value: {if: [is_pord, 1, 2]}}}\n",
        "Did you mean is_prod?",
        ("", "outputs.o.value.if", 3, 23),
    ),
    "type of a parameter": Typo(
        _HOT + "parameters: {p: {type: strnig}}\n",
        "Did you mean string?",
        ("", "parameters.p.type", 2, 18),
        kind="InvalidSchemaError",
    ),
    "key of a parameter": Typo(
        _HOT + "parameters: {p: {type: string, defualt: x}}\n",
        "Did you mean default?",
        ("", "parameters.p.defualt", 2, 32),
        kind="InvalidSchemaError",
    ),
    "constraint": Typo(
        _HOT
        + "parameters:\n"
        + "  p: {type: string, constraints: [{lenght: {max: 3}}]}\n",
        "Did you mean length?",
        ("", "parameters.p.constraints[0].lenght", 3, 36),
        kind="InvalidSchemaError",
    ),
    "bound of a constraint": Typo(
        _HOT
        + "parameters:\n"
        + "  p: {type: number, constraints: [{range: {mim: 3}}]}\n",
        "Did you mean min?",
        ("", "parameters.p.constraints[0].range.mim", 3, 44),
        kind="InvalidSchemaError",
    ),
    "parameter of a group": Typo(
        _HOT
        + "parameter_groups: [{parameters: [flavour]}]\n"
        + "parameters: {flavor: {type: string, default: x}}\n",
        "Did you mean flavor?",
        ("", "parameter_groups[0].parameters[0]", 2, 34),
    ),
    "deletion policy": Typo(
        _HOT
        + "resources: {a: {type: OS::Heat::None, deletion_policy: retian}}\n",
        "Did you mean retain?",
        ("", "resources.a.deletion_policy", 2, 39),
    ),
    "map of cfn": Typo(
        _CFN
        + "Mappings: {Regions: {eu: {az: x}}}\n"
        + "Resources:\n"
        + "  a:\n"
        + "    Type: OS::Heat::Value\n"
        + "    Properties: {value: {'Fn::FindInMap': [Region, eu, az]}}\n",
        "Did you mean Regions?",
        ("", "Resources.a.Properties.value", 6, 18),
    ),
    "key in a map of cfn": Typo(
        _CFN
        + "Mappings: {Regions: {europe: {az: x}}}\n"
        + "Resources:\n"
        + "  a:\n"
        + "    Type: OS::Heat::Value\n"
        + "    Properties: {value: {'Fn::FindInMap': [Regions, erope, az]}}\n",
        "Did you mean europe?",
        ("", "Resources.a.Properties.value", 6, 18),
    ),
    "section of an environment": Typo(
        _HOT,
        "Did you mean parameter_defaults?",
        ("environment", "parameter_default", 1, 1),
        "parameter_default: {}\n",
        "HTTPBadRequest",
    ),
    "hook": Typo(
        _HOT,
        "Did you mean pre-create?",
        (
            "environment",
            "resource_registry.resources.a.hooks[1]",
            4,
            27,
        ),
        "resource_registry:\n"
        "  resources:\n"
        "    a:\n"
        "      hooks: [pre-delete, pre-craete]\n",
        "InvalidBreakPointHook",
    ),
    "key for hooks": Typo(
        _HOT,
        "Did you mean hooks?",
        ("environment", "resource_registry.resources.a.hook", 1, 37),
        "resource_registry: {resources: {a: {hook: [pre-create]}}}\n",
        "HTTPBadRequest",
    ),
    "restricted action": Typo(
        _HOT,
        "Did you mean replace?",
        (
            "environment",
            "resource_registry.resources.a.restricted_actions",
            1,
            37,
        ),
        "resource_registry: {resources: {a: {restricted_actions: repalce}}}\n",
        "InvalidRestrictedAction",
    ),
    "section of the registry": Typo(
        _HOT,
        "Did you mean resources?",
        ("environment", "resource_registry.resorces", 1, 21),
        "resource_registry: {resorces: [a]}\n",
        "HTTPBadRequest",
    ),
    "event sink": Typo(
        _HOT,
        "Did you mean zaqar-queue?",
        ("environment", "event_sinks[0].type", 1, 16),
        "event_sinks: [{type: zaqar-queu, target: q}]\n",
        "HTTPBadRequest",
    ),
    "key of an event sink": Typo(
        _HOT,
        "Did you mean target?",
        ("environment", "event_sinks[0].targt", 1, 35),
        "event_sinks: [{type: zaqar-queue, targt: q}]\n",
        "HTTPBadRequest",
    ),
}


class ProblemTests(serving.ServerTestCase):
    """All on one server."""

    def refuse(
        self, path: str = "stacks", **body: object
    ) -> requests.Response:
        answer = requests.post(
            f"{self.system.endpoint}/{path}",
            json={"stack_name": "s", **body},
            timeout=30,
        )
        self.assertEqual(400, answer.status_code, answer.text)
        return answer

    def problems(self, **body: object) -> list[Problem]:
        found: list[Problem] = self.refuse(**body).json()["problems"]
        return found

    def places(self, **body: object) -> list[tuple[object, ...]]:
        return [
            (one["file"], one["path"], one["line"], one["column"])
            for one in self.problems(**body)
        ]

    def test_a_typo_gets_a_suggestion_at_its_place(self) -> None:
        wrong = []
        for name, typo in TYPOS.items():
            body = self.refuse(
                template=typo.text, environment=typo.environment
            ).json()
            first = body["problems"][0]
            place = (
                first["file"],
                first["path"],
                first["line"],
                first["column"],
            )
            seen = (body["error"]["type"], first["advice"], place)
            if seen != (typo.kind, typo.advice, typo.place):
                wrong.append((name, seen, json.dumps(body)))
        self.assertEqual([], wrong)

    def test_environment_and_template_are_judged_together(self) -> None:
        found = self.places(
            template=_HOT
            + "parameters:\n"
            + "  n: {type: number}\n"
            + "  s: {type: string, constraints: [{length: {max: 2}}]}\n"
            + "  m: {type: string}\n"
            + "resources:\n"
            + "  a:\n"
            + "    type: OS::Heat::Value\n"
            + "    properties: {valu: 1, value: {get_param: n}}\n"
            + "  b: {type: OS::Heat::Nothing}\n"
            + "  c: {type: OS::Heat::None, tipe: x}\n"
            + "outputs: {o: {value: {get_attr: [a, vlaue]}}}\n",
            environment="encrypted_param_names: [[]]\n"
            "parameters:\n"
            "  n: many\n"
            "  q: 1\n"
            "parameter_defaults: {s: long}\n"
            "resource_registry: {resources: {a: {hooks: never}}}\n",
        )

        hook = "resource_registry.resources.a.hooks"
        self.assertEqual(
            [
                ("environment", hook, 6, 37),
                ("environment", "encrypted_param_names[0]", 1, 25),
                ("environment", "parameters.q", 4, 3),
                ("", "resources.c.tipe", 11, 29),
                ("environment", "parameters.n", 3, 3),
                ("environment", "parameter_defaults.s", 5, 22),
                ("", "parameters.m", 5, 3),
                ("", "resources.b.type", 10, 7),
                ("", "resources.a.properties.valu", 9, 18),
                ("", "outputs.o.value.get_attr", 12, 23),
            ],
            found,
        )

    def test_text_that_is_no_yaml_is_told_with_the_other_documents(
        self,
    ) -> None:
        found = self.places(
            template=_HOT + "resorces: {}\n", environment="parameters: [\n"
        )
        self.assertEqual(
            [("environment", "", 2, 1), ("", "resorces", 2, 1)], found
        )

        found = self.places(
            template=_HOT + "resources: [\n", environment="stuff: {}\n"
        )
        self.assertEqual(
            [("", "", 3, 1), ("environment", "stuff", 1, 1)], found
        )

    def test_files_are_named_by_their_keys(self) -> None:
        files = {
            "file:///a.yaml": "parameters: {n: x, z: 1}\n",
            "file:///b.json": '{"parameters":\n  {"s": [1}}',
            "file:///c.yaml": "\nparameters:\n  flavour: y\n  n: w\n",
        }

        found = self.places(
            template=_HOT + "parameters: {n: {type: number, default: 1}}\n",
            files=files,
            environment_files=["file:///a.yaml", "file:///lost.yaml"],
        )
        self.assertEqual(
            [
                ("file:///lost.yaml", "", 0, 0),
                ("file:///a.yaml", "parameters.z", 1, 20),
            ],
            found,
        )

        found = self.places(
            template=_HOT + "parameters: {n: {type: number, default: 1}}\n",
            files=files,
            environment_files=["file:///a.yaml", "file:///c.yaml"],
        )
        self.assertIn(("file:///c.yaml", "parameters.n", 4, 3), found)

        found = self.places(
            template=_HOT,
            files=files,
            environment_files=["file:///b.json"],
        )
        self.assertEqual(("file:///b.json", "", 2, 11), found[0])

    def test_a_mistake_brings_no_others_with_it(self) -> None:
        for text, path in (
            (
                "resources:\n"
                "  a: {type: OS::Heat::Nothing}\n"
                "  b: {type: OS::Heat::Value, depends_on: a,"
                " properties: {value: {get_attr: [a, x]}}}\n"
                "outputs: {o: {value: {get_resource: a}}}\n",
                "resources.a.type",
            ),
            (
                "parameters: {n: {type: number, default: x}}\n"
                "conditions: {c: {equals: [{get_param: n}, 1]}}\n"
                "resources:\n"
                "  a: {type: OS::Heat::RandomString, condition: c,"
                " properties: {length: {get_param: n}}}\n"
                "outputs: {o: {value: {if: [c, {get_param: n}, 2]}}}\n",
                "parameters.n",
            ),
        ):
            found = self.problems(template=_HOT + text)
            self.assertEqual([path], [one["path"] for one in found])

    def test_validation_tells_all_without_asking_for_values(self) -> None:
        body = self.refuse(
            "validate",
            template=_HOT
            + "parameters: {n: {type: number}}\n"
            + "resources: {a: {type: OS::Heat::None, tipe: x}}\n",
            environment="parameters:\n  q: 1\n",
        ).json()

        self.assertEqual("UnknownUserParameter", body["error"]["type"])
        self.assertEqual(
            ["parameters.q", "resources.a.tipe"],
            [one["path"] for one in body["problems"]],
        )
        self.assertEqual({"message", "type", "traceback"}, set(body["error"]))
