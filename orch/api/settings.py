"""What an operator may choose of the API, as values."""

import dataclasses

from oslo_config import cfg


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Built by ``orch.cmd`` from the options; -1 lifts a limit.

    :ivar max_json_body_size: bytes of a request's body
    :ivar max_template_size: bytes of a template fetched by its address
    :ivar page_limit: stacks or events that one answer holds at most
    :ivar auth: who says who asks; ``none`` believes the request's headers
    :ivar is_local: only this machine reaches the server, and only by that
        is it known who asks
    :ivar public_url: scheme, host and port that links begin with; empty
        for those of each request
    :ivar template_url_timeout_s: seconds until a template must be here
    :ivar signal_keys: what opens the seals of addresses for signals
    :ivar stopping_timeout_s: seconds that a request waits for the end of
        what it stops
    :ivar revision: what ``build_info`` says of this process
    :ivar policy: where oslo.policy reads its options; ``None`` for the
        defaults and no file
    """

    max_json_body_size: int = 1048576
    max_template_size: int = 524288
    page_limit: int = -1
    auth: str = "none"
    is_local: bool = False
    public_url: str = ""
    template_url_timeout_s: float = 30.0
    stopping_timeout_s: float = 60.0
    signal_keys: tuple[str, ...] = ()
    revision: str = "unknown"
    policy: cfg.ConfigOpts | None = None
