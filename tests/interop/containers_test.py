"""Real podman: a container is gone at every end, and the same campaign gives the same answer inside and outside. Needs the private
store of podman_up.sh (CONTAINERS_CONF); without it the tests say so and are skipped."""

import os
import signal
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "cli"))
from brink_case import BrinkCase  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))
IMAGE = "localhost/dfc-gfx906:5.3.0"


@unittest.skipUnless(os.environ.get("CONTAINERS_CONF"), "no private podman store: see podman_up.sh")
class Containers(BrinkCase):
    def containers(self):
        """Those of trials; the self-test of a runner has one of its own for a moment."""
        out = subprocess.run(["podman", "ps", "-aq", "--filter", "label=brink.trial"], stdout=subprocess.PIPE, check=True).stdout
        return out.split()

    def assertGone(self):
        deadline = time.monotonic() + 20
        while self.containers() and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(self.containers(), [])

    def test_threshold_in_a_container(self):
        answer = self.experiment("threshold", "n=1..40", "--container", IMAGE, "--holes", "off", "--", "sh", "-c", "test {n} -lt 17 || exit 3")["answer"]
        self.assertEqual((answer["last_good"], answer["first_bad"]), (16, 17))
        self.assertGone()

    def test_a_mount_and_the_environment_reach_it(self):
        self.script("in/try.sh", '[ "$1" -lt "$LIMIT" ]')
        answer = self.experiment("threshold", "n=1..20", "--container", IMAGE, "--holes", "off", "--env", "LIMIT=9",
                                 "--mount", self.path("in") + ":/in:ro", "--", "sh", "/in/try.sh", "{n}")["answer"]
        self.assertEqual(answer["first_bad"], 9)

    def test_a_timeout_removes_it(self):
        answer = self.experiment("threshold", "n=1..4", "--container", IMAGE, "--timeout", "1s", "--holes", "off", "--",
                                 "sh", "-c", "test {n} -lt 3 || sleep 60")["answer"]
        self.assertEqual((answer["first_bad"], answer["failure"]["class"]), (3, "timeout"))
        self.assertGone()

    def test_too_much_memory_is_told_from_other_deaths(self):
        hog = "head -c 300000000 /dev/zero | tail -c 290000000 > /dev/null; exit $?"
        probe = self.json("probe", "n=1", "--container", IMAGE, "--memory", "48MiB", "--", "sh", "-c", hog + " # {n}", code=1)
        self.assertEqual(probe["class"], "out-of-memory")
        self.assertGone()

    def test_exit_codes_of_the_command_are_its_own(self):
        for code, expected in ((0, 0), (3, 1), (125, 125)):
            self.assertEqual(self.brink("probe", f"n={code}", "--container", IMAGE, "--", "sh", "-c", "exit {n}")[0], expected)

    def test_faults_of_the_engine_are_infrastructure(self):
        for arguments in (["--container", "localhost/not-there:1"], ["--container", IMAGE, "--mount", "/not/there:/x"],
                          ["--container", IMAGE, "--engine", "docker"]):
            code, _, err = self.brink("threshold", "n=1..4", *arguments, "--", "true", "{n}")
            self.assertEqual(code, 4, err)
        self.assertEqual(self.brink("threshold", "n=1..4", "--container", IMAGE, "--", "not-there", "{n}")[0], 4)
        self.assertGone()

    def test_a_killed_runner_leaves_the_container_to_the_next_one(self):
        arguments = ("threshold", "n=1..4", "--container", IMAGE, "--holes", "off", "--", "sh", "-c", "sleep 3; test {n} -lt 3")
        process = self.start(*arguments)
        while not self.containers():
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assertEqual(len(self.containers()), 1)
        experiment = self.experiment(*arguments)
        self.assertEqual(experiment["answer"]["first_bad"], 3)
        self.assertEqual(sum(t["outcome"] == "lost" for t in self.trials()), 0)
        self.assertGone()

    def test_an_orphaned_container_is_removed_before_its_trial_is_repeated(self):
        arguments = ("threshold", "n=1..4", "--container", IMAGE, "--holes", "off", "--", "sh", "-c", "sleep 2; test {n} -lt 3")
        process = self.start(*arguments)
        while not self.containers():
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if self.folder.encode() + b"/.brink/trials" in file.read().split(b"podman")[0]:
                        os.kill(int(pid), signal.SIGKILL)
            except OSError:
                pass
        self.assertEqual(self.experiment(*arguments)["answer"]["first_bad"], 3)
        self.assertGone()

    def test_a_trial_cancelled_by_hand_removes_it(self):
        process = self.start("threshold", "n=1..4", "--container", IMAGE, "--", "sh", "-c", "sleep 60; true {n}")
        while not self.containers():
            time.sleep(0.05)
        self.ok("cancel", "1")
        process.communicate(timeout=60)
        self.assertGone()

    def test_finding_13_is_the_same_inside_and_outside(self):
        answers = []
        for name in ("threshold.toml", "threshold_container.toml"):
            report = self.json("run", os.path.join(ROOT, "experiments", "finding_13", name))
            self.assertTrue(report["stand_in"])
            answers.append(report["experiments"][0]["answer"])
        for key in ("kind", "last_good", "first_bad", "failure"):
            self.assertEqual(answers[0][key], answers[1][key])
        self.assertEqual(answers[0]["failure"]["cause"], "context-partition topology: 5 shared inputs, layers 0 and 1, 10 conflicts")
        self.assertGone()


if __name__ == "__main__":
    unittest.main(verbosity=2)
