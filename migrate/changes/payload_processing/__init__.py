"""Moving a tenant's payload processing from IPP to Praxis: findings, steps, checks."""
