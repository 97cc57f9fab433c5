"""Faults at every step of the one writer, for tests: the k-th step fails, is interrupted, or never returns.

As a program it runs a command again and again, killed at its first step, its second step and so on, each time
in a process of its own, and prints what each run has left.
"""

import errno
import inspect
import json
import os
import pathlib
import re
import shutil
import signal
import sys
from contextlib import ExitStack, contextmanager
from unittest import mock

from textensor.base import disk
from textensor.classify.minmax import checkpoint

#: Two decimals: only times have them in a report, figures have three.
_SECONDS = re.compile(rb"<td>\d+\.\d\d</td>")


class Steps:
    """Counts what the writer does; ``act`` is called at one of its steps.

    Steps are new files and folders, the first and the second write to each file, syncs and renames.
    """

    def __init__(self, act=None, at=None):
        self.act, self.at, self.count = act, at, 0

    def step(self):
        self.count += 1
        if self.count == self.at:
            self.act()

    def counting(self, function):
        def run(*arguments, **options):
            self.step()
            return function(*arguments, **options)

        return run

    @contextmanager
    def injected(self):
        """Count within the block."""
        with ExitStack() as stack:
            enter = stack.enter_context
            enter(mock.patch.object(disk, "open", self.open_file, create=True))
            enter(mock.patch.object(disk.os, "fsync", self.counting(os.fsync)))
            for name in ("replace", "rename", "mkdir"):
                whole = getattr(pathlib.Path, name)
                enter(mock.patch.object(pathlib.Path, name, self.only_partial(whole)))
            yield self

    def open_file(self, *arguments, **options):
        self.step()
        return _Counted(open(*arguments, **options), self)  # noqa: PTH123 (with an opener)

    def only_partial(self, function):
        """Count what is done to partial files and folders, not what others make beside."""

        def run(path, *arguments, **options):
            if path.name.endswith(".partial"):
                self.step()
            return function(path, *arguments, **options)

        return run


class _Counted:
    """A file whose writes are counted."""

    def __init__(self, file, steps):
        self.file, self.steps, self.n_writes = file, steps, 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()

    def write(self, piece):
        self.n_writes += 1
        if self.n_writes <= 2:
            self.steps.step()
        return self.file.write(piece)

    def __getattr__(self, name):
        return getattr(self.file, name)


class Interrupt:
    """A Ctrl-C at one of the moments when Python looks for signals; counts those within the block.

    They are the beginning of a function, the return from a built-in function, and the end of a round of a
    loop. (Python 3.11 may crash if an exception is raised between any two instructions, so hooks for calls
    and lines are used.)
    """

    def __init__(self, at=None):
        self.at, self.count = at, 0

    def __enter__(self):
        self.outer = sys.gettrace(), sys.getprofile()
        sys.settrace(self._trace)
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *error):
        sys.setprofile(self.outer[1])
        sys.settrace(self.outer[0])

    def _moment(self):
        self.count += 1
        if self.count == self.at:
            raise KeyboardInterrupt

    def _profile(self, frame, event, argument):
        del argument
        # Entering a generator is no moment: what is raised there passes by its handlers.
        entered = event == "call" and not frame.f_code.co_flags & inspect.CO_GENERATOR
        if (entered or event == "c_return") and frame.f_code.co_filename != __file__:
            self._moment()

    def _trace(self, frame, event, argument):
        del event, argument
        before = frame.f_lasti

        def trace(frame, event, argument):
            nonlocal before
            del argument
            again = event == "line" and frame.f_lasti < before
            before = frame.f_lasti
            if again:
                self._moment()
            return trace

        return trace


def full():
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def timeless(content):
    """Return a page without the seconds that methods took, which are never the same twice."""
    return _SECONDS.sub(b"<td></td>", content)


def contents(folder):
    """Return every file in a folder by its name, hidden ones too."""
    return {
        str(path.relative_to(folder)): timeless(path.read_bytes()).hex()
        for path in sorted(pathlib.Path(folder).rglob("*"))
        if path.is_file()
    }


def fresh(start):
    """Copy a folder to another place and go there."""
    place = start.with_name("run")
    os.chdir(start)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(start, place)
    os.chdir(place)
    return place


def run():
    """Run the command in argv and return its exit code."""
    from textensor import cli

    try:
        cli.main()
    except SystemExit as left:
        return left.code or 0
    return 99


def forked(steps=None):
    """Run the command in a process of its own; return its exit code, None if it was killed."""
    child = os.fork()
    if child == 0:
        with steps.injected() if steps else ExitStack():
            os._exit(run())
    status = os.waitpid(child, 0)[1]
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return None if killed else os.waitstatus_to_exitcode(status)


def main():
    """Kill the command in argv[3:] at each step, starting from a copy of the folder argv[2].

    If argv[1] is "resume", it is then run again in the same place, with every module kept as it is done.
    """
    mode, start, sys.argv = sys.argv[1], pathlib.Path(sys.argv[2]), ["textensor", *sys.argv[3:]]
    told, quiet = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    checkpoint.SECONDS = -1.0
    fresh(start)
    run()  # imports and compiles once for all children
    found = []
    while not found or found[-1]["code"] is None:
        place = fresh(start)
        code = forked(Steps(lambda: os.kill(os.getpid(), signal.SIGKILL), len(found) + 1))
        if mode == "resume" and code is None:
            assert forked() == 0
        found.append({"code": code, "left": contents(place)})
    os.write(told, json.dumps(found).encode())


if __name__ == "__main__":
    main()
