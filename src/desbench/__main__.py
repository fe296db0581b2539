"""`python -m desbench` is the command `desbench`."""

from desbench.cli import main

if __name__ == "__main__":
    main(prog_name="desbench")
