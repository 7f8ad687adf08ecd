"""Constraints, and the named checks that need no cloud."""

from orch.plugin import schema
from orch.template.parameters import constraints
from orch.template.parameters import custom_constraints
from tests import base

FINE = (
    ("ip_addr", "fe80::1"),
    ("net_cidr", "10.0.0.0/8"),
    ("ip_or_cidr", "10.0.0.1"),
    ("mac_addr", "fa:16:3e:00:00:01"),
    ("dns_name", "host.example.com."),
    ("rel_dns_name", "host"),
    ("dns_domain", "example.com."),
    ("dns_name", "host.123"),
    ("dns_name", 0),
    ("cron_expression", "*/5 1-3 * * 1,2"),
    ("net_cidr", "10.1.2.3/8"),
    ("ip_or_cidr", "::1/64"),
    ("mac_addr", "0:1:2:3:4:5"),
    ("mac_addr", "0011.2233.4455"),
    ("mac_addr", "001122-334455"),
    ("mac_addr", "00112233445"),
    ("iso_8601", "2030"),
    ("expiration", ""),
    ("expiration", "2999-02"),
    ("timezone", "Europe/Berlin"),
    ("iso_8601", "2016-01-01T00:00:00Z"),
    ("expiration", "2999-01-01 00:00:00"),
    ("json_string", "[1]"),
    ("nova.flavor", "m1.small"),
)
WRONG = (
    ("ip_addr", "10.0.0.256"),
    ("ip_addr", 5),
    ("net_cidr", "10.0.0.0/64"),
    ("mac_addr", "fa:16:3e:00:00"),
    ("dns_name", "a_b.example"),
    ("dns_name", "x" * 300),
    ("dns_name", "host.123."),
    ("dns_name", "Host"),
    ("ip_addr", "fe80::1%eth0"),
    ("net_cidr", "10.0.0.1"),
    ("net_cidr", "10.0.0.0/08"),
    ("net_cidr", "10.0.0.0/255.0.0.0"),
    ("ip_or_cidr", "10.0.0.0/255.0.0.0"),
    ("mac_addr", "00:11:22-33:44:55"),
    ("expiration", "2999-W01-1"),
    ("rel_dns_name", "host."),
    ("dns_domain", "example.com"),
    ("cron_expression", "* * *"),
    ("cron_expression", "a b c d e"),
    ("timezone", "Mars/Base"),
    ("iso_8601", "yesterday"),
    ("expiration", "1999-01-01 00:00:00"),
    ("json_string", "{a"),
    ("no.such", "x"),
)


class ConstraintsTest(base.TestCase):
    def test_the_named_checks_accept_what_is_right(self) -> None:
        for name, value in FINE:
            self.assertIsNone(
                custom_constraints.find_failure(name, value), name
            )

    def test_the_named_checks_refuse_what_is_wrong(self) -> None:
        for name, value in WRONG:
            self.assertTrue(custom_constraints.find_failure(name, value), name)

    def test_allowed_values_are_compared_as_their_type(self) -> None:
        allowed = schema.AllowedValues(values=(1, "2"))

        for value in ("1", 2, 2.0):
            self.assertIsNone(
                constraints.find_failure(allowed, value, schema.Type.NUMBER)
            )
        self.assertTrue(
            constraints.find_failure(allowed, 3, schema.Type.NUMBER)
        )

    def test_no_value_passes_where_an_allowed_one_is_of_another_type(
        self,
    ) -> None:
        allowed = schema.AllowedValues(values=(1, "x"))

        for kind in (schema.Type.NUMBER, schema.Type.BOOLEAN):
            self.assertIn(
                "invalid for data type",
                str(constraints.find_failure(allowed, 1, kind)),
            )

    def test_a_pattern_matches_the_whole_text(self) -> None:
        pattern = schema.AllowedPattern(pattern="[a-z]+$")

        self.assertIsNone(
            constraints.find_failure(pattern, "abc", schema.Type.STRING)
        )
        for value in ("abc\n", "abc1", "", 5):
            self.assertTrue(
                constraints.find_failure(pattern, value, schema.Type.STRING)
            )

    def test_numbers_keep_to_step_and_offset(self) -> None:
        odd = schema.Modulo(step=2, offset=1)

        self.assertIsNone(
            constraints.find_failure(odd, "3", schema.Type.NUMBER)
        )
        self.assertTrue(constraints.find_failure(odd, 4, schema.Type.NUMBER))

    def test_a_constraint_on_a_wrong_type_is_named(self) -> None:
        self.assertEqual(
            "Range constraint invalid for string",
            constraints.find_misuse(
                schema.Range(minimum=1), schema.Type.STRING
            ),
        )
