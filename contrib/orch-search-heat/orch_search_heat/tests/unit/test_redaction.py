"""What is hidden is followed through templates."""

import typing

import yaml

from orch_search_heat import redaction
from tests import base

Json = dict[str, typing.Any]

_UUID = "3f0c3a6e-55c1-4a47-8d0e-2b9a4a1b7c11"
_HEAD = """
parameters:
  word: {type: string, hidden: true}
  size: {type: string}
"""


def no_child(name: str) -> bool:
    return False


def read_redaction(
    resources: str,
    around: redaction.Around | None = None,
    holds: typing.Callable[[str], bool] = no_child,
) -> redaction.Rules:
    """Return what a template hides that declares these resources."""
    written = yaml.safe_load(_HEAD)
    written["resources"] = yaml.safe_load(resources)
    return redaction.Rules(written, around or redaction.Around(), holds)


class FollowingTest(base.TestCase):
    def given(self, found: redaction.Rules, *names: str) -> list[str]:
        return [each for each in names if found.is_given(each)]

    def test_a_parameter_is_followed_into_attributes_and_on(self) -> None:
        found = read_redaction("""
            a: {type: T, properties: {value: {get_param: word}, n: 1}}
            b: {type: T, properties: {value: {get_attr: [a, x]}, n: 1}}
            c: {type: T, properties: {v: {str_replace: {
                template: X, params: {X: {get_attr: [b, x]}}}}, n: 1}}
            d: {type: T, properties: {value: {get_param: size}, n: 1}}
            e: {type: T, properties: {value: {get_attr: [d, x]}, n: 1}}
        """)

        self.assertEqual(["a", "b", "c"], self.given(found, *"abcde"))
        self.assertTrue(found.mentions({"get_attr": ["c", "x"]}))
        self.assertFalse(found.mentions({"get_attr": ["e", "x"]}))
        self.assertTrue(found.mentions({"get_param": "word"}))
        self.assertTrue(found.mentions([{"get_param": ["word", "k"]}]))
        self.assertFalse(found.mentions({"get_param": "size"}))
        self.assertFalse(found.is_idle)

    def test_cfn_functions_are_followed_too(self) -> None:
        found = redaction.Rules(
            {
                "Parameters": {"Word": {"NoEcho": "true"}},
                "Resources": {
                    "A": {"Type": "T", "Properties": {"v": {"Ref": "Word"}}},
                    "B": {
                        "Type": "T",
                        "DependsOn": "A",
                        "Properties": {"v": {"Fn::GetAtt": ["A", "x"]}},
                    },
                    "C": {"Type": "T", "DependsOn": ["A", "B"]},
                },
            },
            redaction.Around(),
            no_child,
        )

        self.assertEqual(["A", "B"], self.given(found, *"ABC"))
        self.assertTrue(found.mentions({"Fn::GetAtt": "B.x"}))
        self.assertTrue(found.mentions({"Fn::Sub": "to ${Word}"}))
        self.assertTrue(found.mentions({"Fn::Sub": "to ${ B.x}"}))
        self.assertFalse(found.mentions({"Fn::Sub": "to ${C.x}"}))

    def test_to_wait_is_not_to_read(self) -> None:
        found = read_redaction("""
            a: {type: T, properties: {value: {get_param: word}}}
            b: {type: T, depends_on: a, description: word, condition: word}
        """)

        self.assertEqual(["a"], self.given(found, "a", "b"))

    def test_a_text_that_looks_like_a_name_is_none(self) -> None:
        found = read_redaction("""
            a: {type: T, properties: {value: {get_param: word}}}
            b: {type: T, properties: {value: a, other: the word}}
        """)

        self.assertEqual(["a"], self.given(found, "a", "b"))

    def test_who_is_asked_at_run_time_may_be_anybody(self) -> None:
        found = read_redaction("""
            a: {type: T, properties: {value: {get_param: word}}}
            b: {type: T, properties: {v: {get_attr: [{get_param: size}, x]}}}
            c: {type: T, properties: {v: {get_param: {get_param: size}}}}
            d: {type: T, properties: {v: {get_resource: {get_param: size}}}}
            e: {type: T, properties: {v: {my_own: word}}}
        """)

        self.assertEqual(list("abcde"), self.given(found, *"abcde"))

    def test_secrets_that_a_service_made_up_are_followed(self) -> None:
        found = read_redaction("""
            rs: {type: "OS::Heat::RandomString"}
            a: {type: T, properties: {value: {get_attr: [rs, value]}}}
            b: {type: T, properties: {value: {get_resource: rs}}}
            kp: {type: "OS::Nova::KeyPair", properties: {name: k}}
            c: {type: T, properties: {value: {get_attr: [kp, private_key]}}}
            d: {type: T, properties: {value: {get_attr: [kp, public_key]}}}
        """)

        self.assertEqual(
            ["rs", "a", "b", "c"],
            self.given(found, "rs", "a", "b", "kp", "c", "d"),
        )
        self.assertTrue(found.mentions({"get_attr": ["kp", "private_key"]}))

    def test_another_name_for_such_a_type_is_known(self) -> None:
        types = {"My::Word": "OS::Heat::RandomString"}
        around = redaction.Around(types=types)

        found = read_redaction("a: {type: My::Word}\nb: {type: Mine}", around)

        self.assertEqual(["a"], self.given(found, "a", "b"))

    def test_a_handle_is_hidden_and_not_followed(self) -> None:
        found = read_redaction("""
            h: {type: "OS::Heat::WaitConditionHandle"}
            a: {type: T, properties: {value: {get_attr: [h, curl_cli]}}}
        """)

        self.assertEqual([], self.given(found, "h", "a"))
        self.assertTrue(found.has_secrets("h"))
        self.assertTrue(found.mentions({"get_attr": ["h", "curl_cli"]}))
        self.assertFalse(found.has_secrets("a"))

    def test_an_id_that_a_service_made_up_tells_nothing(self) -> None:
        around = redaction.Around(
            name="web",
            physical_ids={
                "a": _UUID,
                "b": "canary",
                "c": "web-c-k3j5h2g4f6d7",
                "d": "web-d-canary",
            },
        )
        found = read_redaction(
            "\n".join(
                f"{name}: {{type: T, properties: {{v: {{get_param: word}}}}}}"
                for name in "abcde"
            ),
            around,
        )

        self.assertEqual(
            ["b", "d", "e"],
            [each for each in "abcde" if found.redacts_id(each)],
        )
        self.assertTrue(found.mentions({"get_resource": "b"}))
        self.assertFalse(found.mentions({"get_resource": "a"}))

    def test_what_inner_stacks_hide_comes_back(self) -> None:
        found = read_redaction(
            """
            a: {type: a.yaml}
            b: {type: T, properties: {value: {get_attr: [a, said]}}}
            c: {type: T}
            """,
            holds=lambda name: name == "a",
        )

        self.assertEqual(["a", "b"], self.given(found, *"abc"))

    def test_circles_end(self) -> None:
        found = read_redaction("""
            a: {type: T, properties: {v: {get_attr: [b, x]}}}
            b: {type: T, properties: {v: {get_attr: [a, x]}}}
        """)

        self.assertEqual([], self.given(found, "a", "b"))

    def test_where_nobody_knows_the_template_all_is_hidden(self) -> None:
        found = redaction.Rules({}, redaction.Around(), no_child)

        self.assertTrue(found.is_anywhere)
        self.assertTrue(found.is_given("a"))
        self.assertTrue(found.mentions("plain"))

    def test_what_is_in_no_template_was_given_anything(self) -> None:
        self.assertTrue(read_redaction("a: {type: T}").is_given("old"))


