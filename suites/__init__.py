"""The suites that ship with desbench; one file is one suite. Installed as `desbench.suites`."""
