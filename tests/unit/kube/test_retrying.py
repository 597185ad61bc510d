"""When a request is sent again, and after how long."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.errors import UnreachableError
from migrate.kube.cluster import KubeCluster
from migrate.kube.errors import FailedAnswerError, NoAnswerError
from migrate.kube.retrying import RUN_READS, SURVEY_READS, THROTTLED_WRITES, persist, wait_s
from migrate.records.writes import Write
from tests.unit.kube.support import (
    CONFIG_MAP,
    Reply,
    Script,
    VirtualClock,
    config_map,
    connected,
    scripted,
    serve_core,
    status,
)

PATH = "/api/v1/namespaces/default/configmaps/settings"
THROTTLED = status(429, "TooManyRequests", "storage is (re)initializing", retryAfterSeconds=1)


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted() as running:
        serve_core(running)
        yield running


def _throttled(headers: dict[str, str]) -> Reply:
    return Reply(status=429, body=THROTTLED.body, headers=headers)


def test_ch_23_waits_as_told_header_first_then_grows_and_goes_on(script: Script, tmp_path: Path) -> None:
    clock = VirtualClock()
    cluster = KubeCluster(connected(tmp_path, script.url), clock)
    script.on(
        PATH,
        _throttled({"Retry-After": "2"}),
        THROTTLED,
        Reply(status=429),
        Reply(status=503),
        Reply(body=config_map()),
    )

    thing = cluster.read(CONFIG_MAP, timeout_s=60)

    first, second, third, fourth = clock.slept
    assert thing is not None
    assert 2.0 <= first <= 2.5  # The header, not the Status's 1 s.
    assert 1.0 <= second <= 1.25  # The Status, where there is no header.
    assert 1.0 <= third <= 1.25  # Told nothing: the third wait of 0.25, 0.5, 1, 2 …
    assert 2.0 <= fourth <= 2.5


def test_ch_23_the_total_wait_is_bounded_by_the_deadline(script: Script, tmp_path: Path) -> None:
    clock = VirtualClock()
    script.on(PATH, _throttled({"Retry-After": "2"}))

    with pytest.raises(UnreachableError, match=r"with 429 TooManyRequests: storage is \(re\)initializing"):
        KubeCluster(connected(tmp_path, script.url), clock).read(CONFIG_MAP, timeout_s=7)

    assert 4 <= clock.passed_s <= 7


def test_ch_23_a_throttled_write_is_sent_again_and_any_other_failure_is_not(script: Script, tmp_path: Path) -> None:
    clock = VirtualClock()
    cluster = KubeCluster(connected(tmp_path, script.url), clock)
    write = Write(verb="patch", object=CONFIG_MAP, uid="u", resource_version="1", body={"data": {"a": "2"}})
    script.on(PATH, _throttled({"Retry-After": "2"}), Reply(body=config_map()), method="PATCH")

    answer = cluster.write(write, timeout_s=30)

    assert answer is not None
    assert script.paths().count(f"PATCH {PATH}") == 2
    assert 2.0 <= clock.passed_s <= 2.5


def test_a_write_that_is_put_off_for_ever_was_not_written(script: Script, tmp_path: Path) -> None:
    cluster = KubeCluster(connected(tmp_path, script.url), VirtualClock())
    script.on(PATH, _throttled({"Retry-After": "2"}), method="DELETE")

    with pytest.raises(UnreachableError, match="It was not written"):
        cluster.write(Write(verb="delete", object=CONFIG_MAP, uid="u", resource_version="1"), timeout_s=5)


@pytest.mark.parametrize("failure", [Reply(reset=True), Reply(status=500), Reply(status=504)])
def test_a_read_survives_what_passes(script: Script, tmp_path: Path, failure: Reply) -> None:
    script.on(PATH, failure, failure, Reply(body=config_map()))

    thing = KubeCluster(connected(tmp_path, script.url), VirtualClock()).read(CONFIG_MAP, timeout_s=30)

    assert thing is not None


def test_waits_grow_to_a_limit_and_carry_jitter() -> None:
    waits = [wait_s(RUN_READS, attempt, None, lambda: 0.0) for attempt in range(1, 9)]

    assert waits == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
    assert wait_s(RUN_READS, 1, None, lambda: 1.0) == pytest.approx(0.3125)


def test_a_survey_gives_up_soon_on_a_server_that_takes_no_connection() -> None:
    clock, tries = VirtualClock(), []

    def refused(_: float) -> None:
        tries.append(1)
        raise NoAnswerError("refused", cause="connect")

    with pytest.raises(NoAnswerError):
        persist(refused, SURVEY_READS, clock, 60)

    assert len(tries) == 3
    assert clock.passed_s < 2


def test_each_try_is_given_the_time_that_is_left() -> None:
    clock, given = VirtualClock(), []

    def slow(left_s: float) -> str:
        given.append(left_s)
        clock.passed_s += 1.0
        if len(given) < 3:
            raise FailedAnswerError(503, {"retry-after": "2"}, b"")
        return "done"

    assert persist(slow, RUN_READS, clock, 20, lambda: 0.0) == "done"
    assert given == [20.0, 17.0, 14.0]


def test_a_sleep_that_is_cut_short_by_a_stop_makes_the_next_try_the_last() -> None:
    tries = []

    class Hurried(VirtualClock):
        def sleep(self, seconds: float) -> None:
            self.slept.append(seconds)

    def busy(_: float) -> None:
        tries.append(1)
        raise FailedAnswerError(503, {}, b"")

    with pytest.raises(FailedAnswerError):
        persist(busy, RUN_READS, Hurried(), 60)

    assert len(tries) == 2


@pytest.mark.parametrize("code", [500, 503, 409])
def test_no_status_but_429_sends_a_write_again(code: int) -> None:
    tries = []

    def failing(_: float) -> None:
        tries.append(1)
        raise FailedAnswerError(code, {"retry-after": "1"}, b"")

    with pytest.raises(FailedAnswerError):
        persist(failing, THROTTLED_WRITES, VirtualClock(), 60)

    assert len(tries) == 1


def test_a_date_in_retry_after_counts_on_the_servers_clock() -> None:
    headers = {"retry-after": "Mon, 30 Nov 2026 12:00:09 GMT", "date": "Mon, 30 Nov 2026 12:00:02 GMT"}

    assert FailedAnswerError(429, headers, b"").retry_after_s == 7.0
    assert FailedAnswerError(429, {"retry-after": "soon"}, b"").retry_after_s is None
