// The judge of plugins ConfigMaps: the libraries that the controllers read with, asked by the tests.
module maas-migrate.example/tests/judge

go 1.25.0

require sigs.k8s.io/yaml v1.6.0

require go.yaml.in/yaml/v2 v2.4.4 // indirect
