"""What an operator may choose of the API, as values."""

import dataclasses

from oslo_config import cfg

from orch.clients import egress


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Built by ``orch.cmd`` from the options; -1 lifts a limit.

    :ivar max_json_body_size: bytes of a request's body
    :ivar max_document_size: bytes of the document of a stack to adopt
    :ivar max_template_size: bytes of a template fetched by its address
    :ivar page_limit: stacks, events or resources of a drift report that one
        answer holds at most
    :ivar requests_per_minute: of one project, in the long run
    :ivar request_burst: of one project, at once
    :ivar rate_store: where all processes count these together, and wrong
        passwords; empty where each counts for itself
    :ivar hidden_stack_tags: stacks with one of them are in no list that does
        not ask for hidden ones
    :ivar auth: who says who asks; ``none`` believes the request's headers,
        ``keystone`` asks Keystone, ``basic`` knows names and passwords
    :ivar user_file: of names and passwords, as htpasswd writes it
    :ivar grants: what these may do where, ``USER PROJECT ROLE,ROLE`` each
    :ivar max_failed_logins: of a user that cost no pause
    :ivar trusted_proxies: addresses whose X-Forwarded-For is believed
    :ivar is_local: only this machine reaches the server, and only by that
        is it known who asks
    :ivar serves_own_user_alone: other users of this machine are refused
    :ivar public_url: scheme, host and port that links begin with; empty
        for those of each request
    :ivar template_url_timeout_s: seconds until a template must be here
    :ivar within: where templates may be fetched from
    :ivar signal_keys: what opens the seals of addresses for signals
    :ivar stopping_timeout_s: seconds that a request waits for the end of
        what it stops
    :ivar max_event_streams: streams of events that are sent at once
    :ivar event_stream_max_duration_s: seconds after which a stream ends
    :ivar revision: what ``build_info`` says of this process
    :ivar policy: where oslo.policy and keystonemiddleware read their
        options; ``None`` for the defaults and no file
    """

    max_json_body_size: int = 1048576
    max_document_size: int = 8388608
    max_template_size: int = 524288
    page_limit: int = -1
    requests_per_minute: int = -1
    request_burst: int = 100
    rate_store: str = ""
    hidden_stack_tags: tuple[str, ...] = ()
    auth: str = "none"
    user_file: str = ""
    grants: tuple[str, ...] = ()
    max_failed_logins: int = 10
    trusted_proxies: tuple[str, ...] = ()
    is_local: bool = False
    serves_own_user_alone: bool = False
    public_url: str = ""
    template_url_timeout_s: float = 30.0
    within: egress.Egress = egress.DEFAULT
    stopping_timeout_s: float = 60.0
    signal_keys: tuple[str, ...] = ()
    max_event_streams: int = 64
    event_stream_max_duration_s: float = 3600.0
    revision: str = "unknown"
    policy: cfg.ConfigOpts | None = None

    @property
    def max_adoption_size(self) -> int:
        """Bytes of the body of an adoption: a document, and the rest.

        Clients of Heat send the document as a text in the JSON, indented and
        with escaped quotes, which is up to twice as long.
        """
        if -1 in (self.max_json_body_size, self.max_document_size):
            return -1
        return self.max_json_body_size + 2 * self.max_document_size


def no_options() -> cfg.ConfigOpts:
    """Return options of which all are as they are by default."""
    conf = cfg.ConfigOpts()
    conf([], default_config_files=[], default_config_dirs=[])
    return conf
