"""What all tests share: the network stays on this machine, the time zone is fixed, and which API servers are met."""

import os
import signal
import time

from hypothesis import settings

from tests.targets import (
    kubectl_program,
    programs,
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_terminal_summary,
)

__all__ = [
    "kubectl_program",
    "programs",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_terminal_summary",
]

os.environ["TZ"] = "UTC"
time.tzset()
for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "KUBECONFIG", "MAAS_MIGRATE_STATE_DIR"):
    os.environ.pop(name, None)
os.environ["MAAS_MIGRATE_QPS"] = "0"  # The servers of the tests are nobody else's.
settings.register_profile("same", derandomize=True, database=None)
if "MAAS_MIGRATE_EXAMPLES" not in os.environ:  # Whoever asks for a number asks for chance; a build asks for the same.
    settings.load_profile("same")
# A build in the background ignores what Ctrl-C sends, and so would every program that a test starts.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)
