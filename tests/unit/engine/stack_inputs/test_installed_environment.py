"""The environment of the installation, as a worker reads it."""

import pathlib

import fixtures

from orch.conf import load
from orch.engine import dependencies
from orch.engine.stack_inputs import installed_environment
from orch.plugin import registry
from orch.template import inputs
from orch.template import template
from orch.template import world
from orch.template.environment import installation
from tests import base

_ALARM = {
    "MetricName": "cpu",
    "Namespace": "system/linux",
    "Statistic": "Maximum",
    "Period": "60",
    "EvaluationPeriods": "2",
    "Threshold": "50",
    "ComparisonOperator": "LessThanOrEqualToThreshold",
    "AlarmActions": ["http://example.com"],
    "Dimensions": [{"Name": "group", "Value": "web"}],
}
_DATABASE = {
    "DBInstanceClass": "small",
    "AllocatedStorage": "5",
    "Engine": "MySQL",
    "MasterUsername": "admin",
    "MasterUserPassword": "secret",
    "DBName": "shop",
}


class InstalledTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.conf = load.load([], files=[])
        self.directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)

    def read(self) -> installation.Installation:
        return installed_environment.read_environment(
            self.conf, dependencies.limits_of(self.conf)
        )

    def name_directory(self, **texts: str) -> None:
        for name, text in texts.items():
            (self.directory / f"{name}.yaml").write_text(text)
        self.conf.set_override("environment_dir", str(self.directory))

    def test_the_shipped_environment_needs_no_option(self) -> None:
        found = self.read().resource_registry

        self.assertEqual("OS::Neutron*", found["OS::Quantum*"])
        self.assertEqual("OS::Aodh::Alarm", found["OS::Metering::Alarm"])

    def test_the_operator_wins_over_what_is_shipped(self) -> None:
        self.name_directory(own="resource_registry: {OS::Metering::Alarm: A}")

        found = self.read().resource_registry

        self.assertEqual("A", found["OS::Metering::Alarm"])
        self.assertIn("AWS::RDS::DBInstance", found)

    def test_other_files_are_left_alone(self) -> None:
        (self.directory / "notes.txt").write_text("{")
        self.name_directory()

        self.assertEqual({}, self.read().parameters)

    def test_a_broken_file_is_named_with_line_and_column(self) -> None:
        self.name_directory(own="parameters:\n  a: [\n")

        error = self.assertRaises(
            installed_environment.EnvironmentBroken, self.read
        )

        self.assertIn(
            f"{(self.directory / 'own.yaml').as_uri()}, line 3, column",
            error.message,
        )
        self.assertNotIn("\n", error.message)

    def test_a_template_that_is_not_there_is_named(self) -> None:
        self.name_directory(own="resource_registry:\n  A: gone.yaml\n")

        error = self.assertRaises(
            installed_environment.EnvironmentBroken, self.read
        )

        self.assertIn("own.yaml, line 2, column 3", error.message)
        self.assertIn("gone.yaml", error.message)

    def test_a_directory_that_is_not_there_is_told(self) -> None:
        self.conf.set_override("environment_dir", "/no/such/directory")

        error = self.assertRaises(
            installed_environment.EnvironmentBroken, self.read
        )

        self.assertIn("/no/such/directory", error.message)

    def test_the_alarm_becomes_one_of_aodh(self) -> None:
        found = self.properties("AWS_CloudWatch_Alarm", _ALARM, "alarm")

        self.assertEqual("max", found["statistic"])
        self.assertEqual("le", found["comparison_operator"])
        self.assertEqual(
            {"metadata.user_metadata.group": "web"}, found["matching_metadata"]
        )
        self.assertEqual(["http://example.com"], found["alarm_actions"])

    def test_the_database_becomes_one_of_trove(self) -> None:
        found = self.properties("AWS_RDS_DBInstance", _DATABASE, "instance")

        self.assertEqual("mysql", found["datastore_type"])
        self.assertEqual(5, found["size"])
        self.assertIsNone(found.get("restore_point"))

    def properties(
        self, name: str, values: dict[str, object], resource: str
    ) -> dict[str, object]:
        """Return what a shipped template gives its resource."""
        path = installed_environment.SHIPPED / "templates" / f"{name}.yaml"
        loaded = template.Template.load(
            inputs.Inputs(path.read_text(), parameters=values),
            registry.ResourceTypes(load.load([], files=[])),
            inputs.Identity("id", "name", "project"),
            dependencies.limits_of(self.conf),
        )
        return loaded.resolve_properties(resource, world.EmptyWorld())
