"""Faults on request: the switches of the JSON file that BRINK_STANDIN_FAULTS names.

    capacity_mib       what a bucket holds, in MiB
    seconds_per_layer  slowness, for each transformer layer and network group
    no_hef             true: success without a HEF
    hole               true: what must fail passes
    flake              {pass, fail}: how likely what must fail passes, and the reverse; {seed, attempt}: the same each time;
                       {counter}: a file beside this one that counts the attempts
    flood              {mebibytes, line_kibibytes}: a log of that size
    memory             {mebibytes, seconds_per_piece, seconds}: takes and keeps memory
    crash              true: the native compiler's assertion
    signal             {name}: ends by that signal
    hang               {seconds, ignore_term, escape}: sleeps; ignores TERM; leaves a child in a session of its own

The last five strike in {stage} ("compile" unless said). Where a switch is an object, {layers: [first, last]} limits it to
models of so many transformer layers.
"""

import json
import os
import random
import signal
import sys
import time

from . import log
from .exceptions import BackendAllocatorException

_KNOWN = {
    "capacity_mib", "no_hef", "hang", "flake", "hole", "seconds_per_layer", "memory", "crash", "signal", "flood",
}
_CRASH = (
    "compiler: ../src/network_graph/racehorse.cpp:1682: void allocator::Racehorse::place(const Layer&): "
    "Assertion `context < contexts.size()' failed."
)


class Faults:
    """All off when there is no file. A switch that is an object may have `layers: [first, last]`: only then."""

    def __init__(self, switches, folder="."):
        unknown = sorted(set(switches) - _KNOWN)
        if unknown:
            raise ValueError(f"{unknown[0]} is no fault; known are {', '.join(sorted(_KNOWN))}")
        self.switches, self.folder = switches, folder

    def active(self, name, layers):
        """The switch's settings when it is on for a model of so many transformer layers, else None."""
        settings = self.switches.get(name)
        if not settings:
            return None
        settings = settings if isinstance(settings, dict) else {}
        first, last = settings.get("layers", (0, layers))
        return settings if first <= layers <= last else None

    def pause(self, layers):
        """Slowness that can be asked for: seconds a transformer layer and network group."""
        time.sleep(self.switches.get("seconds_per_layer", 0) * layers)

    def strike(self, stage, layers):
        """Whatever happens in the middle of a stage: flood, memory, crash, signal, hang."""
        for name, act in (("flood", _flood), ("memory", _take_memory), ("crash", _crash), ("signal", _raise_signal),
                          ("hang", _hang)):
            settings = self.active(name, layers)
            if settings is not None and settings.get("stage", "compile") == stage:
                act(settings)

    def passes(self, layers):
        """Whether a config that must fail passes all the same: in a hole, or by a flake."""
        if self.active("hole", layers) is not None:
            return True
        settings = self.active("flake", layers)
        return settings is not None and self._chance(settings) < settings.get("pass", 0)

    def fails(self, layers):
        """Whether a config that must pass fails all the same."""
        settings = self.active("flake", layers)
        return settings is not None and self._chance(settings) < settings.get("fail", 0)

    def no_hef(self, layers):
        return self.active("no_hef", layers) is not None

    def _chance(self, settings):
        """In [0, 1): another for each attempt; the same for the same seed and attempt."""
        if "seed" not in settings:
            return random.SystemRandom().random()
        attempt = settings.get("attempt", 0)
        if "counter" in settings:
            attempt += _count(os.path.join(self.folder, settings["counter"]))
        return random.Random(f"{settings['seed']}/{attempt}").random()


def load_faults():
    """The faults of the file in BRINK_STANDIN_FAULTS, or none."""
    path = os.environ.get("BRINK_STANDIN_FAULTS", "")
    if not path:
        return Faults({})
    with open(path, encoding="utf-8") as file:
        return Faults(json.load(file), os.path.dirname(os.path.abspath(path)))


def _count(path):
    """How often this was asked before: each time leaves one byte in the file."""
    with open(path, "ab") as file:
        file.write(b".")
        file.flush()
        return file.tell() - 1


def _flood(settings):
    """A log of any size, hostile in every way."""
    left = int(settings.get("mebibytes", 1)) << 20
    line = int(settings.get("line_kibibytes", 64)) << 10
    chunk = (b"noise \x00 \x1b[31m \xff " * 4096)[:65536]
    written = 0
    while left > 0:
        sys.stdout.buffer.write(chunk)
        left -= len(chunk)
        written += len(chunk)
        if written >= line:
            sys.stdout.buffer.write(b"\n")
            written = 0
    log.write_bytes(b"\n")


def _take_memory(settings):
    """Takes memory and touches it, a piece at a time, and keeps it for a while."""
    taken = []
    for _ in range(int(settings.get("mebibytes", 1024)) // 16):
        taken.append(bytearray(b"x") * (16 << 20))
        time.sleep(settings.get("seconds_per_piece", 0))
    time.sleep(settings.get("seconds", 0))


def _crash(_):
    log.write(_CRASH + "\n")
    raise BackendAllocatorException("Compilation failed with unexpected crash")


def _raise_signal(settings):
    sys.stdout.flush()
    number = getattr(signal, settings.get("name", "SIGSEGV"))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _hang(settings):
    """Sleeps; may ignore TERM, and may leave a child in a session of its own that keeps the pipe open."""
    if settings.get("ignore_term"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if settings.get("escape") and os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
    ends = time.monotonic() + settings.get("seconds", 86400)
    while time.monotonic() < ends:
        time.sleep(min(60, max(0, ends - time.monotonic())))
