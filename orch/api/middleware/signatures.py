"""Requests that are signed as those to Amazon's services, versions 2 and 4.

What a signature says of itself is found here, and whether all that a request
asks for is signed. Who can check it knows the secret: ``ec2`` asks Keystone.

https://docs.aws.amazon.com/general/latest/gr/signature-version-2.html and
https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
"""

import collections.abc
import dataclasses
import datetime
import hashlib
import re
import typing

from orch import errors

WINDOW_S: typing.Final = 900.0
"""Seconds that a request may be older or younger than our clock."""

INCOMPLETE: typing.Final = "IncompleteSignature"
EXPIRED: typing.Final = "RequestExpired"
MISSING: typing.Final = "MissingAuthenticationToken"
UNKNOWN_KEY: typing.Final = "InvalidClientTokenId"
MISMATCH: typing.Final = "SignatureDoesNotMatch"

_V4 = "AWS4-HMAC-SHA256"
_CREDENTIAL = (
    r"(?P<access>[^/,\s]{1,255})/(?P<day>[0-9]{8})/[^/,\s]{1,64}/[^/,\s]{1,64}"
    r"/aws4_request"
)
_SIGNED = r"(?P<signed>[a-z0-9-]+(?:;[a-z0-9-]+)*)"
_HEX = r"(?P<signature>[0-9a-f]{64})"
_AUTHORIZATION = re.compile(
    rf"{_V4} +Credential={_CREDENTIAL}, *SignedHeaders={_SIGNED},"
    rf" *Signature={_HEX}"
)
_PRESIGNED = re.compile(f"{_CREDENTIAL}\n{_SIGNED}\n{_HEX}")
_ACCESS = re.compile(r"[^/,\s]{1,255}")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{43}=")
_MAX_LIFETIME_S = 604800
_KEYSTONES = {"x-amz-date": "X-Amz-Date", "authorization": "Authorization"}
"""Headers that Keystone looks for in this very form."""

Document = dict[str, object]
Texts = collections.abc.Mapping[str, str]


class SignatureRefused(errors.Forbidden):
    """A signature is missing, wrong, or of another time.

    :ivar aws_code: what the error is called where such signatures come from
    """

    code = "orch.signature.refused"

    def __init__(self, aws_code: str, message: str) -> None:
        super().__init__(message)
        self.aws_code = aws_code


@dataclasses.dataclass(frozen=True, slots=True)
class SignableRequest:
    """What of a request can be signed.

    :ivar method: in capitals
    :ivar host: the header, with its port
    :ivar path: without the escapes of addresses
    :ivar query: what stands in the address
    :ivar form: what stands in the body, as a form
    :ivar headers: names in lower case
    :ivar is_endless: signed by version 2 without any time is signed for ever
    """

    method: str
    host: str
    path: str
    query: Texts
    form: Texts
    headers: Texts
    body: bytes
    is_endless: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Signature:
    """A well-formed signature that is not verified yet.

    :ivar access: the access key of who has signed
    :ivar document: what Keystone wants to know to check it
    """

    access: str
    document: Document


def is_in_header(authorization: str) -> bool:
    """Whether that is what signs a request by version 4, unlike a form."""
    return authorization.startswith(_V4)


def is_signed(signable: SignableRequest) -> bool:
    """Answer whether a request says that it is signed."""
    return (
        is_in_header(signable.headers.get("authorization", ""))
        or "X-Amz-Algorithm" in signable.query
        or "AWSAccessKeyId" in signable.query
        or "AWSAccessKeyId" in signable.form
    )


def parse_signature(signable: SignableRequest, now: float) -> Signature:
    """Return the signature of a request.

    :param now: seconds since 1970
    :raises SignatureRefused: there is none in good form, it does not cover all
        of the request, or it is of another time
    """
    if is_in_header(signable.headers.get("authorization", "")):
        return _from_header(signable, now)
    if "X-Amz-Algorithm" in signable.query:
        return _from_query(signable, now)
    if "AWSAccessKeyId" in signable.query or "AWSAccessKeyId" in signable.form:
        return _version_2(signable, now)
    raise SignatureRefused(
        MISSING, "The request must have a signature, or an X-Auth-Token."
    )


def _from_header(signable: SignableRequest, now: float) -> Signature:
    given = signable.headers["authorization"]
    found = _AUTHORIZATION.fullmatch(given)
    if found is None:
        raise SignatureRefused(
            INCOMPLETE,
            f"Authorization must be: {_V4} Credential=KEY/DAY/REGION/SERVICE/"
            "aws4_request, SignedHeaders=…, Signature=….",
        )
    date = signable.headers.get("x-amz-date", "")
    signed = _signed_headers(found["signed"], signable)
    _check_version_4(signable, found["day"], date, now)
    document = _document(signable, found["access"], found["signature"])
    # An address that comes with a form is no part of the signature.
    is_form = signable.method == "POST"
    document["params"] = {} if is_form else dict(signable.query)
    document["headers"] = {
        **signed,
        "Authorization": given,
        "X-Amz-Date": date,
    }
    document["body_hash"] = hashlib.sha256(signable.body).hexdigest()
    return Signature(found["access"], document)


