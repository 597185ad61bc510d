"""``plan -o kubectl``: the printed commands alone reach the end state of ``apply``."""

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cluster import FORCE, annotations, content, data_of, on_ipp, on_praxis
from tests.e2e.stage import GO, Options, Stage, opened, program

pytestmark = pytest.mark.slow

ACCEPTED = ("--accept", "force-custom-plugins-configmap=CHG-1")


def script(stage: Stage, *words: str, wanted: int = 0) -> Path:
    """Return the script that ``plan`` prints for the cluster as it is."""
    path = stage.place / f"plan-{len(list(stage.place.glob('plan-*.sh')))}.sh"
    path.write_text(stage.plain("plan", *words, "-o", "kubectl", wanted=wanted).out, encoding="utf-8")
    return path


def run(stage: Stage, path: Path, *, wanted: int = 0, **more: str) -> str:
    """Run a script with nothing but bash and kubectl on the path; return what it said."""
    bash = shutil.which("bash")
    assert bash
    environment = stage.environment(KUBECTL=program("kubectl"), POLL="0.2", YES="1", PATH="/usr/bin:/bin", **more)
    done = subprocess.run(
        [bash, str(path)], env=environment, cwd=stage.place, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == wanted, done.stderr[-3000:]
    return done.stderr


def by_kubectl(place: Path) -> dict[str, Any]:
    with opened(place, Options(example="customised", controllers="3.5")) as stage:
        first = script(stage, *ACCEPTED)
        assert "waiting for the operator upgrade" in run(stage, first, wanted=20)
        assert annotations(stage)["maas.opendatahub.io/payload-processing-type"] == "ipp"
        custom = data_of(stage)
        stage.approve_upgrade()
        assert "it is so already" in run(stage, first)
        second = script(stage, *ACCEPTED)
        run(stage, second)
        assert on_praxis(stage)
        assert FORCE not in annotations(stage)
        saved = next(stage.place.glob("maas-migrate-backups-*/*ConfigMap*plugins.yaml"))
        assert all(text.splitlines()[0] in saved.read_text(encoding="utf-8") for text in custom.values())
        assert saved.stat().st_mode & 0o777 == 0o600
        assert "everything is written already" in run(stage, second)
        assert "nothing to do" in run(stage, script(stage))
        stage.cli("verify")
        return content(stage)


def by_apply(place: Path) -> dict[str, Any]:
    with opened(place, Options(example="customised", controllers="3.5")) as stage:
        stage.apply(*ACCEPTED, wanted=20)
        stage.approve_upgrade()
        stage.cli("resume", *GO)
        return content(stage)


def test_the_commands_alone_reach_the_end_state_of_apply(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as both:
        applied = both.submit(by_apply, tmp_path / "apply")
        typed = both.submit(by_kubectl, tmp_path / "kubectl")

        assert typed.result() == applied.result()


def test_a_changed_cluster_a_blocked_plan_and_a_refusing_controller_stop_the_commands(tmp_path: Path) -> None:
    with opened(tmp_path, Options(example="default", controllers="3.6")) as stage:
        path = script(stage)
        custom = 'plugins: []\nmode: "$(touch pwned)"\n'
        plugins = ("configmap", "payload-processing-plugins", "-n", "openshift-ingress")
        stage.kubectl("annotate", *plugins, "opendatahub.io/managed=false", "--overwrite")
        patch = {"data": {"custom-ipp-config.yaml": custom}}
        stage.api.merge("/api/v1/namespaces/openshift-ingress/configmaps/payload-processing-plugins", patch, "somebody")

        assert "has another text now" in run(stage, path, wanted=13)
        assert "a risk is not accepted" in run(stage, script(stage, wanted=12), wanted=12)

        # Whoever leaves that check out meets the controller's gate, and the flip is taken back.
        careless = path.with_name("careless.sh")
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        careless.write_text("".join(line for line in lines if "  text_is " not in line), encoding="utf-8")
        told = run(stage, careless, wanted=21)

        assert "refuses to move" in told
        assert "was taken back to IPP" in told
        stage.until("IPP serves", lambda: on_ipp(stage))
        assert data_of(stage)["custom-ipp-config.yaml"] == custom
        assert not list(stage.place.glob("pwned"))
