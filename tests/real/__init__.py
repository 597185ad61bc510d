"""A real control plane of one node without a kubelet, and the tests that need one."""
