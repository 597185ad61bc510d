"""
Runs any plan forward and backward. Knows actions, not Models-as-a-Service.

It reaches the world only through the ports in ``ports.py``; one function,
``perform.write``, is the only place where a plan becomes a write.
"""
