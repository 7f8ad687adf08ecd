"""Constructs that templates of real users hold, with the real types."""

import functools

from orch import errors as base_errors
from orch.plugin import registry
from orch.template import errors
from orch.template import inputs
from orch.template import template
from orch.template import world
from orch.template.resources import declaration
from tests import base
from tests.unit.resources import contexts

WHO = inputs.Identity("id-1", "web", "demo")
HOT = "heat_template_version: 2013-05-23\n"
CFN = "HeatTemplateFormatVersion: '2012-12-12'\n"


@functools.cache
def types():
    return registry.ResourceTypes(contexts.options())


def load(text, **given):
    return template.Template.load(
        inputs.Inputs(text, **given), types(), WHO, inputs.Limits()
    )


def check(text, **given):
    """Do what ``POST /validate`` does."""
    return load(text, **given).validation_answer()


class OldNamesTest(base.TestCase):
    """Names that are told to nobody, in templates of ten years ago."""

    def test_a_network_with_its_old_names_is_right(self) -> None:
        check(
            HOT
            + """
parameters: {public: {type: string}}
resources:
  net: {type: OS::Neutron::Net}
  subnet:
    type: OS::Neutron::Subnet
    properties: {network_id: {get_resource: net}, cidr: 10.9.0.0/24}
  router: {type: OS::Neutron::Router}
  gateway:
    type: OS::Neutron::RouterGateway
    properties:
      router_id: {get_resource: router}
      network_id: {get_param: public}
  inner:
    type: OS::Neutron::RouterInterface
    properties:
      router_id: {get_resource: router}
      subnet_id: {get_resource: subnet}
  port:
    type: OS::Neutron::Port
    properties:
      network_id: {get_resource: net}
      replacement_policy: AUTO
      fixed_ips: [{subnet_id: {get_resource: subnet}}]
  address:
    type: OS::Neutron::FloatingIP
    properties:
      floating_network_id: {get_param: public}
      port_id: {get_resource: port}
"""
        )

    def test_a_name_that_never_was_is_refused(self) -> None:
        error = self.assertRaises(
            errors.ValidationFailed,
            check,
            HOT
            + """
resources:
  port: {type: OS::Neutron::Port, properties: {network_ids: x}}
""",
        )

        self.assertIn("Unknown Property network_ids", error.message)

    def test_types_of_services_that_are_gone_are_checked_no_further(
        self,
    ) -> None:
        check(
            HOT
            + """
resources:
  pool:
    type: OS::Neutron::Pool
    properties: {protocol: HTTP, vip: {protocol_port: 80}}
  cluster: {type: OS::Senlin::Cluster, properties: {whatever: 1}}
outputs:
  address: {value: {get_attr: [pool, vip, address]}}
"""
        )


class AttributesTest(base.TestCase):
    TEXT = """
resources:
  config: {type: OS::Heat::SoftwareConfig}
  server: {type: OS::Nova::Server, properties: {flavor: f}}
  deployment:
    type: OS::Heat::SoftwareDeployment
    properties:
      config: {get_resource: config}
      server: {get_resource: server}
  group:
    type: OS::Heat::ResourceGroup
    properties: {resource_def: {type: OS::Heat::RandomString}}
outputs:
  it: {value: {get_attr: %s}}
"""

    def test_outputs_of_a_script_and_of_members_are_attributes(self) -> None:
        for path in (
            "[deployment, the_result]",
            "[group, resource.1.value]",
            "[group, value, 0]",
            "[server, first_address]",
        ):
            check(HOT + self.TEXT % path)

    def test_all_else_is_told_apart(self) -> None:
        for path in ("[server, the_result]", "[config, resource.1.value]"):
            self.assertRaises(
                errors.ValidationFailed, check, HOT + self.TEXT % path
            )

    def test_a_path_may_hold_a_parameter_without_a_value(self) -> None:
        check(
            HOT
            + "parameters: {net: {type: string}}"
            + self.TEXT % "[server, addresses, {get_param: net}, 0, port]"
        )


