"""``OS::Heat::Stack`` in another region: a stack of another installation."""

import json
import typing

from tests.functional import remote
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, object]
_WRITING = ("create", "made", "update", "delete", "removed")
KID = {
    "heat_template_version": "2021-04-16",
    "parameters": {"text": {"type": "string"}, "more": {"type": "string"}},
    "resources": {
        "a": {
            "type": "Test::World::Thing",
            "properties": {
                "label": {"get_param": "text"},
                "value": {"get_param": "more"},
            },
        }
    },
    "outputs": {"label": {"value": {"get_param": "text"}}},
}
INNER = {
    "heat_template_version": "2021-04-16",
    "parameters": {"text": {"type": "string", "default": "x"}},
    "resources": {
        "kid": {
            "type": "kid.yaml",
            "properties": {"text": {"get_param": "text"}},
        }
    },
    "outputs": {"label": {"value": {"get_attr": ["kid", "label"]}}},
}


class RemoteStackTests(remote.RemoteTestCase):
    def test_it_is_made_changed_and_removed_with_all_that_belongs_to_it(
        self,
    ) -> None:
        sent: dict[str, object] = {
            "files": {"kid.yaml": json.dumps(KID)},
            "environment": {"parameter_defaults": {"more": "m"}},
        }

        stack = self.created(
            self.parent_template(INNER, parameters={"text": "one"}, timeout=7),
            **sent,
        )
        far = self.only()

        self.assertEqual(
            {"id": far.id, "out": {"label": "one"}, "name": far.name},
            self.here.outputs(stack),
        )
        self.assertEqual(7, self.there.show(far)["timeout_mins"])
        (thing,) = self.world.resources_of_tree(far.name)
        self.assertEqual(("one", "m"), (thing.label, thing.value))
        row = self.here.resources(stack)["far"]
        self.assertEqual("OS::Heat::Stack", row["resource_type"])
        self.assertEqual(far.id, row["physical_resource_id"])

        self.update(
            stack,
            self.parent_template(INNER, parameters={"text": "two"}),
            **sent,
        )
        self.here.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(far, self.only())
        self.assertEqual({"label": "two"}, self.here.outputs(stack)["out"])

        self.here.delete(stack)
        self.wait_until_gone(self.here, stack)
        self.assertEqual([], self.far())
        self.assertEqual([], self.world.resources_of_tree(far.name))

    def test_a_parameter_that_is_hidden_later_changes_nothing_there(
        self,
    ) -> None:
        def wanted(*, hidden: bool) -> Json:
            word = {"type": "string", "default": "one", "hidden": hidden}
            return {
                **self.parent_template(
                    INNER, parameters={"text": {"get_param": "word"}}
                ),
                "parameters": {"word": word},
            }

        sent: dict[str, object] = {
            "files": {"kid.yaml": json.dumps(KID)},
            "environment": {"parameter_defaults": {"more": "m"}},
        }
        stack = self.created(wanted(hidden=False), **sent)
        before = self.there.events(self.only())

        self.update(stack, wanted(hidden=True), **sent)
        self.here.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(before, self.there.events(self.only()))

    def test_a_failure_there_is_told_here_and_a_retry_goes_on(self) -> None:
        wanted = world_templates.template(
            a=world_templates.declare_resource(ready_after_s=4)
        )
        stack = self.here.create(self.name, self.parent_template(wanted))
        waiting.wait_for(self.far, "the stack there is begun")
        far = self.only()
        self.world.order(far.name, "create", "a", how="permanent", times=1)
        shown = self.here.wait(stack, "CREATE_FAILED")
        there = self.there.show(far)

        reason = str(shown["stack_status_reason"])
        self.assertIn(str(there["stack_status_reason"]), reason)
        self.assertIn("resources.far", reason)

        self.here.retry(stack)
        self.here.wait(stack, "CREATE_COMPLETE")
        self.assertEqual(far, self.only())

    def test_rest_wake_and_look_go_there(self) -> None:
        stack = self.created(self.parent_template())

        for action in ("suspend", "resume", "check"):
            self.act(stack, action)
            (there,) = self.far()
            self.assertEqual(
                f"{action.upper()}_COMPLETE", there["stack_status"]
            )

    def test_one_deleted_there_is_made_anew_by_an_update(self) -> None:
        stack = self.created(self.parent_template())
        old = self.only()
        self.there.delete(old)
        self.wait_until_gone(self.there, old)

        self.update(stack, self.parent_template(world_templates.chain("new")))
        self.here.wait(stack, "UPDATE_COMPLETE")

        self.assertNotEqual(old.id, self.only().id)
        self.assertEqual(self.only().id, self.here.outputs(stack)["id"])

    def test_what_is_gone_is_found_made_anew_and_deleted_well(
        self,
    ) -> None:
        stack = self.created(self.parent_template())
        old = self.only()
        self.there.delete(old)
        self.wait_until_gone(self.there, old)

        self.here.ask("POST", f"{stack.path}/actions", {"check": None})
        shown = self.here.wait(stack, "CHECK_FAILED")
        self.assertIn("not there any more", str(shown["stack_status_reason"]))
        self.update(stack, self.parent_template())
        self.here.wait(stack, "UPDATE_COMPLETE")
        new = self.only()
        self.assertNotEqual(old.id, new.id)
        self.there.delete(new)
        self.wait_until_gone(self.there, new)
        self.here.delete(stack)
        self.wait_until_gone(self.here, stack)

    def test_a_snapshot_and_a_restoration_go_there(self) -> None:
        stack = self.created(
            self.parent_template(world_templates.chain("before"))
        )
        far = self.only()
        answer = self.here.ask("POST", f"{stack.path}/snapshots", {})
        snapshot = typing.cast("dict[str, str]", answer)["id"]
        self.here.wait(stack, "SNAPSHOT_COMPLETE")
        path = f"{far.path}/snapshots"
        (kept,) = typing.cast(
            "list[dict[str, object]]", self.there.get(path, "snapshots")
        )
        self.assertEqual("COMPLETE", kept["status"])
        self.update(
            stack, self.parent_template(world_templates.chain("after"))
        )
        self.here.wait(stack, "UPDATE_COMPLETE")

        self.here.ask("POST", f"{stack.path}/snapshots/{snapshot}/restore")
        self.here.wait(stack, "RESTORE_COMPLETE")

        labels = {
            each.label for each in self.world.physical_resources(far.name)
        }
        self.assertEqual({"before"}, labels)
        (there,) = self.far()
        self.assertEqual("RESTORE_COMPLETE", there["stack_status"])
        self.here.ask("DELETE", f"{stack.path}/snapshots/{snapshot}")
        waiting.wait_for(
            lambda: self.there.get(path, "snapshots") == [], "snapshot gone"
        )

    def test_it_is_abandoned_and_adopted_by_its_id_alone(self) -> None:
        stack = self.created(self.parent_template())
        far = self.only()
        before = self.written(far)

        document = self.here.ask("DELETE", f"{stack.path}/abandon")
        self.wait_until_gone(self.here, stack)
        self.assertEqual(far, self.only())
        self.here.ask(
            "POST",
            "/stacks",
            {
                "stack_name": self.name,
                "adopt_stack_data": json.dumps(document),
            },
        )
        listed = typing.cast(
            "list[dict[str, str]]",
            self.here.get(f"/stacks?name={self.name}", "stacks"),
        )
        adopted = rest.Stack(self.name, listed[0]["id"])
        self.here.wait(adopted, "ADOPT_COMPLETE")

        self.assertEqual(before, self.written(far))
        self.assertEqual(far.id, self.here.outputs(adopted)["id"])
        self.update(
            adopted, self.parent_template(world_templates.chain("mine"))
        )
        self.here.wait(adopted, "UPDATE_COMPLETE")
        self.assertEqual(far, self.only())
        self.here.delete(adopted)
        self.wait_until_gone(self.here, adopted)
        self.assertEqual([], self.far())

    def written(self, far: rest.Stack) -> list[str]:
        """Return what was done to things of a stack, in order."""
        acts = [each.act for each in self.world.calls(far.name)]
        return [each for each in acts if each in _WRITING]

    def test_a_stack_that_comes_here_is_another_one(self) -> None:
        stack = self.created(self.parent_template())

        self.update(stack, self.parent_template(context={}))
        self.here.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual([], self.far())
        listed = typing.cast(
            "list[dict[str, str]]",
            self.here.get("/stacks?show_nested=true", "stacks"),
        )
        parents = [each["parent"] for each in listed]
        self.assertIn(stack.id, parents)

    def test_a_worker_that_dies_leaves_one_stack_there(self) -> None:
        wanted = world_templates.template(
            a=world_templates.declare_resource(ready_after_s=2)
        )
        stack = self.here.create(self.name, self.parent_template(wanted))
        waiting.wait_for(self.far, "the stack there is begun")

        self.system.server.kill()
        self.system.start()

        self.here.wait(stack, "CREATE_COMPLETE")
        self.assertEqual(self.only().id, self.here.outputs(stack)["id"])

    def refusals(self, wanted: object) -> set[str]:
        """Return what is said to a stack and to its preview."""
        body = {"stack_name": self.name, "template": wanted}
        errors = [
            self.assertRaises(
                rest.RefusedError, self.here.ask, "POST", path, body
            )
            for path in ("/stacks", "/stacks/preview")
        ]
        self.assertEqual({400}, {each.status for each in errors})
        listed = typing.cast("list[Json]", self.here.get("/stacks", "stacks"))
        self.assertNotIn(self.name, [each["stack_name"] for each in listed])
        return {each.message for each in errors}

    def test_a_region_that_is_not_there_is_told_at_once(self) -> None:
        wanted = self.parent_template(context={"region_name": "nowhere"})

        self.assertEqual(
            {
                "Cannot establish connection to Heat endpoint at region"
                ' "nowhere" due to "public endpoint for orchestration service'
                ' in nowhere region not found"'
            },
            self.refusals(wanted),
        )

    def test_what_is_wrong_with_its_template_is_told_at_once(self) -> None:
        wanted = self.parent_template(
            {"heat_template_version": "2021-04-16", "resource": {}}
        )

        self.assertEqual(
            {
                "Failed validating stack template using Heat endpoint at"
                f' region "{self.region}" due to "ERROR: The template'
                ' section is invalid: resource"'
            },
            self.refusals(wanted),
        )

    def test_one_that_gives_no_answer_is_no_reason_to_refuse(self) -> None:
        self.other.server.kill()
        try:
            stack = self.here.create(self.name, self.parent_template())
        finally:
            self.other.start()

        self.here.wait(stack, "CREATE_COMPLETE")

    def trusts(self) -> set[str]:
        """Return the ids of the trusts that the user has given."""
        listed = self.user.identity.get(
            f"/OS-TRUST/trusts?trustor_user_id={self.user.current_user_id}"
        )
        return {str(each["id"]) for each in listed.json()["trusts"]}

    def test_the_stack_there_uses_the_trust_and_leaves_it(self) -> None:
        before = self.trusts()
        stack = self.created(self.parent_template())
        (given,) = self.trusts() - before

        self.there.delete(self.only())
        waiting.wait_for(lambda: not self.far(), "gone there")
        # Revoked there it would be within half a second, with what follows.
        self.update(
            stack, self.parent_template(world_templates.chain("again"))
        )
        self.here.wait(stack, "UPDATE_COMPLETE")
        self.assertIn(given, self.trusts())

        self.here.delete(stack)
        self.wait_until_gone(self.here, stack)
        waiting.wait_for(lambda: given not in self.trusts(), "revoked here")

    def test_whatever_it_trusts_the_login_goes_another_way(self) -> None:
        where = {"region_name": self.region, "insecure": True}

        stack = self.created(self.parent_template(context=where))

        self.assertEqual(self.only().id, self.here.outputs(stack)["id"])
        self.here.delete(stack)
        self.wait_until_gone(self.here, stack)
        self.assertEqual([], self.far())


