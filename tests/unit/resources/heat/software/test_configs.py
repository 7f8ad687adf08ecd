"""The types that are a config: what they say, and that they are kept once."""

import email

from orch import errors
from orch.plugin import reality
from orch.plugin import software
from orch.resources.heat.software import cloud_config
from orch.resources.heat.software import multipart_mime
from orch.resources.heat.software import software_component
from orch.resources.heat.software import software_config
from orch.resources.heat.software import stored_config
from orch.resources.heat.software import structured_config
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources.heat.software import stores


class ConfigsTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.store = stores.Store()

    def make(
        self, kind: type[stored_config.StoredConfig], **properties: object
    ) -> software.Config:
        """Make a config, twice, as after a lost answer; return it."""
        plugin, context = self.plugin(kind), contexts.make(kind, **properties)
        for _ in range(2):
            made = plugin.create(context)
            self.assertEqual(context.token, made)
        self.assertEqual([made], list(self.store.configs))
        return self.store.configs[made]

    def plugin(
        self, kind: type[stored_config.StoredConfig]
    ) -> stored_config.StoredConfig:
        plugin = kind(contexts.options())
        plugin.use(self.store)
        return plugin


class RealityTests(ConfigsTestCase):
    def test_d2_a_config_that_says_the_same_is_as_it_was_given(self) -> None:
        for kind, given in (
            (software_config.SoftwareConfig, {"config": "a", "group": "g"}),
            (structured_config.StructuredConfig, {"config": {"a": 1}}),
        ):
            self.store.configs.clear()
            made = self.make(kind, **given)
            context = contexts.make(kind, physical_id=made.id, **given)

            found = self.plugin(kind).get_reality(context)

            self.assertEqual(context.properties, found)
            other = contexts.make(kind, physical_id=made.id, config="b")
            if kind is software_config.SoftwareConfig:
                self.assertEqual({}, self.plugin(kind).get_reality(other))

    def test_d4_a_config_that_somebody_deleted_has_vanished(self) -> None:
        kind = software_config.SoftwareConfig
        made = self.make(kind)
        context = contexts.make(kind, physical_id=made.id)
        self.store.delete_config("", made.id)

        plugin = self.plugin(kind)

        self.assertRaises(reality.Vanished, plugin.get_reality, context)
        self.assertRaises(reality.Vanished, plugin.check, context)


class SoftwareConfigTests(ConfigsTestCase):
    KIND = software_config.SoftwareConfig

    def test_it_says_what_its_properties_say(self) -> None:
        made = self.make(
            self.KIND,
            config="echo",
            group="script",
            inputs=[
                {
                    "name": "i",
                    "type": "Json",
                    "default": {"a": 1},
                    "replace_on_change": True,
                }
            ],
            outputs=[{"name": "o", "type": "String", "error_output": False}],
            options={"x": 1},
        )

        self.assertEqual("shop-thing-abcdefghijkl", made.name)
        self.assertEqual(("script", "echo"), (made.group, made.config))
        self.assertEqual(
            [
                {
                    "name": "i",
                    "type": "Json",
                    "default": {"a": 1},
                    "replace_on_change": True,
                }
            ],
            made.inputs,
        )
        self.assertEqual([{"name": "o", "type": "String"}], made.outputs)
        self.assertEqual({"x": 1}, made.options)

    def test_nothing_given_is_an_empty_text(self) -> None:
        made = self.make(self.KIND)

        self.assertEqual(("Heat::Ungrouped", ""), (made.group, made.config))
        self.assertEqual([], made.inputs)

    def test_a_lost_attempt_is_found(self) -> None:
        plugin, context = self.plugin(self.KIND), contexts.make(self.KIND)

        before = plugin.find(context)
        plugin.create(context)

        self.assertIsNone(before)
        self.assertEqual(context.token, plugin.find(context))

    def test_its_config_can_be_read_until_it_goes(self) -> None:
        self.make(self.KIND, config="echo")
        plugin = self.plugin(self.KIND)
        context = contexts.make(self.KIND, physical_id=contexts.TOKEN)

        read = plugin.read_attributes(context, ["config"])
        plugin.delete(context)
        plugin.delete(context)

        self.assertEqual({"config": "echo"}, read)
        self.assertEqual({}, self.store.configs)
        self.assertEqual({}, plugin.read_attributes(context, ["config"]))

    def test_one_in_use_is_not_removed(self) -> None:
        made = self.make(self.KIND)
        self.store.hand_over(
            software.Handover(
                deployment_id="d",
                stack_id="s",
                resource_id="d",
                project_id="",
                server_id="s",
                config_id=made.id,
                definition=made,
                input_values=None,
                action="CREATE",
                status=software.Status.COMPLETE,
                status_reason="",
                signal_count=0,
            )
        )

        self.assertRaises(
            errors.Invalid,
            self.plugin(self.KIND).delete,
            contexts.make(self.KIND, physical_id=made.id),
        )

    def test_outside_of_a_worker_nothing_is_kept(self) -> None:
        self.assertRaises(
            errors.Unavailable,
            self.KIND(contexts.options()).create,
            contexts.make(self.KIND),
        )


