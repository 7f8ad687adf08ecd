"""What every request passes before it is routed, in this order.

``request_id``, ``host`` where no login is required, ``version``,
``context``.
"""
