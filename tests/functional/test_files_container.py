"""Files of templates that lie in a container of the caller, by REST."""

import base64
import json
import pathlib
import tempfile
import typing

from keystoneauth1 import session
from keystoneauth1.identity import v3

from tests.functional import guarded
from tests.functional import remote
from tests.support import rest
from tests.support import serving
from tests.support import swift

Json = dict[str, typing.Any]

_INNER = """
heat_template_version: 2021-04-16
parameters:
  word: {type: string}
resources:
  held: {type: OS::Heat::Value, properties: {value: {get_param: word}}}
outputs:
  word: {value: {get_attr: [held, value]}}
"""
_TEMPLATE: typing.Final[Json] = {
    "heat_template_version": "2021-04-16",
    "parameters": {"word": {"type": "string", "default": "none"}},
    "resources": {
        "inner": {
            "type": "parts/inner.yaml",
            "properties": {"word": {"get_param": "word"}},
        }
    },
    "outputs": {
        "word": {"value": {"get_attr": ["inner", "word"]}},
        "text": {"value": {"get_file": "text"}},
    },
}


class ContainerTestCase(guarded.GuardedTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.swift = self.useFixture(swift.Swift(self.keystone))
        self.member = self.client_of(
            "member", token=self.keystone.fresh_token("member")
        )
        self.held = {
            "parts/": b"",
            "parts/inner.yaml": _INNER.encode(),
            "text": b"from the container",
            "env.yaml": b"parameters: {word: ready}",
        }
        self.swift.containers["files of a stack"] = self.held
        self.body = {
            "template": _TEMPLATE,
            "files_container": "files of a stack",
        }

    def make(self, **more: object) -> rest.Stack:
        body = {**self.body, **more}
        return self.created(self.member, body.pop("template"), **body)

    def refused(self, status: int, **more: object) -> rest.RefusedError:
        """Return why a creation is refused."""
        error = self.assertRaises(
            rest.RefusedError,
            self.member.ask,
            "POST",
            "/stacks",
            {"stack_name": self.name, **self.body, **more},
        )
        self.assertEqual(status, error.status, error)
        return error


class ContainerTests(ContainerTestCase):
    def test_templates_texts_and_environments_are_taken(self) -> None:
        stack = self.make(environment_files=["env.yaml"])

        self.assertEqual(
            {"word": "ready", "text": "from the container"},
            self.member.outputs(stack),
        )
        files = self.member.ask("GET", f"{stack.path}/files")
        assert isinstance(files, dict)
        self.assertEqual({"parts/inner.yaml", "text", "env.yaml"}, set(files))
        self.delete(self.member, stack)

    def test_what_is_sent_counts_more_and_is_not_fetched(self) -> None:
        stack = self.make(files={"text": "sent"})

        self.assertEqual("sent", self.member.outputs(stack)["text"])
        self.assertNotIn("GET files%20of%20a%20stack/text", self.swift.calls)
        self.delete(self.member, stack)

    def test_an_update_takes_what_lies_there_then(self) -> None:
        stack = self.make()
        self.held["text"] = b"another"

        self.member.ask("PUT", stack.path, self.body)
        self.member.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual("another", self.member.outputs(stack)["text"])
        self.delete(self.member, stack)

    def test_a_patch_may_name_nothing_else(self) -> None:
        stack = self.make()
        self.held["text"] = b"another"
        container = {"files_container": "files of a stack"}

        self.member.ask("PATCH", stack.path, container)
        self.member.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual("another", self.member.outputs(stack)["text"])
        self.delete(self.member, stack)

    def test_previews_plans_and_validation_take_them_too(self) -> None:
        stack = self.make()

        self.member.ask("POST", "/validate", self.body)
        shown = self.member.ask(
            "POST",
            "/stacks/preview",
            {"stack_name": "other", **self.body},
        )
        changed = self.member.ask("PUT", f"{stack.path}/preview", self.body)
        kept = self.member.ask(
            "POST", f"{stack.path}/plans", {"action": "update", **self.body}
        )

        for found in (shown, changed, kept):
            self.assertIn("inner", json.dumps(found))
        self.delete(self.member, stack)

    def test_what_is_no_text_is_in_base64(self) -> None:
        self.held["text"] = b"\xff\x00"

        stack = self.make()

        wanted = base64.b64encode(b"\xff\x00").decode()
        self.assertEqual(wanted, self.member.outputs(stack)["text"])
        self.delete(self.member, stack)

    def test_a_container_that_is_not_there_is_not_found(self) -> None:
        error = self.refused(404, files_container="another")

        self.assertEqual("NotFound", error.type)
        self.assertIn("container another", error.message)

    def test_a_container_of_somebody_else_is_not_found(self) -> None:
        token = self.keystone.fresh_token("member")
        self.swift.refused = token
        self.member = self.client_of("member", token=token)

        error = self.refused(404)

        self.assertEqual("NotFound", error.type)

    def test_more_than_a_request_may_have_is_refused(self) -> None:
        self.held["large"] = b"x" * 2**20

        error = self.refused(400)

        self.assertEqual("DownloadLimitExceeded", error.type)
        self.assertIn("1048576 bytes", error.message)
        self.assertEqual(["GET files%20of%20a%20stack"], self.swift.calls)

    def test_a_name_of_no_container_is_refused(self) -> None:
        self.assertIn(
            "files_container", self.refused(400, files_container="a/b").message
        )
        self.assertIn(
            "files_container", self.refused(400, files_container=7).message
        )
        self.assertEqual([], self.swift.calls)

    def test_a_store_that_fails_is_unavailable(self) -> None:
        self.swift.is_down = True

        self.assertIn("503", self.refused(503).message)

    def test_a_file_that_neither_has_is_told_of(self) -> None:
        del self.held["parts/inner.yaml"]

        self.assertIn("parts/inner.yaml", self.refused(400).message)

    def test_a_token_of_an_application_credential_reads_it(self) -> None:
        user = self.keystone.login("member").connect()
        user_id = user.current_user_id
        made = user.identity.create_application_credential(user_id, self.name)
        self.addCleanup(
            user.identity.delete_application_credential, user_id, made.id
        )
        login = v3.ApplicationCredential(
            self.keystone.url,
            application_credential_id=made.id,
            application_credential_secret=made.secret,
        )
        token = str(session.Session(auth=login).get_token())
        client = self.client_of("member", token=token)

        answer = client.ask("POST", "/validate", self.body)

        assert isinstance(answer, dict)
        self.assertEqual({"word"}, set(answer["Parameters"]))

    def test_the_unmodified_command_takes_one(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            template = pathlib.Path(directory) / "t.json"
            template.write_text(json.dumps(_TEMPLATE))
            self.keystone.publish(self.system)
            done = guarded.openstack(
                self.keystone.login("member"),
                *(
                    "stack",
                    "create",
                    "--wait",
                    "--poll",
                    "1",
                    "-t",
                    str(template),
                ),
                *("-s", "files of a stack", "-e", "env.yaml", self.name),
            )

        self.assertEqual(0, done.code, done.errors)
        found = self.member.ask("GET", f"/stacks/{self.name}")
        assert isinstance(found, dict)
        stack = rest.Stack(self.name, found["stack"]["id"])
        self.assertEqual("ready", self.member.outputs(stack)["word"])
        self.delete(self.member, stack)


class RealStoreTests(remote.CloudTestCase):
    """A real Swift, where one runs."""

    services = ("object-store",)

    def setUp(self) -> None:
        super().setUp()
        store = self.user.object_store
        store.create_container(self.name)
        self.addCleanup(store.delete_container, self.name)
        for name, text in {
            "parts/inner.yaml": _INNER,
            "text": "from the container",
            "env.yaml": "parameters: {word: ready}",
        }.items():
            store.upload_object(self.name, name, data=text)
            self.addCleanup(store.delete_object, name, container=self.name)

    def test_files_are_taken(self) -> None:
        stack = self.created(
            _TEMPLATE,
            files_container=self.name,
            environment_files=["env.yaml"],
        )

        self.assertEqual(
            {"word": "ready", "text": "from the container"},
            self.here.outputs(stack),
        )
        self.here.delete(stack)
        self.wait_until_gone(self.here, stack)


class NoStoreTests(guarded.GuardedTestCase):
    def test_a_cloud_without_a_store_is_told_of(self) -> None:
        client = self.client_of("member")

        error = self.assertRaises(
            rest.RefusedError,
            client.create,
            self.name,
            _TEMPLATE,
            files_container="any",
        )

        self.assertEqual((400, "NotSupported"), (error.status, error.type))
        self.assertIn("object-store", error.message)


class NoCloudTests(serving.WorldTestCase):
    def test_an_installation_without_a_cloud_says_so(self) -> None:
        error = self.assertRaises(
            rest.RefusedError,
            self.client.create,
            self.name,
            _TEMPLATE,
            files_container="any",
        )

        self.assertEqual((400, "NotSupported"), (error.status, error.type))
        self.assertIn("auth in [api] to keystone", error.message)