def _from_query(signable: SignableRequest, now: float) -> Signature:
    query = dict(signable.query)
    given = query.pop("X-Amz-Signature", "")
    parts = (
        query.get("X-Amz-Credential", ""),
        query.get("X-Amz-SignedHeaders", ""),
        given,
    )
    found = _PRESIGNED.fullmatch("\n".join(parts))
    life = query.get("X-Amz-Expires", "0")
    is_form = signable.method == "POST" or signable.form or signable.body
    if (
        found is None
        or is_form
        or query["X-Amz-Algorithm"] != _V4
        or not re.fullmatch("[0-9]{1,6}", life)
        or int(life) > _MAX_LIFETIME_S
    ):
        raise SignatureRefused(
            INCOMPLETE,
            "An address that is signed is for GET, and has X-Amz-Algorithm,"
            " X-Amz-Credential, X-Amz-Date, X-Amz-Expires,"
            " X-Amz-SignedHeaders and X-Amz-Signature.",
        )
    date = query.get("X-Amz-Date", "")
    signed = _signed_headers(found["signed"], signable)
    made_at = _check_version_4(signable, found["day"], date, now)
    if int(life) and now > made_at + int(life):
        raise _expired()
    document = _document(signable, found["access"], found["signature"])
    document["params"] = query
    document["headers"] = signed
    document["body_hash"] = hashlib.sha256(b"").hexdigest()
    return Signature(found["access"], document)


def _check_version_4(
    signable: SignableRequest, day: str, date: str, now: float
) -> float:
    """Return when the request was made.

    :raises SignatureRefused: not now, or not all of it is signed
    """
    if not date.startswith(day) or "SignatureVersion" in signable.query:
        raise SignatureRefused(
            INCOMPLETE, "X-Amz-Date must be given, of the day in Credential."
        )
    if signable.method == "POST" and signable.query:
        raise SignatureRefused(
            INCOMPLETE, "A signed form must have all parameters in its body."
        )
    return _check_moment(date, now)


def _version_2(signable: SignableRequest, now: float) -> Signature:
    both = set(signable.query) & set(signable.form)
    params = {**signable.query, **signable.form}
    given = params.pop("Signature", "")
    access = params["AWSAccessKeyId"]
    if (
        both
        or params.get("SignatureVersion") != "2"
        or params.get("SignatureMethod") != "HmacSHA256"
        or not _ACCESS.fullmatch(access)
        or not _BASE64.fullmatch(given)
    ):
        raise SignatureRefused(
            INCOMPLETE,
            "A signature of version 2 has AWSAccessKeyId,"
            " SignatureVersion=2, SignatureMethod=HmacSHA256, Timestamp and"
            " Signature.",
        )
    if "Timestamp" in params:
        _check_moment(params["Timestamp"], now)
    elif "Expires" in params:
        if now > _moment(params["Expires"]):
            raise _expired()
    elif not signable.is_endless:
        raise SignatureRefused(
            INCOMPLETE, "Timestamp, or Expires, must be given."
        )
    document = _document(signable, access, given)
    document["host"] = signable.host.lower()
    document["params"] = params
    document["headers"] = {}
    document["body_hash"] = ""
    return Signature(access, document)


def _document(signable: SignableRequest, access: str, given: str) -> Document:
    return {
        "access": access,
        "signature": given,
        "host": signable.host,
        "verb": signable.method,
        "path": signable.path,
    }


def _signed_headers(names: str, signable: SignableRequest) -> dict[str, str]:
    """Return the headers that are signed, one of which is the host.

    :raises SignatureRefused: the host is not, or there is no such header
    """
    wanted = names.split(";")
    missing = [name for name in wanted if name not in signable.headers]
    if "host" not in wanted or missing:
        raise SignatureRefused(
            INCOMPLETE,
            "SignedHeaders must name host, and headers that are there.",
        )
    return {
        _KEYSTONES.get(name, name): " ".join(signable.headers[name].split())
        for name in wanted
    }


def _check_moment(text: str, now: float) -> float:
    found = _moment(text)
    if abs(now - found) > WINDOW_S:
        raise _expired()
    return found


def _moment(text: str) -> float:
    """Return seconds since 1970.

    :raises SignatureRefused: it is no moment
    """
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise SignatureRefused(
            INCOMPLETE, f"{text[:40]!r} is no moment as of ISO 8601."
        ) from None
    if found.tzinfo is None:
        found = found.replace(tzinfo=datetime.UTC)
    return found.timestamp()


def _expired() -> SignatureRefused:
    return SignatureRefused(
        EXPIRED,
        "The request was signed at another time; it is good for"
        f" {WINDOW_S / 60:.0f} minutes. Set the clock.",
    )
