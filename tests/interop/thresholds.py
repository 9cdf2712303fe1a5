"""thresholds.py BRINK: real compilers with known limits, each asked by a one-liner. Prints a table (answer, truth, trials,
seconds) and fails when an answer is wrong, or wrong without a warning. Truths are checked against the compilers themselves."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "cases.sh")


def threshold(last_good, first_bad):
    def check(answer, experiment):
        if answer["kind"] != "threshold" or experiment["state"] != "answered":
            return False
        return (answer["last_good"], answer["first_bad"]) == (last_good, first_bad)

    return check


def border(last_good, first_bad, other_from):
    """A threshold whose failure is another one further up: the border between the two must be found and warned of."""
    plain = threshold(last_good, first_bad)

    def check(answer, experiment):
        froms = [interval["from"] for interval in answer["intervals"] if interval["verdict"] == "bad"]
        return plain(answer, experiment) and other_from in froms and bool(experiment["warnings"])

    return check


def kind(*names):
    return lambda answer, experiment: answer["kind"] in names


def powers_of_two(answer, experiment):
    """Not monotone: intervals, or inconclusive; a plain threshold only with the hole share that it excludes."""
    if answer["kind"] == "threshold" and experiment["state"] == "answered":
        return answer["first_bad"] == 3 and experiment["holes"]["excluded_share"] is not None
    return answer["kind"] == "intervals" or experiment["state"] == "inconclusive"


def only_other(last_good, first_bad):
    def check(answer, experiment):
        return answer["kind"] == "only_other_failures" and (answer["last_good"], answer["first_bad"]) == (last_good, first_bad)

    return check


# case, axis, further options, truth in words, check, (last accepted, first refused) verified directly
CASES = [
    ("gxx-template", "n=1..2000", [], "threshold 901", threshold(900, 901), (900, 901)),
    ("gxx-template", "n=1..", [], "threshold 901, open", threshold(900, 901), None),
    ("gxx-budget", "n=10..1000:down", [], "largest that fails 149", threshold(150, 149), (150, 149)),
    ("gxx-constexpr", "n=1..5000", ["-j", "2"], "threshold 512", threshold(511, 512), (511, 512)),
    ("clang-bracket", "n=1..1000", [], "threshold 257", threshold(256, 257), (256, 257)),
    ("clang-constexpr", "n=1..100000", [], "threshold 512", threshold(511, 512), (511, 512)),
    ("python-parens", "n=1..10000", [], "threshold 201", threshold(200, 201), (200, 201)),
    ("python-indent", "n=1..400", [], "threshold 21, another failure from 100", border(20, 21, 100), (20, 21)),
    ("python-indent", "n=1..400", ["--target", "too many levels"], "only others from 21 to 99", only_other(20, 100), None),
    ("gcc-alignas", "n=1..1000", [], "good at powers of two only", powers_of_two, (4, 3)),
    ("gcc-variables", "n=1..300", [], "nothing fails", kind("nothing_fails"), (300, None)),
    ("gcc-nonsense", "n=1..300", [], "everything fails", kind("everything_fails"), (None, 1)),
]


def accepted(case, n):
    return subprocess.run(["bash", SCRIPT, case, str(n)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def ask(brink, store, case, axis, options):
    program = shutil.which("bash")
    argv = [brink, "threshold", axis, "--store", store, "--json", *options, "--", program, SCRIPT, case, "{n}"]
    start = time.monotonic()
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=900)
    try:
        experiment = json.loads(done.stdout)["experiments"][0]
    except (ValueError, KeyError, IndexError):
        sys.exit(f"thresholds: {' '.join(argv)} printed no report (exit {done.returncode}): {done.stderr.decode(errors='replace')}")
    return experiment, time.monotonic() - start


def main():
    brink = os.path.abspath(sys.argv[1])
    wrong = 0
    print(f"{'case':16} {'axis':18} {'answer':46} {'truth':40} {'trials':>6} {'seconds':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for number, (case, axis, options, truth, check, sides) in enumerate(CASES):
            for value, expected in zip(sides or (), (True, False)):
                if value is not None and accepted(case, value) != expected:
                    sys.exit(f"thresholds: {case} {value}: this machine's compiler does not do what the table says")
            experiment, seconds = ask(brink, os.path.join(folder, str(number)), case, axis, options)
            answer = experiment["answer"]
            text = f"{answer['kind']} {answer['last_good']} / {answer['first_bad']} ({experiment['state']})"
            right = check(answer, experiment)
            wrong += not right
            mark = "" if right else "  WRONG: " + "; ".join(experiment["warnings"])
            print(f"{case:16} {axis:18} {text:46} {truth:40} {experiment['trials']:6} {seconds:8.1f}{mark}", flush=True)
    if wrong:
        sys.exit(f"thresholds: {wrong} of {len(CASES)} answers are wrong")


if __name__ == "__main__":
    main()