class SecretTests(remote.RemoteTestCase):
    """The login to the other installation stands in Barbican."""

    services = ("key-manager",)

    def secret(self, login: object) -> str:
        """Return the id of a secret of the user."""
        made = self.user.key_manager.create_secret(
            name=self.name,
            payload=json.dumps(login),
            payload_content_type="text/plain",
            secret_type="opaque",
        )
        secret_id = str(made.secret_ref).rpartition("/")[2]
        self.addCleanup(self.user.key_manager.delete_secret, secret_id)
        return secret_id

    def application(self) -> dict[str, object]:
        """Return the login of an application credential of the user."""
        identity = self.user.identity
        user_id = self.user.current_user_id
        made = identity.create_application_credential(user_id, self.name)
        self.addCleanup(
            identity.delete_application_credential, user_id, made.id
        )
        return {
            "auth_type": "v3applicationcredential",
            "auth": {
                "auth_url": self.cloud.url,
                "application_credential_id": made.id,
                "application_credential_secret": made.secret,
            },
        }

    def test_it_is_made_by_the_login_of_the_secret(self) -> None:
        where = {
            "region_name": self.region,
            "credential_secret_id": self.secret(self.application()),
        }

        stack = self.created(self.parent_template(context=where))
        far = self.only()

        self.assertEqual(far.id, self.here.outputs(stack)["id"])
        self.here.delete(stack)
        self.wait_until_gone(self.here, stack)
        self.assertEqual([], self.far())

    def test_a_login_that_is_wrong_fails_and_is_not_told(self) -> None:
        login = self.application()
        auth = typing.cast("dict[str, str]", login["auth"])
        auth["application_credential_secret"] = "hunter2"
        where = {
            "region_name": self.region,
            "credential_secret_id": self.secret(login),
        }
        stack = self.here.create(
            self.name, self.parent_template(context=where)
        )

        shown = self.here.wait(stack, "CREATE_FAILED")

        self.assertNotIn("hunter2", json.dumps(shown))
        self.assertIn("401", str(shown["stack_status_reason"]))

    def test_a_secret_that_is_not_there_is_told(self) -> None:
        missing = "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11"
        where = {"credential_secret_id": missing}
        stack = self.here.create(
            self.name, self.parent_template(context=where)
        )

        shown = self.here.wait(stack, "CREATE_FAILED")

        self.assertIn(missing, str(shown["stack_status_reason"]))
