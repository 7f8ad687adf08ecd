"""The contract of a template function (``get_param``, ``str_replace``, …)."""
