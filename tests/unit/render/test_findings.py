"""Findings, clusters and prose on a screen."""

import pytest

from migrate.records.assessment import Finding
from migrate.records.plan import Subscriptions
from migrate.records.snapshot import ClusterIdentity
from migrate.render.check_text import check_text
from migrate.render.findings import cluster_text, findings_text
from migrate.render.tables import folded

PROSE = "      the operator upgrade renames every limit and counts by key and user instead of user alone"


def a_finding(impact: str = "advisory", code: str = "A", resolution: str = "Do it.", **more: bool) -> Finding:
    return Finding(code=code, impact=impact, message=f"{code} is so", resolution=resolution, **more)  # type: ignore[arg-type]


def test_the_same_next_move_is_said_once_for_findings_that_follow_each_other() -> None:
    text = findings_text([a_finding(), a_finding(), a_finding(code="B"), a_finding(resolution="Else.")])

    assert text.count("A is so") == 3
    assert [line.strip() for line in text.splitlines() if "->" in line] == ["-> Do it.", "-> Do it.", "-> Else."]


def test_of_a_cluster_only_what_is_known_is_said() -> None:
    bare = ClusterIdentity(server="pod.yaml", id="", context="")
    whole = ClusterIdentity(server="https://a", id="u", context="c", proxy="http://p")

    assert cluster_text(bare) == "pod.yaml (id unknown)"
    assert cluster_text(whole) == "https://a (id u, context c, through http://p)"


@pytest.mark.parametrize(
    ("findings", "words"),
    [
        pytest.param([], "go on with maas-migrate plan", id="none"),
        pytest.param([a_finding()], "go on with maas-migrate plan", id="advisory"),
        pytest.param([a_finding("risk"), a_finding()], "A risk is at stake", id="risk"),
        pytest.param([a_finding("blocking"), a_finding("risk")], "Blocked: ", id="blocking"),
        pytest.param([a_finding("blocking", unreadable=True)], "could not be read", id="unreadable"),
    ],
)
def test_check_ends_with_what_it_comes_to(findings: list[Finding], words: str) -> None:
    cluster = ClusterIdentity(server="https://a", id="u", context="c")

    text = check_text(cluster=cluster, platform="3.5", tenants=(), subscriptions=Subscriptions(), findings=findings)

    assert words in text.splitlines()[-1]


def test_prose_is_folded_under_its_beginning_and_loses_no_word() -> None:
    lines = folded(PROSE + "\n", 60).splitlines()

    assert len(lines) > 1
    assert all(line.startswith("      ") and len(line) <= 60 for line in lines)
    assert " ".join(map(str.strip, lines)) == PROSE.strip()


@pytest.mark.parametrize(
    "line",
    [
        "  TENANT                NAMESPACE             PLUGINS CONFIGMAP                              VERDICT\n",
        "  maas-migrate apply 0351d07b9f8a95208da71d8c1ddb96f019995472053d5f96154368883afad41f --window START/END\n",
        "      -> To keep it, after the upgrade: kubectl patch configs.maas.opendatahub.io default --type=merge\n",
        "\x1b[31m" + "x " * 60 + "\x1b[0m\n",
        "short\n",
        "\n",
    ],
)
def test_rows_commands_and_colour_stay_whole(line: str) -> None:
    assert folded(line, 60) == line
