"""``verify`` outside a run: what may pass by itself is read again, a few times, before it is called failed."""

from pathlib import Path
from typing import Any

import pytest

from migrate.commands.verify import LOOK_AGAIN_S, verify
from migrate.errors import ExitCode
from migrate.records.snapshot import Snapshot
from tests import builders as b
from tests.fakes import TickingClock
from tests.unit.changes.verify.test_verify import moved
from tests.unit.commands.contexts import OneLive, a_context

GOOD = b.a_snapshot(*moved())
FLIPPED = b.a_snapshot(*moved(b.a_subscription("free", "granite", identity="legacy", status={"phase": "Failed"})))
BROKEN = b.a_snapshot(*moved(b.annotated(b.a_tenant_config(), **{"maas.opendatahub.io/payload-processing-type": "x"})))


class Live(OneLive):
    """A cluster that is another one at each reading; the last stays."""

    def __init__(self, *readings: Snapshot) -> None:
        super().__init__()
        self._readings = readings
        self.reads = 0

    def collect(self) -> Snapshot:
        self.reads += 1
        return self._readings[min(self.reads, len(self._readings)) - 1]


@pytest.mark.parametrize(
    ("readings", "code", "reads"),
    [
        pytest.param([GOOD], ExitCode.OK, 1, id="good"),
        pytest.param([FLIPPED, FLIPPED, GOOD], ExitCode.OK, 3, id="passes-by-itself"),
        pytest.param([FLIPPED], ExitCode.NOT_VERIFIED, 1 + len(LOOK_AGAIN_S), id="stays"),
        pytest.param([BROKEN], ExitCode.NOT_VERIFIED, 1, id="will-not-pass"),
    ],
)
def test_what_may_pass_is_read_again(tmp_path: Path, readings: Any, code: ExitCode, reads: int) -> None:
    live = Live(*readings)
    context = a_context(tmp_path, lambda: live)

    verification, given = verify(context, "", "")

    assert (given, live.reads, verification.passed) == (code, reads, code is ExitCode.OK)
    assert isinstance(context.clock, TickingClock)
    assert context.clock.passed_s == sum(LOOK_AGAIN_S[: reads - 1])