class ChildTest(base.TestCase):
    """Which parameters of an inner stack have hidden values."""

    CHILD: typing.ClassVar[Json] = {
        "parameters": {"one": {"type": "string"}, "two": {"type": "string"}},
        "resources": {},
    }

    def given(self, declared: str) -> frozenset[str] | None:
        return read_redaction(f"kid: {declared}").given("kid", self.CHILD)

    def test_those_that_are_given_one(self) -> None:
        self.assertEqual(
            {"one"},
            self.given(
                "{type: k.yaml, properties: {one: {get_param: word}, two: x}}"
            ),
        )
        self.assertEqual(
            frozenset(),
            self.given("{type: k.yaml, properties: {one: {get_param: size}}}"),
        )

    def test_those_of_a_stack_are_in_a_map(self) -> None:
        self.assertEqual(
            {"two"},
            self.given(
                '{type: "OS::Heat::Stack", properties: {template: x,'
                " parameters: {one: x, two: {get_param: word}}}}"
            ),
        )
        self.assertIsNone(
            self.given(
                '{type: "OS::Heat::Stack", properties: {template: {a: {'
                "get_param: word}}, parameters: {one: x}}}"
            )
        )

    def test_in_others_it_may_be_anywhere(self) -> None:
        for declared in (
            '{type: "OS::Heat::ResourceGroup", properties: {count: 2,'
            " resource_def: {type: T, properties: {v: {get_param: word}}}}}",
            "{type: k.yaml, properties: {get_param: word}}",
            "{type: k.yaml, metadata: {a: {get_param: word}}}",
        ):
            self.assertIsNone(self.given(declared), declared)
        self.assertEqual(
            frozenset(),
            self.given(
                '{type: "OS::Heat::ResourceGroup", properties: {n: 2}}'
            ),
        )

    def test_one_that_is_no_longer_there_was_given_anything(self) -> None:
        found = read_redaction("a: {type: T}")

        self.assertIsNone(found.given("kid", self.CHILD))


class ReasonTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.found = read_redaction("""
            a: {type: T, properties: {value: {get_param: word}}}
            b: {type: T}
        """)

    def redacts(self, text: str, *, is_failed: bool = True) -> bool:
        return self.found.redacts_reason(text, is_failed=is_failed)

    def test_what_quotes_those_with_hidden_values_is_hidden(self) -> None:
        self.assertTrue(self.redacts("Error: resources.a.x: canary"))
        self.assertTrue(self.redacts("Error: resources.b: x, resources.a: y"))
        self.assertTrue(self.redacts("canary"))
        self.assertTrue(self.redacts("Said: canary", is_failed=False))
        self.assertTrue(
            self.found.redacts_resource_reason("a", "canary", is_failed=True)
        )

    def test_other_reasons_stay(self) -> None:
        self.assertFalse(self.redacts("Error: resources.b: no room"))
        self.assertFalse(self.redacts("Stack CREATE started", is_failed=False))
        self.assertFalse(
            self.found.redacts_resource_reason("b", "no room", is_failed=True)
        )
        self.assertFalse(
            self.found.redacts_resource_reason(
                "a", "state changed", is_failed=False
            )
        )
        nothing = redaction.Rules(
            {"resources": {"b": {"type": "T"}}},
            redaction.Around(),
            no_child,
        )
        self.assertFalse(nothing.redacts_reason("no: room", is_failed=True))
