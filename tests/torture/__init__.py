"""
The torture chamber: the real tool on a simulated cluster, disk and clock, in one process and one thread.

One seed decides everything that goes wrong, so every run can be had again. What must hold is checked by
``invariants``; what goes wrong is planned by ``points`` and ``scenario``. ``python -m tests.torture`` runs seeds.
"""
