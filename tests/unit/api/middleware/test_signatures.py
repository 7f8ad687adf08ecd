"""The form of signatures; secrets are Keystone's business."""

import dataclasses
import typing

from orch.api.middleware import signatures
from tests import base

_NOW = 1_767_225_600.0  # 2026-01-01T00:00:00Z
_DATE = "20260101T000000Z"
_HEX = "0" * 64
_SCOPE = "20260101/r/cloudformation/aws4_request"
_FORM: typing.Final = signatures.SignableRequest(
    method="POST",
    host="h:1",
    path="/v1/",
    query={},
    form={"Action": "ListStacks"},
    headers={
        "host": "h:1",
        "x-amz-date": _DATE,
        "authorization": (
            f"AWS4-HMAC-SHA256 Credential=AK/{_SCOPE},"
            f" SignedHeaders=host;x-amz-date, Signature={_HEX}"
        ),
    },
    body=b"Action=ListStacks",
)
_PRESIGNED: typing.Final = signatures.SignableRequest(
    method="GET",
    host="h",
    path="/",
    query={
        "Action": "ListStacks",
        "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
        "X-Amz-Credential": f"AK/{_SCOPE}",
        "X-Amz-Date": _DATE,
        "X-Amz-Expires": "60",
        "X-Amz-SignedHeaders": "host",
        "X-Amz-Signature": _HEX,
    },
    form={},
    headers={"host": "h"},
    body=b"",
)
_SECOND: typing.Final = signatures.SignableRequest(
    method="GET",
    host="H:1",
    path="/",
    query={
        "Action": "ListStacks",
        "AWSAccessKeyId": "AK",
        "SignatureMethod": "HmacSHA256",
        "SignatureVersion": "2",
        "Timestamp": "2026-01-01T00:00:00Z",
        "Signature": "A" * 43 + "=",
    },
    form={},
    headers={"host": "H:1"},
    body=b"",
)


class SignaturesTest(base.TestCase):
    def code(
        self, asked: signatures.SignableRequest, now: float = _NOW
    ) -> str:
        """Return why a request is refused."""
        error = self.assertRaises(
            signatures.SignatureRefused, signatures.parse_signature, asked, now
        )
        return error.aws_code

    def with_query(
        self, asked: signatures.SignableRequest, **changed: str
    ) -> signatures.SignableRequest:
        names = {
            name.replace("_", "-"): each for name, each in changed.items()
        }
        return dataclasses.replace(asked, query={**asked.query, **names})

    def with_headers(self, **changed: str) -> signatures.SignableRequest:
        names = {
            name.replace("_", "-"): each for name, each in changed.items()
        }
        return dataclasses.replace(_FORM, headers={**_FORM.headers, **names})

    def test_each_form_names_its_key(self) -> None:
        for asked in (_FORM, _PRESIGNED, _SECOND):
            self.assertTrue(signatures.is_signed(asked))
            found = signatures.parse_signature(asked, _NOW)
            self.assertEqual("AK", found.access)
            self.assertEqual("AK", found.document["access"])

    def test_a_signature_is_no_part_of_what_is_signed(self) -> None:
        presigned = signatures.parse_signature(_PRESIGNED, _NOW).document[
            "params"
        ]
        second = signatures.parse_signature(_SECOND, _NOW).document["params"]

        assert isinstance(presigned, dict)
        assert isinstance(second, dict)
        self.assertNotIn("X-Amz-Signature", presigned)
        self.assertNotIn("Signature", second)

    def test_all_forms_are_good_for_a_quarter_of_an_hour(self) -> None:
        for asked in (_FORM, _PRESIGNED, _SECOND):
            for now in (_NOW - 901, _NOW + 901):
                self.assertEqual("RequestExpired", self.code(asked, now))
        for asked in (_FORM, _SECOND):
            for now in (_NOW - 899, _NOW + 899):
                signatures.parse_signature(asked, now)
        self.assertEqual("RequestExpired", self.code(_PRESIGNED, _NOW + 61))

    def test_nothing_is_no_signature(self) -> None:
        asked = dataclasses.replace(_FORM, headers={"host": "h"})
        self.assertFalse(signatures.is_signed(asked))
        self.assertEqual("MissingAuthenticationToken", self.code(asked))

    def test_what_is_not_signed_is_refused(self) -> None:
        whole = _FORM.headers["authorization"]
        for asked in (
            self.with_query(_FORM, StackName="s"),
            self.with_headers(
                authorization=whole.replace("host;x-amz-date", "x-amz-date")
            ),
            self.with_headers(
                authorization=whole.replace("host;", "host;x-more;")
            ),
            self.with_headers(authorization=whole.replace("aws4_", "aws5_")),
            self.with_headers(authorization=whole[:-1]),
            self.with_headers(x_amz_date="20260102T000000Z"),
            self.with_headers(x_amz_date="20260101"[:8] + "x"),
            dataclasses.replace(_PRESIGNED, method="POST"),
            self.with_query(_PRESIGNED, SignatureVersion="0"),
            self.with_query(_PRESIGNED, X_Amz_Expires="9999999"),
            self.with_query(_PRESIGNED, X_Amz_Algorithm="AWS4-HMAC-SHA1"),
            self.with_query(_SECOND, SignatureVersion="1"),
            self.with_query(_SECOND, SignatureMethod="HmacSHA1"),
            self.with_query(_SECOND, Signature="short"),
            self.with_query(_SECOND, Timestamp="today"),
            dataclasses.replace(_SECOND, form={"Action": "DeleteStack"}),
        ):
            self.assertEqual("IncompleteSignature", self.code(asked), asked)

    def test_only_some_signatures_are_endless(self) -> None:
        query = dict(_SECOND.query)
        del query["Timestamp"]
        asked = dataclasses.replace(_SECOND, query=query)

        self.assertEqual("IncompleteSignature", self.code(asked))
        endless = dataclasses.replace(asked, is_endless=True)
        found = signatures.parse_signature(endless, _NOW)
        self.assertEqual("AK", found.access)

        ended = self.with_query(asked, Expires="2025-12-31T23:59:59Z")
        self.assertEqual("RequestExpired", self.code(ended))
        signatures.parse_signature(
            self.with_query(asked, Expires="2026-01-01T00:00:01Z"), _NOW
        )