class StructuredConfigTests(ConfigsTestCase):
    KIND = structured_config.StructuredConfig

    def test_it_is_a_map(self) -> None:
        made = self.make(self.KIND, config={"a": {"get_input": "b"}})

        self.assertEqual({"a": {"get_input": "b"}}, made.config)

    def test_without_a_config_it_is_empty(self) -> None:
        self.assertEqual({}, self.make(self.KIND).config)


class CloudConfigTests(ConfigsTestCase):
    def test_it_is_a_document_of_cloud_init(self) -> None:
        made = self.make(
            cloud_config.CloudConfig, cloud_config={"users": ["a", "b"]}
        )

        self.assertEqual(
            ("Heat::Ungrouped", "#cloud-config\nusers:\n- a\n- b\n"),
            (made.group, made.config),
        )


class SoftwareComponentTests(ConfigsTestCase):
    KIND = software_component.SoftwareComponent

    def test_it_keeps_a_config_for_each_action(self) -> None:
        configs = [
            {"actions": ["CREATE"], "config": "a", "tool": "script"},
            {"actions": ["DELETE"], "config": "b", "tool": "script"},
        ]

        made = self.make(self.KIND, configs=configs)

        self.assertEqual(
            ("component", {"configs": configs}), (made.group, made.config)
        )
        self.assertEqual(
            {"CREATE", "DELETE"}, software_component.list_actions(made.config)
        )

    def test_two_configs_for_one_action_are_refused(self) -> None:
        twice = [
            {"actions": ["CREATE", "UPDATE"], "tool": "script"},
            {"actions": ["UPDATE"], "tool": "script"},
        ]

        error = self.assertRaises(
            errors.Invalid,
            self.plugin(self.KIND).validate,
            {"configs": twice},
        )

        self.assertIn("UPDATE", str(error))

    def test_what_is_not_known_yet_is_no_reason_to_refuse(self) -> None:
        self.plugin(self.KIND).validate({})


class MultipartMimeTests(ConfigsTestCase):
    KIND = multipart_mime.MultipartMime

    def parts(self, *parts: dict[str, object]) -> list[tuple[str, ...]]:
        """Return type, name and text of each part of what is made."""
        made = self.make(
            self.KIND, parts=[{"type": "text", **one} for one in parts]
        )
        whole = email.message_from_string(str(made.config))
        self.assertEqual("multipart/mixed", whole.get_content_type())
        return [
            (
                one.get_content_type(),
                one.get_filename() or "",
                one.get_payload(decode=True).decode(),
            )
            for one in whole.get_payload()
        ]

    def test_parts_are_texts_or_configs(self) -> None:
        self.store.create_config(
            "",
            "5d4b3a1e-0000-4000-8000-000000000009",
            software.Definition(config="kept"),
        )
        other = stores.Store()
        other.configs, self.store = dict(self.store.configs), other
        plugin = self.plugin(self.KIND)
        context = contexts.make(
            self.KIND,
            parts=[
                {"config": "5d4b3a1e-0000-4000-8000-000000000009"},
                {"config": "5d4b3a1e-0000-4000-8000-00000000000a"},
            ],
        )

        made = plugin.definition(context)

        whole = email.message_from_string(str(made.config))
        self.assertEqual(
            ["kept", "5d4b3a1e-0000-4000-8000-00000000000a"],
            [one.get_payload() for one in whole.get_payload()],
        )

    def test_each_part_has_a_type_and_a_name(self) -> None:
        self.assertEqual(
            [
                ("text/plain", "", "a"),
                ("text/x-shellscript", "run.sh", "b"),
                ("text/cloud-config", "cloud-config.txt", "ü"),
            ],
            self.parts(
                {"config": "a"},
                {
                    "config": "b",
                    "subtype": "x-shellscript",
                    "filename": "run.sh",
                },
                {"config": "ü", "filename": "cloud-config.txt"},
            ),
        )

    def test_parts_of_a_message_are_taken_over(self) -> None:
        inner = self.plugin(self.KIND).definition(
            contexts.make(
                self.KIND,
                token="5d4b3a1e-0000-4000-8000-00000000000b",
                parts=[
                    {"config": "ä", "subtype": "jinja2", "filename": "x"},
                    {"config": "b"},
                ],
            )
        )

        found = self.parts(
            {"config": inner.config, "type": "multipart"},
            {"config": "no message", "type": "multipart"},
        )

        self.assertEqual(
            [("text/jinja2", "x", "ä"), ("text/plain", "", "b")], found
        )

    def test_without_parts_it_is_an_empty_message(self) -> None:
        self.assertEqual([("text/plain", "", "")], self.parts())
