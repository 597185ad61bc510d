"""
Where the embedded server is known to differ: the case, and why it stays so.

The same names stand in ``docs/likeness.md``. Such a case must fail on the
embedded server; when it does not, it is no difference any more.
"""

from typing import Final

EMBEDDED_DIFFERS: Final[dict[str, str]] = {}

RECORDING_DIFFERS: Final[dict[str, str]] = {
    "PersesDashboard redhat-ods-monitoring/dashboard-3-maas-usage-admin spec.": "the recording left its contents out",
}
"""
Where the played 3.5 controllers differ from a recorded installation: kind, name and path, and why it stays so.

The same rows stand in ``docs/likeness.md``; each must be a difference on both targets.
"""
