"""The stand-in SDK and the driver, without brink's search: numbering, the fault as a mechanism, the faults on request. Models are
made by `brink synth` (BRINK names the binary)."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLCHAINS = os.path.join(ROOT, "experiments", "toolchains")
DRIVER = os.path.join(TOOLCHAINS, "driver.py")
BRINK = os.path.abspath(os.environ.get("BRINK", "build/dev/brink"))
SHAPE = ["family=qwen2", "hidden=112", "heads=14", "nrep=7", "head_dim=8", "intermediate=448", "prefill=8", "cache=12", "seed=1"]


class Standin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._folder.cleanup)
        cls.folder, cls.hars = cls._folder.name, {}

    def driver(self, *arguments, faults=None, timeout=60):
        environment = {**os.environ, "PYTHONPATH": os.path.join(TOOLCHAINS, "standin"), "PYTHONDONTWRITEBYTECODE": "1"}
        work = tempfile.mkdtemp(dir=self.folder)
        if faults is not None:
            path = os.path.join(work, "faults.json")
            with open(path, "w") as file:
                json.dump(faults, file)
            arguments = [*arguments, "--faults", path]
        done = subprocess.run([sys.executable, DRIVER, *arguments], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
        return done.returncode, done.stdout

    def optimised(self, layers, vocab):
        """The quantised HAR of a model of so many layers, made once."""
        key = (layers, vocab)
        if key not in self.hars:
            model = os.path.join(tempfile.mkdtemp(dir=self.folder), "m")
            subprocess.run([BRINK, "synth", model, *SHAPE, f"layers={layers}", f"vocab={vocab}", "--onnx", "--style", "dfc"], check=True)
            parsed, har = model + ".p.har", model + ".o.har"
            for stage in (["parse", os.path.join(model, "onnx"), parsed], ["optimise", parsed, har]):
                code, log = self.driver(*stage)
                self.assertEqual(code, 0, log)
                self.assertIn(b"stand-in", log.splitlines()[0])
            self.hars[key] = har
        return self.hars[key]

    def compile(self, layers, *options, faults=None, lines="", vocab=1024, timeout=60):
        script = os.path.join(tempfile.mkdtemp(dir=self.folder), "script")
        with open(script, "w") as file:
            file.write(lines)
        hef, facts = script + ".hef", script + ".json"
        code, log = self.driver("compile", *options, "--facts", facts, self.optimised(layers, vocab), script, hef, faults=faults, timeout=timeout)
        self.assertIn(b"stand-in", log.splitlines()[0])
        hn = None
        if os.path.exists(facts):
            with open(facts) as file:
                hn = json.load(file)
        return code, log.replace(b"\n", b" "), os.path.exists(hef), hn

    def test_five_additions_and_five_multiplications_a_layer(self):
        for layers in (1, 3):
            _, _, _, hn = self.compile(layers, "--capacity", "4096")
            for group in hn["groups"]:
                self.assertEqual(group["types"]["ew_add"], 5 * layers)
                self.assertEqual(group["types"]["ew_mult"], 5 * layers)
                self.assertEqual(sorted(group["inputs"])[:6], [f"input_layer{n}" for n in range(1, 7)])
                for shared in ("input_layer2", "input_layer3", "input_layer4", "input_layer5", "input_layer6"):
                    self.assertEqual(group["inputs"][shared], layers, "every layer reads every shared input once")

    def test_one_bucket_compiles_and_two_conflict(self):
        code, _, hef, hn = self.compile(4, "--capacity", "4096")
        self.assertEqual((code, hef), (0, True))
        self.assertEqual(len({b for n, b in hn["buckets"].items() if "__tbt/" in n}), 1)
        code, log, hef, hn = self.compile(12, "--capacity", "64")
        self.assertEqual((code, hef), (1, False))
        self.assertIn(b"Context-Partition topology error", log)

    def test_ten_pairs_of_the_first_two_layers_five_apart(self):
        _, log, _, _ = self.compile(12, "--capacity", "64")
        first = log[log.index(b"topology error"):log.index(b"Traceback")]
        pairs = re.findall(rb"(\w+__tbt)/(input_layer\d) \(bucket_(\d)\) is in later context than its successor \w+__tbt/(ew_\w+?)(\d+) \(bucket_(\d)\)", first)
        self.assertEqual(len(pairs), 10)
        for _, node, later, op, number, earlier in pairs:
            self.assertGreater(int(later), int(earlier))
            self.assertEqual(op, b"ew_add" if node == b"input_layer2" else b"ew_mult")
        for node, start in ((b"input_layer2", 3), (b"input_layer4", 1), (b"input_layer3", 2), (b"input_layer6", 3), (b"input_layer5", 4)):
            self.assertEqual([int(n) for _, i, _, _, n, _ in pairs if i == node], [start, start + 5])

    def test_prefill_of_the_same_model_compiles(self):
        _, log, _, _ = self.compile(12, "--capacity", "64")
        self.assertRegex(log, rb"net__prefill Successful Partition and Allocation")
        self.assertNotRegex(log, rb"net__tbt Successful Partition")

    def test_the_depth_of_the_first_failure_follows_the_capacity(self):
        def first_bad(capacity):
            for layers in range(1, 13):
                if self.compile(layers, "--capacity", str(capacity))[0] != 0:
                    return layers
            return None

        found = [first_bad(capacity) for capacity in (48, 64, 96)]
        self.assertEqual(found, sorted(found))
        self.assertEqual(len(set(found)), 3)

    def test_the_vocabulary_wall_comes_first_and_masks_the_topology_error(self):
        code, log, _, _ = self.compile(12, "--capacity", "64", vocab=151936)
        self.assertEqual(code, 1)
        self.assertIn(b"required too many SCs", log)
        self.assertNotIn(b"topology", log)
        code, log, _, _ = self.compile(12, "--capacity", "64", "--defuse", "24", vocab=151936)
        self.assertIn(b"topology error", log)
        for parts, words in ((10, b"required too many SCs"), (48, b"Memory units capacity exceeded")):
            self.assertIn(words, self.compile(2, "--defuse", str(parts), vocab=151936)[1])

    def test_script_levers_are_heeded_and_bad_lines_refused(self):
        code, log, _, _ = self.compile(12, "--capacity", "64", lines="allocator_param(input_layer_max_successors=1)\n")
        self.assertEqual(code, 0, log)
        self.assertIn(b"ParserException", self.compile(2, lines="no_such_command(x)\n")[1])

    def test_exit_0_without_a_hef(self):
        code, _, hef, _ = self.compile(2, faults={"no_hef": True})
        self.assertEqual((code, hef), (0, False))

    def test_a_hole_passes_in_its_window_only(self):
        faults = {"hole": {"layers": [10, 11]}}
        codes = {layers: self.compile(layers, "--capacity", "64", faults=faults)[0] for layers in (9, 10, 11, 12)}
        self.assertEqual(codes, {9: 1, 10: 0, 11: 0, 12: 1})

    def test_a_flake_passes_at_times_and_is_seeded(self):
        codes = [self.compile(12, "--capacity", "64", faults={"flake": {"pass": 0.5, "seed": 3, "attempt": n}})[0] for n in range(12)]
        again = [self.compile(12, "--capacity", "64", faults={"flake": {"pass": 0.5, "seed": 3, "attempt": n}})[0] for n in range(12)]
        self.assertEqual(codes, again)
        self.assertEqual(set(codes), {0, 1})

    def test_a_hang_hangs(self):
        start = time.monotonic()
        with self.assertRaises(subprocess.TimeoutExpired):
            self.compile(2, faults={"hang": {"seconds": 30}}, timeout=3)
        self.assertLess(time.monotonic() - start, 20)

    def test_an_unknown_fault_is_refused(self):
        self.assertNotEqual(self.compile(2, faults={"hnag": True})[0], 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
