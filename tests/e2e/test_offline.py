"""The same judgement from files as from the cluster that they were read from; what they lack is named."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from migrate.changes.offline_layout import KINDS
from migrate.maas.resources import Kind
from tests.e2e.api import Json
from tests.e2e.stage import SHARED, Stage, tenant
from tests.unit.changes.offline.builders import get_all, inspected

pytestmark = pytest.mark.slow

REAL = SHARED / "clusters" / "real-3.5"
GAPS = {"NotInSource", "CouldNotRead"}
NOT_SAVED = {"leases", "secrets"}


def _saved(stage: Stage) -> Iterator[tuple[Kind, str]]:
    """Yield every kind of the facts that the server knows, with what ``kubectl get`` calls it."""
    served = set(stage.kubectl("api-resources", "-o", "name").split())
    for kind in KINDS:
        name = f"{kind.plural}.{kind.group}" if kind.group else kind.plural
        if name in served and kind.plural not in NOT_SAVED:
            yield kind, name


def _said(document: Json) -> list[tuple[str, str, str]]:
    return sorted(
        (one["impact"], one["code"], one["message"]) for one in document["findings"] if one["code"] not in GAPS
    )


def _decisions(document: Json) -> list[tuple[str, str]]:
    return [(one["name"], one["decision"]) for one in document["tenants"]]


@pytest.mark.story(controllers="3.5", example="azure-model")
def test_files_say_what_the_cluster_says(stage: Stage) -> None:
    live = stage.cli("check", wanted=11).document
    kinds = list(_saved(stage))
    folder, together, gathered = stage.place / "lists", stage.place / "all.json", stage.place / "must-gather"
    shown = stage.kubectl("get", ",".join(name for _, name in kinds), "-A", "-o", "json", "--show-managed-fields")
    _write(folder, get_all(json.loads(shown)["items"], empty=[kind for kind, _ in kinds]))
    together.write_text(stage.kubectl("get", ",".join(name for _, name in kinds), "-A", "-o", "json"), encoding="utf-8")
    _write(gathered, inspected(json.loads(shown)["items"]))

    lists, one, bundle = (
        stage.cli("check", "--snapshot", str(path), wanted=11, KUBECONFIG="/nowhere").document
        for path in (folder, together, gathered)
    )

    assert _said(lists) == _said(bundle) == _said(live)
    # Plain kubectl leaves managedFields out, and with them the time of the ConfigMap's last change.
    assert {entry[1] for entry in set(_said(one)) ^ set(_said(live))} == {"ConfigMapAgeUnknown"}
    assert _decisions(lists) == _decisions(live)
    assert lists["cluster"]["id"] == one["cluster"]["id"] == bundle["cluster"]["id"] == live["cluster"]["id"]
    assert {one["object"]["kind"] for one in lists["findings"] if one["code"] in GAPS} <= {"PersesDashboard"}
    assert all(finding["message"] for finding in bundle["findings"] if finding["code"] in GAPS)


def _write(root: Path, files: Mapping[str, Json]) -> None:
    """Write documents by path, as YAML would be; JSON is YAML as well."""
    for place, document in files.items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=1), encoding="utf-8")


@pytest.mark.scene
@pytest.mark.shared
@pytest.mark.skipif(not REAL.exists(), reason="the shared folder is not beside the checkout")
def test_a_plan_for_a_real_installation_needs_no_cluster(stage: Stage) -> None:
    whole = stage.cli("plan", "--snapshot", str(REAL), wanted=11, KUBECONFIG="/nowhere").document
    again = stage.cli("plan", "--snapshot", str(REAL), wanted=11, KUBECONFIG="/nowhere").document
    one = stage.cli("plan", "--snapshot", str(REAL), "--tenant", "redteam", KUBECONFIG="/nowhere").document
    lossy = ("--api-translation", "models-as-a-service=false", "--accept", "unsupported-external-models=CHG-1043")
    both = stage.cli("plan", "--snapshot", str(REAL), *lossy, KUBECONFIG="/nowhere").document

    assert whole == again
    assert [tenant(whole, name)["decision"] for name in ("models-as-a-service", "redteam")] == ["blocked", "proceed"]
    assert [step["id"] for step in one["steps"] if step["id"].startswith("pin:")] == ["pin:redteam"]
    assert {entry["decision"] for entry in both["tenants"]} == {"proceed"}
    assert stage.cli("verify", "--snapshot", str(REAL), KUBECONFIG="/nowhere").document["passed"]
