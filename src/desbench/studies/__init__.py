"""Studies: one file, one question about many runs; `desbench study NAME` prints its table."""
