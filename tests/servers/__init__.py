"""The real etcd, kube-apiserver and kube-controller-manager: where they are found, and how they are built."""
