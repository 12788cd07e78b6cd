"""Rondo beside PyTorch and JAX: one table in one run. See benchmarks/README.md."""
