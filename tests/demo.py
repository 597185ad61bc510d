"""
The main job on an embedded sandbox: plan, apply, the operator's upgrade, resume, verify, rollback.

``make demo`` runs this module. Every command is printed as a person would type it; the first
one that ends otherwise than it should stops the demonstration with a failure.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / ".demo"
KUBECONFIG = PLACE / "kubeconfig"
EXAMPLE = "customised"
REASON = "the metering plugin is re-applied in the Praxis shape by CHG-1042"


def tool(name: str) -> str:
    """Return the path of a program beside this Python, else its name."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else name


def show(text: str) -> None:
    """Print at once, so that the order on the screen is the order of events."""
    print(text, flush=True)  # noqa: T201 - this is a demonstration on a terminal


def call(*words: str, wanted: int = 0, quiet: bool = False) -> str:
    """Run one command as a person would, show it and what it says, and return its stdout."""
    show(f"\n$ {shlex.join(words)}")
    done = subprocess.run(
        [tool(words[0]), *words[1:]], env=environment(), stdout=subprocess.PIPE, text=True, check=False, timeout=300
    )
    if not quiet:
        show(done.stdout.rstrip())
    if done.returncode != wanted:
        show(f"demo: expected exit code {wanted}, got {done.returncode}")
        raise SystemExit(1)
    if wanted:
        show(f"(exit code {wanted})")
    return done.stdout


def environment() -> dict[str, str]:
    """Return an environment that reaches only the sandbox."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "HOME") if name in os.environ}
    return {**kept, "KUBECONFIG": str(KUBECONFIG), "MAAS_MIGRATE_STATE_DIR": str(PLACE / "state"), "NO_COLOR": "1"}


@contextmanager
def sandbox() -> Iterator[None]:
    """Serve the example on 3.5 until the demonstration is over."""
    words = ["sandbox", "--example", EXAMPLE, "--controllers", "3.5", "--kubeconfig", str(KUBECONFIG)]
    show(f"$ maas-migrate {shlex.join(words)} &")
    serving = subprocess.Popen([tool("maas-migrate"), *words], stdout=subprocess.PIPE, text=True)
    try:
        line = (serving.stdout.readline() if serving.stdout else "").strip()
        show(line)
        if not line or json.loads(line).get("event") != "ready":
            show("demo: the sandbox did not start")
            raise SystemExit(1)
        yield
    finally:
        serving.terminate()
        serving.wait(timeout=30)


def plugins() -> dict[str, object]:
    """Return what the plugins ConfigMap holds now."""
    words = ["get", "configmap", "payload-processing-plugins", "-n", "openshift-ingress", "-o", "json"]
    found = json.loads(call("kubectl", *words, quiet=True))
    data: dict[str, object] = found["data"]
    return data


def journey() -> None:
    """Walk the whole way and back, and compare."""
    before = plugins()
    call("maas-migrate", "check", wanted=2)
    call("maas-migrate", "plan", wanted=12)
    accepted = ("--accept", f"force-custom-plugins-configmap={REASON}")
    plan = json.loads(call("maas-migrate", "plan", *accepted, "-o", "json", quiet=True))
    show(f"plan {plan['id']} with {len(plan['steps'])} steps before the upgrade, {len(plan['forecast'])} after it")
    call("maas-migrate", "apply", plan["id"], "--window", "now+90m", "--yes", wanted=20)
    upgrade()
    # Until the operator has begun, resume would say so and end at the gate again.
    begun = ("--for=create", "deployment/ai-gateway-controller", "-n", "redhat-ods-applications", "--timeout=120s")
    call("kubectl", "wait", *begun)
    call("maas-migrate", "resume", "--window", "now+90m", "--yes")
    run = json.loads(call("maas-migrate", "runs", "-o", "json", quiet=True))["runs"][-1]["id"]
    if set(plugins()) != {"pre-extproc.yaml", "extproc.yaml"}:
        show("demo: the plugins ConfigMap is not in the Praxis shape")
        raise SystemExit(1)
    call("maas-migrate", "verify", run)
    call("maas-migrate", "rollback", run, "--yes")
    if plugins() != before:
        show("demo: the rollback did not restore the customised plugins ConfigMap")
        raise SystemExit(1)
    call("maas-migrate", "backups", "verify", run)
    call("maas-migrate", "report", run, "-o", "markdown", quiet=True)


def upgrade() -> None:
    """Approve the operator's InstallPlan, as an admin would."""
    names = call("kubectl", "get", "installplans", "-n", "redhat-ods-operator", "-o", "name", quiet=True).split()
    patch = '{"spec":{"approved":true}}'
    call("kubectl", "patch", names[0], "-n", "redhat-ods-operator", "--type", "merge", "-p", patch)


def main(arguments: Sequence[str]) -> int:
    """Run the demonstration in a folder of its own."""
    del arguments
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir()
    with sandbox():
        journey()
    show("\ndemo: plan, apply, upgrade, resume, verify and rollback went as they should")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
