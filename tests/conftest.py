"""What all tests share: the network stays on this machine, the time zone is fixed."""

import os
import time

os.environ["TZ"] = "UTC"
time.tzset()
for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "KUBECONFIG", "MAAS_MIGRATE_STATE_DIR"):
    os.environ.pop(name, None)
