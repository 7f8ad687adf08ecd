"""What every request passes before it is routed, in this order.

``request_id``, ``version``, ``context``.
"""
