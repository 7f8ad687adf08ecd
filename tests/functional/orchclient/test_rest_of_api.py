"""What else the library does: snapshots, moves, adoption, software, types."""

import requests

from orchclient import errors
from orchclient import models
from tests.functional.orchclient import connecting
from tests.support import waiting
from tests.support import world_templates

Package = connecting.Package

_WAITS = {
    "heat_template_version": "2021-04-16",
    "resources": {
        "handle": {"type": "OS::Heat::WaitConditionHandle"},
        "wait": {
            "type": "OS::Heat::WaitCondition",
            "properties": {
                "handle": {"get_resource": "handle"},
                "timeout": 60,
            },
        },
    },
    "outputs": {"data": {"value": {"get_attr": ["wait", "data"]}}},
}


class NounTests(connecting.ClientTestCase):
    def ids(self, stack: models.Which) -> dict[str, str]:
        found = self.orch.resources.list(stack)
        return {each.name: each.physical_id for each in found}

    def create_waiting(self) -> models.StackIdentity:
        """Return a stack that has got the signal that it waited for."""
        stack = self.orch.stacks.create(self.name, Package(template=_WAITS))
        waiting.wait_for(
            lambda: self.statuses(stack, "handle") == ["CREATE_COMPLETE"],
            "the handle",
        )
        self.orch.resources.signal(stack, "handle", {"data": "hello"})
        self.wait(stack)
        return stack

    def statuses(self, stack: models.Which, name: str) -> list[str]:
        found = self.orch.resources.list(stack, name=name)
        return [str(each.status) for each in found]

    def wait_until_gone(self) -> None:
        waiting.wait_for(
            lambda: self.orch.stacks.find(self.name) is None, "its end"
        )

    def test_a_stack_goes_back_to_a_snapshot(self) -> None:
        stack = self.create(world_templates.chain("old"))

        begun = self.orch.snapshots.create(stack, "before")
        self.wait(stack)
        self.orch.stacks.update(
            stack, Package(template=world_templates.chain("new"))
        )
        self.wait(stack)
        self.orch.snapshots.restore(stack, begun.id)
        self.wait(stack)

        self.assertEqual("IN_PROGRESS", begun.state)
        self.assertEqual({"old"}, set(self.labels().values()))
        shown = self.orch.snapshots.show(stack, begun.id)
        self.assertEqual(("before", "COMPLETE"), (shown.name, shown.state))
        self.assertIn("resources", shown.data)
        [listed] = self.orch.snapshots.list(self.name)
        self.assertEqual(begun.id, listed.id)
        self.orch.snapshots.delete(stack, begun.id)
        self.assertEqual((), self.orch.snapshots.list(stack))

    def test_a_resource_moves(self) -> None:
        source = self.create(
            world_templates.template(a=world_templates.declare_resource())
        )
        before = self.ids(source)
        self.take_name()
        target = self.create(
            world_templates.template(own=world_templates.declare_resource())
        )

        shown = self.orch.moves.preview(source, target, {"a": "b"})
        moved = self.orch.moves.move(source, target.name, {"a": "b"})
        self.wait(moved.source.stack, moved.source.operation_id)
        self.wait(moved.target.stack, moved.target.operation_id)

        self.assertEqual({"a": "b"}, shown.resources)
        self.assertEqual("UPDATE", shown.target.action)
        self.assertEqual({"a": "b"}, moved.resources)
        self.assertEqual(target, moved.target.stack)
        self.assertEqual({}, self.ids(source))
        self.assertEqual(before["a"], self.ids(target)["b"])

    def test_a_stack_is_let_go_of_and_adopted(self) -> None:
        stack = self.create(
            world_templates.template(
                a=world_templates.declare_resource(label="x")
            )
        )
        ids = self.ids(stack)
        exported = self.orch.adoption.export(stack)

        prepared = self.orch.adoption.prepare(stack)
        committed = self.orch.adoption.commit(stack, prepared.token)

        self.assertEqual(exported["name"], prepared.document["name"])
        self.assertEqual("plain", prepared.form)
        self.assertTrue(0 < prepared.size <= prepared.max_size)
        self.assertEqual(prepared.document, committed.document)
        self.assertEqual(
            prepared.document["name"],
            self.orch.adoption.document(stack)["name"],
        )
        self.wait_until_gone()
        plan = self.orch.adoption.preview(self.name, committed.document)
        self.assertEqual({"adopt": 1}, plan.counts())
        adopted = self.orch.adoption.adopt(
            self.name, committed.document, adopt_verify="refuse"
        )
        self.wait(adopted)
        self.assertEqual("ADOPT_COMPLETE", self.status(adopted))
        self.assertEqual(ids, self.ids(adopted))

        again = self.orch.adoption.abandon(adopted)
        self.assertEqual(["a"], list(again["resources"]))  # type: ignore[call-overload]

    def test_a_template_is_written_of_things(self) -> None:
        wanted = world_templates.template(
            a={"type": "Test::World::Linked", "properties": {"label": "l"}}
        )
        stack = self.create(wanted)
        ids = self.ids(stack)
        self.orch.adoption.abandon(stack)
        self.wait_until_gone()

        found = self.orch.adoption.generate(
            [{"type": "Test::World::Linked", "resource_id": ids["a"]}]
        )

        self.assertEqual(
            {"linked": wanted["resources"]["a"]},  # type: ignore[index]
            found.template["resources"],
        )
        self.assertEqual((), found.omitted)
        adopted = self.orch.adoption.adopt(self.name, found.data)
        self.wait(adopted)
        self.assertEqual({"linked": ids["a"]}, self.ids(adopted))

    def test_signals_to_old_addresses_are_passed_on(self) -> None:
        stack = self.create_waiting()
        document = self.orch.adoption.abandon(stack)
        self.wait_until_gone()
        adopted = self.orch.adoption.adopt(self.name, document)
        self.wait(adopted)

        told = self.orch.adoption.announcement(adopted)
        found = self.orch.adoption.announce(stack, told)

        self.assertEqual(
            '{"1": "hello"}',
            self.orch.stacks.show(adopted).output_values["data"],
        )
        self.assertEqual({"handle"}, {each.resource for each in found})
        self.assertTrue(all(each.new_address for each in found))
        self.assertEqual(found, self.orch.adoption.old_addresses(stack))

    def test_addresses_of_a_resource_are_revoked(self) -> None:
        stack = self.create_waiting()
        shown = self.orch.resources.show(stack, "handle")
        address = str(shown.attributes["curl_cli"]).split("'")
        url = next(each for each in address if each.startswith("http"))
        before = requests.post(url, json={}, timeout=30).status_code

        self.orch.resources.revoke_addresses(stack, "handle")

        after = requests.post(url, json={}, timeout=30).status_code
        self.assertEqual((200, 403), (before, after))

    def test_a_resource_is_said_to_be_unwell(self) -> None:
        stack = self.create(
            world_templates.template(a=world_templates.declare_resource())
        )

        self.orch.resources.mark_unhealthy(stack, "a", "it smokes")
        unwell = self.orch.resources.show(stack, "a")
        self.orch.resources.mark_healthy(stack, "a")

        self.assertEqual("CHECK_FAILED", str(unwell.status))
        self.assertEqual("it smokes", unwell.status_reason)
        self.assertEqual({}, self.orch.resources.metadata(stack, "a"))
        well = self.orch.resources.show(stack, "a")
        self.assertEqual("CHECK_COMPLETE", str(well.status))

    def test_software_is_deployed(self) -> None:
        configs = self.orch.software_configs
        deployments = self.orch.software_deployments
        config = configs.create(
            name="c",
            group="script",
            config="#!/bin/sh",
            inputs=[{"name": "i"}],
        )
        server = f"server-{self.name}"

        deployed = deployments.create(
            config.id, server, action="CREATE", status="IN_PROGRESS"
        )
        done = deployments.update(
            deployed.id, status="COMPLETE", output_values={"o": 1}
        )

        self.assertEqual("#!/bin/sh", configs.show(config.id).config)
        self.assertIn(config.id, [each.id for each in configs.list()])
        self.assertEqual("COMPLETE", deployments.show(deployed.id).state)
        self.assertEqual({"o": 1}, done.output_values)
        [listed] = deployments.list(server_id=server)
        self.assertEqual(deployed.id, listed.id)
        [told] = deployments.metadata(server)
        self.assertEqual("#!/bin/sh", told["config"])
        self.assertRaises(errors.BadRequestError, configs.delete, config.id)
        deployments.delete(deployed.id)
        configs.delete(config.id)
        self.assertRaises(errors.NotFoundError, configs.show, config.id)

    def test_the_language_is_told(self) -> None:
        types = self.orch.resource_types
        versions = self.orch.templates.versions()
        functions = self.orch.templates.functions(
            "heat_template_version.2021-04-16"
        )

        self.assertEqual(
            ("OS::Heat::Value",), types.list(name="^OS::Heat::Value$")
        )
        self.assertIn("properties", types.show("OS::Heat::Value"))
        self.assertIn("resources", types.template("OS::Heat::Value"))
        self.assertIn(
            "2021-04-16", [one.name.split(".")[1] for one in versions]
        )
        self.assertIn("get_file", [each.name for each in functions])

    def test_a_template_is_validated(self) -> None:
        valid = Package(template=_WAITS)
        wrong = Package(
            template=world_templates.template(a={"type": "No::Such::Type"})
        )

        found = self.orch.templates.validate(valid, show_nested=True)

        self.assertEqual({}, found["Parameters"])
        self.assertRaises(
            errors.BadRequestError, self.orch.templates.validate, wrong
        )

    def test_the_service_tells_of_itself(self) -> None:
        [process] = [each for each in self.orch.services.list() if each.is_up]

        self.assertEqual("orch-engine", process.binary)
        self.assertTrue(self.orch.services.revisions().api)
