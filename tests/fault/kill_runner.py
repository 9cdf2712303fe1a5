"""kill_runner.py BRINK [KILLS]: kills the runner with -9 at random instants, over and over, until the answer is there. The
answer must be that of an uninterrupted runner, no compile may run twice or be lost, and no process may be left."""

import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

BRINK = os.path.abspath(sys.argv[1])
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 100

SLOW = """#!/bin/sh
echo "start $1" >> "$2"
sleep 0.15
echo "end $1" >> "$2"
[ "$1" -lt 137 ] || { echo "error: depth $1 is too deep" >&2; exit 1; }
"""

CAMPAIGN = """[campaign]
name = "killed"
target = "any"
slots = 2

[toolchain]
name = "slow"

[[stage]]
name = "compile"
argv = ["sh", "SCRIPT", "{n}", "COUNT"]

[[experiment]]
name = "depth"
kind = "threshold"
axis = { n = "1..400" }
holes = 0.05
"""


STANDIN = """[campaign]
name = "standin"
toolchain = "dfc_standin"
target = { class = "topology", group = "tbt" }
slots = 2

[model]
family = "qwen2"
hidden = 112
heads = 14
nrep = 7
head_dim = 8
intermediate = 448
vocab = 1024
seed = 13

[options]
capacity = 128
faults = "FAULTS"

[[experiment]]
name = "depth"
kind = "threshold"
axis = { layers = "1..24" }
holes = 0.2
"""


def brink(*arguments):
    done = subprocess.run([BRINK, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=600)
    return done.returncode, done.stdout


def left_over(store):
    """Processes that still carry a trial's mark, or are supervisors of this store."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                command = file.read()
        except OSError:
            continue
        if store.encode() in command:
            found.append((pid, command.replace(b"\0", b" ")))
    return found


def kill_over_and_over(argv, rng):
    kills = 0
    while kills < KILLS:
        runner = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        try:
            # Short waits hit the instants of starting; longer ones those of recording.
            runner.wait(timeout=rng.choice([rng.uniform(0, 0.03), rng.uniform(0, 0.3)]))
            return kills
        except subprocess.TimeoutExpired:
            runner.send_signal(signal.SIGKILL)
            runner.wait()
            kills += 1
    return kills


def ended(trials, outcome):
    """How many trials of each config ended so."""
    counts = collections.Counter()
    for trial in trials:
        if trial["outcome"] == outcome:
            counts[json.dumps(trial["config"], sort_keys=True)] += 1
    return counts


def miscounted(runs, cancelled, count):
    """What the compiler itself counted must be what the store says. A trial that its search cancelled, because its answer had
    become implied, may have started and may have ended."""
    lines, problems = collections.Counter(), []
    with open(count) as file:
        for line in file:
            lines[line.strip()] += 1
    for config, executions in runs.items():
        n = json.loads(config)["n"]
        if any(not executions <= lines[f"{word} {n}"] <= executions + cancelled[config] for word in ("start", "end")):
            problems.append(f"n={n}: {lines[f'start {n}']} starts, {lines[f'end {n}']} ends, {executions} trials")
    return problems


def check(name, folder, make_argv, rng):
    store, count = os.path.join(folder, "store"), os.path.join(folder, "count")
    argv, axis, sides = make_argv(folder, store, count)
    kills = kill_over_and_over(argv, rng)
    code, out = brink(*argv[1:])
    report = json.loads(out)["experiments"][0]
    answer = report["answer"]
    problems = []
    if code != 0 or (answer["kind"], answer["last_good"], answer["first_bad"]) != ("threshold", *sides):
        problems.append(f"exit {code}, answer {answer}")
    trials = json.loads(brink("trials", "--store", store, "--json")[1])["trials"]
    if any(trial["state"] != "ended" for trial in trials):
        problems.append("a trial is not ended")
    runs = ended(trials, "exited")
    if os.path.exists(count):
        problems += miscounted(runs, ended(trials, "cancelled"), count)
    again = {n: executions for n, executions in ((json.loads(c)[axis], e) for c, e in runs.items()) if executions > 1}
    if any(n not in sides for n in again):
        problems.append(f"executed more than once though nobody needed it: {again}")
    if left := left_over(folder):
        problems.append(f"left over: {left}")
    lost = sum(trial["outcome"] == "lost" for trial in trials)
    print(f"{name}: {kills} kills, {len(trials)} trials ({lost} lost before they started), confirmations {again}", flush=True)
    for problem in problems:
        print(f"{name}: {problem}")
    return not problems


def one_liner(folder, store, count):
    script = os.path.join(folder, "slow.sh")
    return [BRINK, "threshold", "n=1..400", "--holes", ".05", "-j", "2", "--store", store, "--json", "--", "sh", script, "{n}", count], "n", (136, 137)


def campaign(folder, store, count):
    script = os.path.join(folder, "slow.sh")
    file = os.path.join(folder, "killed.toml")
    with open(file, "w") as out:
        out.write(CAMPAIGN.replace("SCRIPT", script).replace("COUNT", count))
    return [BRINK, "run", file, "--store", store, "--json"], "n", (136, 137)


def standin(folder, store, count):
    """The stand-in, slowed down by a file of faults; what it counts is what its report says."""
    file, faults = os.path.join(folder, "standin.toml"), os.path.join(folder, "faults.json")
    with open(faults, "w") as out:
        json.dump({"seconds_per_layer": 0.02}, out)
    with open(file, "w") as out:
        out.write(STANDIN.replace("FAULTS", faults))
    return [BRINK, "run", file, "--store", store, "--json"], "layers", (10, 11)


def main():
    seed = int(os.environ.get("BRINK_SEED", time.time_ns() % 1_000_000))
    print(f"seed {seed} (BRINK_SEED repeats it)", flush=True)
    rng, right = random.Random(seed), True
    for name, make_argv in (("one-liner", one_liner), ("campaign", campaign), ("stand-in", standin)):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "slow.sh"), "w") as out:
                out.write(SLOW)
            right = check(name, folder, make_argv, rng) and right
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
