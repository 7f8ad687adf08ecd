"""Which certificates a template may trust, and where they are from."""

import dataclasses
import os
import pathlib

from orch import errors
from orch.resources.http import certificates
from orch.resources.http import client
from tests import base
from tests.support import certificates as made
from tests.unit.resources import contexts
from tests.unit.resources.http import http_case
from tests.unit.resources.http import service


class TrustTest(base.TestCase):
    """A service whose certificate is known to nobody else."""

    def setUp(self) -> None:
        super().setUp()
        certificate = made.Certificate()
        self.pem = certificate.text
        self.directory = self.make_directory()
        (self.directory / "ours.pem").write_text(self.pem)
        tls = certificate.server_context(self.make_directory())
        self.service = self.useFixture(service.Service(tls))
        self.service.answers["POST", "/things"] = (201, {"id": "1"})

    def create(
        self,
        tls: dict[str, object] | None,
        egress_ca_file: str = "",
        **http: object,
    ) -> None:
        conf = contexts.options(**http)
        conf.set_override("ca_file", egress_ca_file, "egress")
        plugin = http_case.KIND(conf)
        context = contexts.make(
            http_case.KIND,
            url=self.service.url,
            create=http_case.CREATE,
            tls=tls,
        )
        plugin.validate(context.properties)
        self.assertEqual("1", plugin.create(context))

    def test_unknown_certificates_are_refused(self) -> None:
        other = made.Certificate().text
        for tls in (None, {"verify": True}, {"ca_cert": other}):
            self.assertRaises(client.ServiceRefused, self.create, tls)
        self.assertEqual([], self.service.requests)

    def test_those_in_the_template_are_trusted(self) -> None:
        self.create({"ca_cert": self.pem})
        self.create({"ca_cert": self.pem}, allowed_urls=[self.service.url])

    def test_so_are_those_of_the_operator(self) -> None:
        self.create({"ca_file": "ours.pem"}, ca_dir=str(self.directory))

    def test_so_are_those_of_egress_at_addresses_of_the_operator(self) -> None:
        path = str(self.directory / "ours.pem")
        for allowed in ([], [self.service.url]):
            self.create(None, path, allowed_urls=allowed)

    def test_what_is_given_is_trusted_alone(self) -> None:
        """A template may pin the authority of its service."""
        text = certificates.Trust(ca_cert=self.pem)
        with text.open("") as verify:
            assert isinstance(verify, str)
            self.assertEqual(self.pem, pathlib.Path(verify).read_text())
        self.assertFalse(pathlib.Path(verify).exists())

    def test_comments_may_have_any_letters(self) -> None:
        text = f"# Issuer: Főtanúsítvány\n{self.pem}"
        (self.directory / "named.pem").write_text(text, "utf-8")

        self.create({"ca_cert": text})
        self.create({"ca_file": "named.pem"}, ca_dir=str(self.directory))

    def test_none_may_be_checked(self) -> None:
        self.create({"verify": False})

    def test_then_no_file_of_them_is_read(self) -> None:
        """A stack of an earlier release may name one that is refused now."""
        tls = {"verify": False, "ca_file": "/etc/ssl/ours.pem"}
        context = contexts.make(
            http_case.KIND, url=self.service.url, create={}, tls=tls
        )
        context = dataclasses.replace(context, physical_id="1")
        plugin = http_case.KIND(contexts.options())
        self.service.answers["DELETE", "/things/1"] = (204, None)

        plugin.delete(context)

        self.assertEqual(1, len(self.service.requests))

    def test_a_text_without_certificates_is_refused(self) -> None:
        for text in ("no certificate", "é", "\ud800", "\0"):
            self.refuses({"ca_cert": text}, "tls.ca_cert")

    def test_only_one_of_both_is_taken(self) -> None:
        self.refuses({"ca_cert": self.pem, "ca_file": "ours.pem"}, "tls")

    def test_no_file_is_named_where_the_operator_has_none(self) -> None:
        error = self.refuses({"ca_file": "ours.pem"}, "tls.ca_file")

        self.assertIn("[http_resource] ca_dir", error.message)
        self.assertIn("tls.ca_cert", error.message)

    def refuses(
        self, tls: dict[str, object], path: str, **http: object
    ) -> errors.Invalid:
        """Return the error, the same in acceptance and in a call."""
        context = contexts.make(
            http_case.KIND, url=self.service.url, create={}, tls=tls
        )
        plugin = http_case.KIND(contexts.options(**http))
        found = [
            self.assertRaises(errors.Invalid, ask, given)
            for ask, given in (
                (plugin.validate, context.properties),
                (plugin.create, context),
                (plugin.delete, context),
            )
        ]
        self.assertEqual(1, len({each.message for each in found}))
        self.assertEqual(path, found[0].problems[0].path)
        self.assertEqual([], self.service.requests)
        return found[0]

    def test_no_path_is_a_name(self) -> None:
        for name in (
            str(self.directory / "ours.pem"),
            "../ours.pem",
            "./ours.pem",
            "/etc/shadow",
            "a/b",
        ):
            error = self.refuses(
                {"ca_file": name}, "tls.ca_file", ca_dir=str(self.directory)
            )
            self.assertIn("without any '/'", error.message)


class ReadTest(base.TestCase):
    limit_s = 20

    def setUp(self) -> None:
        super().setUp()
        self.outside = self.make_directory()
        self.directory = self.make_directory()
        self.pem = made.Certificate().text

    def test_whatever_is_there_the_error_is_the_same(self) -> None:
        (self.outside / "ours.pem").write_text(self.pem)
        (self.directory / "out").symlink_to(self.outside / "ours.pem")
        (self.directory / "loop").symlink_to("loop")
        (self.directory / "text").write_text("root:x:0:0")
        (self.directory / "bytes").write_bytes(b"\xff\0")
        (self.directory / "closed").write_text(self.pem)
        (self.directory / "closed").chmod(0)
        (self.directory / "long").write_text(
            self.pem + "#" * certificates.MAX_BYTES
        )
        (self.directory / "directory").mkdir()
        os.mkfifo(self.directory / "fifo")
        names = [
            *("out", "loop", "text", "bytes", "long", "directory", "fifo"),
            *("missing", "..", ".", "", "a\0b", "x" * 5000, "\ud800"),
        ]
        if os.geteuid():
            names.append("closed")

        for name in names:
            error = self.assertRaises(
                errors.Invalid,
                certificates.read_certificates,
                str(self.directory),
                name,
            )

            self.assertEqual(
                f"tls.ca_file {name[:255]!r} is no file of certificates in"
                " the directory of the operator ([http_resource] ca_dir);"
                " name another one, or give the certificates themselves in"
                " tls.ca_cert",
                error.message,
            )

    def test_a_link_within_the_directory_is_followed(self) -> None:
        """As mounted volumes of Kubernetes have them."""
        (self.directory / "data").mkdir()
        (self.directory / "data" / "a").write_text(self.pem)
        (self.directory / "a").symlink_to("data/a")

        self.assertEqual(
            self.pem,
            certificates.read_certificates(str(self.directory), "a"),
        )
