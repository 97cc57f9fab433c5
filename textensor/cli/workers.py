"""``--dask``: work on the workers of a cluster."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from textensor.base.disk import reason

#: Seconds to wait for a scheduler's answer.
CONNECT = 10


@contextmanager
def on_workers(address: str | None) -> Iterator[None]:
    """Run what is inside the block on the workers of a Dask scheduler, if its address is given."""
    if address is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError('--dask needs another package: pip install "textensor[dask]".') from error
    from textensor.parallel import WorkersError, on_cluster

    client = None
    with suppress(OSError, ValueError, TypeError):
        client = Client(address, timeout=CONNECT)
    if client is None:
        # A client that found nobody closes itself when it is collected: here, not in some thread of another.
        gc.collect()
        raise OSError(f"No Dask scheduler answers at {address!r:.100}: see that it runs there.")
    with client:
        if not client.scheduler_info()["workers"]:
            raise OSError(f"The Dask scheduler at {address!r:.100} has no workers: start some.")
        try:
            with on_cluster(client):
                yield
        except Exception as error:
            if isinstance(error, WorkersError):
                raise OSError(str(error)) from error
            if type(error).__module__.startswith("distributed"):
                raise OSError(f"The Dask cluster failed ({reason(error)}): see its log.") from error
            raise
