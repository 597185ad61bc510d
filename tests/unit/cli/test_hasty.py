"""The clock of a rehearsal: sleeps are short and count in full; nothing else is hurried."""

import time

from migrate.cli.hasty import HastyClock
from migrate.cli.person import Stop


def test_a_sleep_takes_a_part_of_its_time_and_counts_in_full() -> None:
    clock = HastyClock(Stop(), 100.0)
    began, now, real = clock.monotonic(), clock.now(), time.monotonic()

    clock.sleep(10.0)
    clock.sleep_through(10.0)

    assert time.monotonic() - real < 5.0
    assert clock.monotonic() - began >= 20.0
    assert (clock.now() - now).total_seconds() >= 20.0


def test_a_speed_below_one_never_makes_it_slower() -> None:
    clock = HastyClock(Stop(), 0.01)
    real = time.monotonic()

    clock.sleep(0.01)

    assert time.monotonic() - real < 1.0
