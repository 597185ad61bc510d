"""The window as people write it: zones, daylight saving, cutoff."""

from datetime import UTC, datetime

import pytest

from migrate.records.window import Window, WindowError, parse_duration, parse_window

NOW = datetime(2026, 10, 3, 20, 0, tzinfo=UTC)


def test_a_time_with_an_offset_needs_no_zone() -> None:
    window = parse_window("2026-10-03T22:00+02:00/2026-10-04T02:00+02:00", now=NOW)

    assert window.start == datetime(2026, 10, 3, 20, 0, tzinfo=UTC)
    assert window.end == datetime(2026, 10, 4, 0, 0, tzinfo=UTC)


def test_ch_25_a_time_without_zone_is_refused() -> None:
    with pytest.raises(WindowError, match="no offset"):
        parse_window("2026-11-07T22:00/2026-11-08T02:00", now=NOW)


def test_the_text_is_in_whole_seconds() -> None:
    window = parse_window("now+60m", now=NOW.replace(microsecond=123456))

    assert window.start is not None
    assert ".123456" not in window.text()


def test_ch_25_the_text_shows_utc_and_the_zone_with_offsets() -> None:
    window = parse_window("2026-11-07T22:00/2026-11-08T02:00", now=NOW, timezone="America/New_York")

    assert "2026-11-08T03:00:00+00:00" in window.text()
    assert "2026-11-07T22:00:00-05:00" in window.text()
    assert "America/New_York" in window.text()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("2026-03-29T02:30/2026-03-29T06:00", "does not exist", id="spring-forward"),
        pytest.param("2026-10-25T02:30/2026-10-25T06:00", "exists twice", id="fall-back"),
    ],
)
def test_a_local_time_in_a_daylight_saving_change_is_refused(text: str, words: str) -> None:
    with pytest.raises(WindowError, match=words):
        parse_window(text, now=NOW, timezone="Europe/Prague")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "2026-10-03",
        "x/y",
        "now+",
        "now+90x",
        "2026-10-03T22:00Z/2026-10-03T21:00Z",
        "now+10m",
        "now+99999h",
        "now+999999999d",
        f"now+{'9' * 5000}s",
        "now+٣h",
        "0001-01-01T00:00+14:00/2026-10-03T21:00Z",
        "2026-10-03T22:00Z/9999-12-31T23:59-14:00",
    ],
)
def test_what_is_no_window_is_refused(text: str) -> None:
    with pytest.raises(WindowError):
        parse_window(text, now=NOW)


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(WindowError, match="time zone"):
        parse_window("now+2h", now=NOW, timezone="Mars/Olympus")


@pytest.mark.parametrize(
    ("text", "timezone", "cutoff", "flag"),
    [
        ("now+1x", "", "15m", "--window"),
        ("now+60m", "", "2x", "--cutoff"),
        ("now+60m", "", "70m", "--cutoff"),
        ("now+60m", "Mars/X", "15m", "--timezone"),
        ("none", "Mars/X", "15m", "--timezone"),
    ],
)
def test_what_cannot_be_used_names_the_flag_it_was_said_with(text: str, timezone: str, cutoff: str, flag: str) -> None:
    with pytest.raises(WindowError) as refused:
        parse_window(text, now=NOW, timezone=timezone, cutoff=cutoff)

    assert refused.value.flag == flag


def test_a_step_fits_only_before_the_cutoff() -> None:
    window = parse_window("now+60m", now=NOW, cutoff="15m")

    assert window.fits(NOW, 45 * 60)
    assert not window.fits(NOW, 45 * 60 + 1)


def test_no_window_always_fits() -> None:
    assert parse_window("none", now=NOW).fits(NOW, 1e9)


def test_no_window_is_told_with_the_reason_that_was_given() -> None:
    assert Window(reason="nobody works today").text() == "none (accepted: nobody works today)"
    assert Window().text() == "none"


@pytest.mark.parametrize(("text", "seconds"), [("0", 0), ("45s", 45), ("90m", 5400), ("1h30m", 5400), ("1d", 86400)])
def test_durations(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds
