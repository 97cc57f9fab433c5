"""What holds for all tests."""

import os

from hypothesis import settings

# Dask reads these when it is imported. A local cluster gives up the place of a dead worker whose successor
# takes more than 15 s to start; a cluster without workers makes its tasks wait for ever.
os.environ |= {
    "DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT": "10 minutes",
    "DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT": "5 minutes",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2 minutes",
}

# Threads of BLAS and OpenMP that wait for work keep their processor busy, which the tests of the other worker
# need. Workers inherit this, and read it when they import numpy.
os.environ |= {"OPENBLAS_THREAD_TIMEOUT": "4", "OMP_WAIT_POLICY": "PASSIVE"}

# A busy machine must not fail a test: how long an example takes is no property of the code.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
