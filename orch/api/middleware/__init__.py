"""What every request passes before it is routed, in this order.

``request_id``, ``host`` where nobody is asked who they are, ``version``,
``context``.
"""
