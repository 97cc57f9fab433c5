"""Tasks on a Dask cluster, whose workers may die, may be none at first, and may not see our files."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from textensor.parallel.material import (
    ATTEMPTS,
    Result,
    Task,
    WorkersError,
    gave_up,
    numbered,
    reloaded,
    saved,
)

logger = logging.getLogger("textensor")

#: Seconds without any worker of a cluster after which a warning says so, and after which it is given up; the
#: setting "distributed.scheduler.no-workers-timeout" of Dask takes the place of the second.
SAID, GIVEN_UP = 10.0, 300.0
#: Seconds between two looks at what is done, and between two questions to the scheduler.
LOOK, ASK = 0.05, 1.0


def by_cluster(
    function: Callable[[Any, Task], Result], material: Any, tasks: Sequence[Task], client: Any
) -> Iterator[tuple[int, Result]]:
    """Let the scheduler hand out the tasks; it gives those of a dead worker to others."""
    import distributed

    waiting = dict(enumerate(tasks))
    deaths = 0
    with saved(material) as folder:
        visible = _sees(client, folder)
        while waiting:
            if visible:
                call = partial(reloaded, function, type(material), folder)
                futures = client.map(call, list(waiting.values()), list(waiting), pure=False)
            else:
                # Sent anew in every round: what was sent before may have been lost with its workers.
                sent = client.scatter(material, broadcast=True, hash=False)
                futures = client.map(
                    numbered,
                    list(waiting.values()),
                    list(waiting),
                    function=function,
                    material=sent,
                    pure=False,
                )
            try:
                for future, outcome in _completed(client, futures):
                    if isinstance(outcome, distributed.CancelledError):  # given, not raised
                        raise outcome
                    number, result = outcome
                    future.release()
                    del waiting[number]
                    deaths = 0
                    yield number, result
            except distributed.CancelledError as error:
                deaths += 1
                if deaths == ATTEMPTS:
                    raise WorkersError(gave_up(len(waiting))) from error
            except distributed.KilledWorker as error:
                raise WorkersError(gave_up(len(waiting))) from error
            finally:
                client.cancel(futures)


def _completed(client: Any, futures: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield futures with their results as they are done; give up if the cluster stays without workers."""
    import distributed

    done = distributed.as_completed(futures, with_results=True)
    missed = _Missed(client)
    while not done.is_empty():
        if done.has_ready():
            yield next(done)
        else:
            time.sleep(LOOK)
            missed.ask()


def answer(client: Any, future: Any) -> Any:
    """Return the result of one future."""
    for _, result in _completed(client, [future]):
        if isinstance(result, BaseException):  # of a future that was cancelled
            raise result
        return result
    raise WorkersError(gave_up(1))


class _Missed:
    """How long a cluster has had no workers. A cluster that grows with its tasks may have none at first."""

    def __init__(self, client: Any) -> None:
        from dask import config
        from dask.utils import parse_timedelta

        self.client, self.said = client, False
        self.asked = self.seen = time.monotonic()
        setting = config.get("distributed.scheduler.no-workers-timeout", None)
        self.limit = GIVEN_UP if setting is None else parse_timedelta(setting)

    def ask(self) -> None:
        """Ask the scheduler now and then; warn once, and raise WorkersError after the limit."""
        now = time.monotonic()
        if now - self.asked < ASK:
            return
        self.asked = now
        if self.client.scheduler_info().get("workers"):  # nothing is known if the scheduler is gone
            self.seen = now
        elif now - self.seen > self.limit:
            raise WorkersError(
                f"The Dask cluster has had no workers for {self.limit:g} seconds: start some, then run again."
            )
        elif now - self.seen > SAID and not self.said:
            self.said = True
            logger.warning("The Dask cluster has no workers: waiting up to %g seconds.", self.limit)


def _sees(client: Any, folder: Path) -> bool:
    """Say whether all workers of a cluster see a folder of this machine.

    The task before it waits for a worker: a cluster that grows with its tasks may have none yet.
    """
    return bool(
        answer(client, client.submit(Path.is_dir, folder, pure=False))
        and all(client.run(Path.is_dir, folder, on_error="ignore").values())
    )
