"""What all users of an installation may use without saying so."""

import typing

from tests import base
from tests.support import rest
from tests.support import running

_ALARM = {"meter_name": "cpu", "threshold": 1}
_TYPES: dict[str, dict[str, object]] = {
    "OS::Quantum::Net": {},
    "OS::Ceilometer::Alarm": _ALARM,
    "OS::Metering::Alarm": _ALARM,
    "AWS::CloudWatch::Alarm": {
        "MetricName": "cpu",
        "Statistic": "Average",
        "Period": "60",
        "EvaluationPeriods": "1",
        "Threshold": "50",
        "ComparisonOperator": "GreaterThanThreshold",
    },
    "AWS::RDS::DBInstance": {
        "DBInstanceClass": "small",
        "AllocatedStorage": "5",
        "MasterUsername": "admin",
        "MasterUserPassword": "secret",
    },
}


def _template(type_name: str) -> dict[str, object]:
    return {
        "heat_template_version": "2018-08-31",
        "resources": {
            "one": {"type": type_name, "properties": _TYPES[type_name]}
        },
    }


class InstalledEnvironmentTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.client = self.useFixture(running.Embedded()).system.client

    def test_mapped_types_validate_and_are_refused_as_a_stack(self) -> None:
        for name in _TYPES:
            body = {"template": _template(name)}

            told = self.client.ask("POST", "/validate", body)
            refused = self.assertRaises(
                rest.RefusedError, self.client.create, "s", body["template"]
            )

            found = typing.cast("dict[str, typing.Any]", told)
            self.assertEqual(
                {"resources": {}}, found["Environment"]["resource_registry"]
            )
            self.assertEqual(400, refused.status)
            self.assertIn("ResourceTypeUnavailable", str(refused.body))

    def test_the_users_mapping_wins(self) -> None:
        wanted = _template("OS::Quantum::Net")

        stack = self.client.create(
            "s",
            wanted,
            environment={
                "resource_registry": {"OS::Quantum*": "OS::Heat::None"}
            },
        )

        self.client.wait(stack, "CREATE_COMPLETE")