class WritingTest(base.TestCase):
    """Ways of writing that few think of."""

    def test_the_last_of_two_equal_keys_counts(self) -> None:
        found = check(
            HOT
            + """
parameters:
  size: {type: number, default: 1, default: 2}
"""
        )

        self.assertEqual(2, found["Parameters"]["size"]["Default"])

    def test_parts_are_repeated_by_aliases(self) -> None:
        check(
            CFN
            + """
Resources:
  Keys: {Type: 'AWS::IAM::AccessKey', Properties: {UserName: u}}
  A:
    Type: OS::Heat::None
    Metadata:
      files: &files
        /etc/key: {content: {'Fn::GetAtt': [Keys, SecretAccessKey]}}
  B: {Type: 'OS::Heat::None', Metadata: {files: *files}}
"""
        )

    def test_a_map_may_stand_in_a_list_without_braces(self) -> None:
        found = load(
            CFN
            + """
Resources:
  A:
    Type: OS::Heat::Value
    Properties:
      value: {'Fn::Join': ['', [a, 'Fn::Select': [0, [b]], c]]}
"""
        )

        self.assertEqual(
            "abc", found.resolve_properties("A", _Nothing())["value"]
        )

    def test_keys_without_values_are_null(self) -> None:
        check(
            HOT
            + """
resources:
  flow:
    type: OS::Mistral::Workflow
    properties:
      type: direct
      input: {stack_id: , other: }
      tasks: [{name: one, action: std.noop, wait_before: 1}]
"""
        )

    def test_texts_with_odd_placeholders_are_replaced(self) -> None:
        found = load(
            HOT
            + """
resources:
  it:
    type: OS::Heat::Value
    properties:
      value:
        str_replace:
          template: "%a% $b$ ${c} P_NAME_2 P_NAME"
          params:
            "%a%": 1
            $b$: 2
            P_NAME: 3
            P_NAME_2: 4
"""
        )

        self.assertEqual(
            "1 2 ${c} 4 3", found.resolve_properties("it", _Nothing())["value"]
        )

    def test_moments_and_other_values_stand_for_texts(self) -> None:
        found = check(
            HOT
            + """
parameters:
  until: {type: string, default: 2030-01-02T03:04:05.678}
  mode: {type: string, default: false}
  names: {type: comma_delimited_list, default: [4, 5]}
"""
        )["Parameters"]

        self.assertEqual("2030-01-02T03:04:05.678", found["until"]["Default"])

    def test_what_a_condition_switches_off_may_be_named_beside_it(
        self,
    ) -> None:
        check(
            """
heat_template_version: 2017-02-24
parameters: {kind: {type: string, default: test}}
conditions:
  live: {equals: [{get_param: kind}, live]}
resources:
  it: {type: OS::Heat::TestResource, condition: live}
outputs:
  a: {value: {get_attr: [it, output]}, condition: live}
  b: {value: {if: [live, {get_resource: it}, none]}}
"""
        )

    def test_passwords_are_described_by_looking_ahead(self) -> None:
        text = HOT + (
            "parameters:\n"
            "  word:\n"
            "    type: string\n"
            "    constraints:\n"
            "      - allowed_pattern: '(?=^.{6,255}$)((?=.*\\d)(?=.*[A-Z])|"
            "(?=.*\\d)(?=.*[^A-Za-z0-9]))^.*'\n"
        )

        load(text, parameters={"word": "Passw0rd"}).validate(
            declaration.check_with_rows
        )
        loaded = load(text, parameters={"word": "password"})

        self.assertRaises(
            errors.TemplateInvalid,
            loaded.validate,
            declaration.check_with_rows,
        )


class ReportedErrorTest(base.TestCase):
    """Which error a template gets that somebody only asks about."""

    def test_resources_in_a_circle_are_refused_with_no_value_known(
        self,
    ) -> None:
        self.assertRaises(
            errors.Circular,
            check,
            HOT
            + """
parameters: {missing: {type: string}}
resources:
  a: {type: OS::Heat::None, depends_on: b}
  b: {type: OS::Heat::None, properties: {x: {get_resource: a}}}
""",
        )

    def test_a_requirement_that_is_not_there_has_an_error_of_its_own(
        self,
    ) -> None:
        for part in (
            "depends_on: b",
            "properties: {x: {get_resource: b}}",
            "metadata: {x: {get_attr: [b, c]}}",
        ):
            self.assertRaises(
                errors.ReferenceInvalid,
                check,
                f"{HOT}resources: {{a: {{type: OS::Heat::None, {part}}}}}",
            )

    def test_an_output_of_what_is_not_there_is_one_error_of_many(
        self,
    ) -> None:
        self.assertRaises(
            errors.ValidationFailed,
            check,
            HOT + "outputs: {o: {value: {get_attr: [b, c]}}}",
        )

    def test_a_parameter_that_contradicts_itself_is_defined_wrongly(
        self,
    ) -> None:
        for more in (
            "default: b, constraints: [{length: {min: 3}}]",
            "constraints: [{range: {min: 3}}]",
        ):
            self.assertRaises(
                errors.SchemaInvalid,
                check,
                f"{HOT}parameters: {{p: {{type: string, {more}}}}}",
            )


class NestedDefaultsTest(base.TestCase):
    KID = (
        HOT + "parameters:\n"
        "  key: {type: string, default: '',"
        " constraints: [{allowed_pattern: 'a{3}'}]}\n"
    )
    TEXT = HOT + "resources: {kid: {type: kid.yaml}}"

    def refusal(self, text, **given):
        try:
            load(text, files={"kid.yaml": self.KID}, **given).validate(
                declaration.check_with_rows
            )
        except base_errors.OrchError as error:
            return error.message
        return ""

    def test_the_default_of_the_environment_stands_in_for_a_wrong_one(
        self,
    ) -> None:
        for value, is_wrong in ((None, True), ("b", True), ("aaa", False)):
            found = self.refusal(
                self.TEXT,
                environment={"parameter_defaults": {"key": value}},
            )
            self.assertEqual(is_wrong, "Invalid default" in found, found)

    def test_but_not_in_the_template_of_the_stack_itself(self) -> None:
        found = self.refusal(
            self.KID, environment={"parameter_defaults": {"key": "aaa"}}
        )

        self.assertIn("Invalid default", found)


class _Nothing(world.EmptyWorld):
    """A world in which no resource was made."""

    def reference_id(self, name):
        raise AssertionError(name)

    def attribute(self, name, attribute):
        raise AssertionError(name)
