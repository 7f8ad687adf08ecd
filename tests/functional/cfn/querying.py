"""Clients of the CloudFormation-compatible API, and hand-made requests."""

import base64
import hashlib
import hmac
import typing
import urllib.parse
from xml.etree import ElementTree

import botocore.config
import botocore.session
import requests
from botocore import auth
from botocore import awsrequest
from botocore import credentials

REGION: typing.Final = "us-east-1"
SECRET: typing.Final = "anything"
_NAMESPACE = "{http://cloudformation.amazonaws.com/doc/2010-05-15/}"

Texts = dict[str, str]
Client = typing.Any
"""Made by botocore of Amazon's description of the service."""


class Key(typing.NamedTuple):
    """An access key and its secret."""

    access: str = "demo"
    secret: str = SECRET


def endpoint(port: int) -> str:
    """Return the address of the API."""
    return f"http://127.0.0.1:{port}/v1/"


def client(port: int, key: Key | None = None, **config: object) -> Client:
    """Return the client that boto3 and the aws command are made of."""
    used = key or Key()
    settings = {"retries": {"total_max_attempts": 1}, **config}
    return botocore.session.Session().create_client(
        "cloudformation",
        region_name=REGION,
        endpoint_url=endpoint(port),
        aws_access_key_id=used.access,
        aws_secret_access_key=used.secret,
        config=botocore.config.Config(**settings),
    )


def signed(port: int, key: Key, **parameters: str) -> awsrequest.AWSRequest:
    """Return a form that is signed by version 4, not yet sent."""
    asked = awsrequest.AWSRequest(
        method="POST",
        url=endpoint(port),
        data=urllib.parse.urlencode(parameters),
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    )
    signer = auth.SigV4Auth(
        credentials.Credentials(key.access, key.secret),
        "cloudformation",
        REGION,
    )
    signer.add_auth(asked)
    return asked


def send(asked: awsrequest.AWSRequest, **changed: object) -> requests.Response:
    """Send a request as it was signed, but for what is changed."""
    given: dict[str, typing.Any] = {
        "method": asked.method,
        "url": asked.url,
        "data": asked.data,
        "headers": dict(asked.headers),
        **changed,
    }
    return requests.request(**given, timeout=30)


def version_2(method: str, url: str, key: Key, **parameters: str) -> Texts:
    """Return the parameters with a signature of version 2."""
    found = {
        "AWSAccessKeyId": key.access,
        "SignatureMethod": "HmacSHA256",
        "SignatureVersion": "2",
        **parameters,
    }
    place = urllib.parse.urlsplit(url)
    query = "&".join(
        f"{urllib.parse.quote(name, '-_.~')}"
        f"={urllib.parse.quote(found[name], '-_.~')}"
        for name in sorted(found)
    )
    path = urllib.parse.unquote(place.path)
    text = f"{method}\n{place.netloc.lower()}\n{path}\n{query}"
    digest = hmac.digest(key.secret.encode(), text.encode(), hashlib.sha256)
    return {**found, "Signature": base64.b64encode(digest).decode()}


def read_error(answer: requests.Response) -> tuple[int, str]:
    """Return status and code of an error."""
    root = ElementTree.fromstring(answer.content)
    code = root.find(f"{_NAMESPACE}Error/{_NAMESPACE}Code")
    assert code is not None, answer.text
    return answer.status_code, str(code.text)
