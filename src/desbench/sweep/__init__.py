"""Many cases: plan them, play them on this computer, resume, sum up."""

from desbench.sweep.conduct import Execution, Outcome, sweep
from desbench.sweep.options import Options

__all__ = ["Execution", "Options", "Outcome", "sweep"]
