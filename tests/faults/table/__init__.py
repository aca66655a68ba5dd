"""The faults, a file for each part of the library."""
from table import analysis, autodiff, distributed, host, lower, products, runtime, schedule, transforms

FAULTS = [*transforms.FAULTS, *autodiff.FAULTS, *analysis.FAULTS, *schedule.FAULTS, *lower.FAULTS, *products.FAULTS,
          *host.FAULTS, *runtime.FAULTS, *distributed.FAULTS]
