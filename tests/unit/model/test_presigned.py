import json
import shlex
import urllib.parse

from orch.model import flat_fields
from orch.model import presigned
from tests import base

_CANARY = "canary-sig-7f"
_ARN = "arn%3Aopenstack%3Aheat%3A%3Ademo%3Astacks/web"
OURS = (
    f"http://orch:8004/v1/signal/{_ARN}"
    f"?Resource=r1&Expires=0&Signature={_CANARY}"
)
HEAT = (
    f"http://heat:8000/v1/waitcondition/{_ARN}?Timestamp=2026-11-22T08%3A00"
    "%3A00Z&SignatureMethod=HmacSHA256&AWSAccessKeyId=a1&SignatureVersion=2"
    f"&Signature={_CANARY}"
)
_OTHERS = (
    f"https://swift/v1/a/c/o?temp_url_sig={_CANARY}&temp_url_expires=1",
    f"https://s3/b/k?X-Amz-Date=1&X-Amz-Signature={_CANARY}",
    f"http://nova:6080/vnc_auto.html?path=%3Ftoken%3D{_CANARY}",
)


class PresignedTest(base.TestCase):
    def test_each_address_in_a_text_is_found(self) -> None:
        self.assertEqual(
            [OURS, f"X={HEAT}"],
            presigned.find_presigned(
                f"curl '{OURS}'\nexport X={HEAT} http://a"
            ),
        )
        self.assertEqual([], presigned.find_presigned("http://a?b=c"))

    def test_an_address_with_a_proof_is_known(self) -> None:
        for address in (OURS, HEAT, *_OTHERS):
            for text in (
                address,
                f"curl -X POST {shlex.quote(address)} --data 1",
                json.dumps({"alarm_url": address}),
                json.dumps(address).replace("&", "\\u0026"),
                f'<a href="{address.replace("&", "&amp;")}">',
                "http://h/?to=" + urllib.parse.quote(address, ""),
            ):
                self.assertTrue(presigned.has_presigned(text), text)
                self.assertNotIn(_CANARY, presigned.redact_presigned(text))

    def test_one_that_needs_an_account_is_none(self) -> None:
        for text in (
            "",
            "http://orch:8004/v1/demo/stacks/web/resources/up/signal",
            "http://h/?SignatureMethod=HmacSHA256",
            "Signature=",
            "http://h/?assignature=1",
            "a & b = c",
        ):
            self.assertFalse(presigned.has_presigned(text), text)
            self.assertEqual(text, presigned.redact_presigned(text))

    def test_the_rest_of_a_text_stays(self) -> None:
        text = f"first '{OURS}' then\n{HEAT}\nlast"

        self.assertEqual(
            "first '******' then\n******\nlast",
            presigned.redact_presigned(text),
        )

    def test_a_long_text_takes_no_longer_than_it_is(self) -> None:
        text = f"{'x' * 100_000}&Signature=1{'&Signature=2' * 10_000}"

        self.assertEqual("******", presigned.redact_presigned(text))

    def test_no_field_has_one(self) -> None:
        found = flat_fields.FlatFields()

        found.add("a", {"url": OURS, HEAT: 1, "list": [HEAT, "plain"]})

        self.assertEqual({"a.list": ["plain"]}, found.values)
