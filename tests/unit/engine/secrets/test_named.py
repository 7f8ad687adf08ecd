"""What has the name of a secret in a template."""

import typing

from orch.engine.secrets import masks
from orch.engine.secrets import named
from tests.unit.engine.secrets import test_taint

_LITERAL: typing.Final = "horse-staple"


class NamedTest(test_taint.TaintCase):
    def test_literals_are_found_and_expressions_are_not(self) -> None:
        found = named.find_literals(
            self.load(
                {
                    "db_password": {"type": "string", "default": "default1"},
                    "open": {"type": "string", "default": "default2"},
                },
                a=test_taint.declare_sample(
                    text={"admin_pass": _LITERAL, "user": "root-user"},
                    more=[{"api_key": 123456}, {"token": ["one-token"]}],
                ),
                b=test_taint.declare_sample(
                    text={"password": {"get_param": "open"}}
                ),
            )
        )

        self.assertEqual(
            {_LITERAL, "123456", "one-token", "default1"}, set(found)
        )

    def test_a_value_that_reads_such_an_attribute_is_redacted(self) -> None:
        read = {"get_attr": ["a", "out", "private_key"]}
        found = masks.Masks(
            [
                self.load(
                    {"open": {"type": "string", "default": "x"}},
                    a=test_taint.declare_sample(text="x"),
                    b=test_taint.declare_sample(
                        text={"digest": ["md5", read]}, more="x"
                    ),
                )
            ],
            is_strict=True,
        )

        self.assertTrue(found.hides("b", "text", ("text", "more")))
        self.assertFalse(found.hides("b", "more", ("text", "more")))
        self.assertTrue(found.mentions(read))

    def test_a_literal_is_redacted_everywhere_but_for_its_readers(
        self,
    ) -> None:
        template = self.load(
            {"open": {"type": "string", "default": "x"}},
            a=test_taint.declare_sample(text={"admin_pass": _LITERAL}),
        )

        self.assertEqual(
            "no ******",
            masks.Masks([template], is_strict=True).covered(f"no {_LITERAL}"),
        )
        self.assertEqual(
            f"no {_LITERAL}", masks.Masks([template]).covered(f"no {_LITERAL}")
        )

    def test_values_below_such_names_are_redacted(self) -> None:
        self.assertEqual(
            [{"admin_pass": "******", "user": {"token": None}}],
            named.redact_in(
                [{"admin_pass": _LITERAL, "user": {"token": None}}]
            ),
        )
