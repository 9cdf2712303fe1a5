"""The stand-in SDK and the driver, without brink's search: numbering, the fault as a mechanism, the faults on request. Models are
made by `brink synth` (BRINK names the binary)."""

import json
import os
import re
import signal
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

# An SDK whose network can be described before compile(), not after it.
FORGETFUL = """
class InvalidHNError(Exception):
    pass

class ClientRunner:
    compiled = False

    def __init__(self, har):
        pass

    def get_hn_dict(self):
        if self.compiled:
            raise InvalidHNError("output named x is not found")
        layer = {"type": "conv", "input": [], "output": [], "params": {}}
        return {"name": "net", "net_params": {"net_scopes": ["net"]}, "layers": {"net/conv1": layer}}

    def load_model_script(self, text):
        pass

    def compile(self):
        self.compiled = True
        return b"HEF"
"""


def marked(mark):
    """Processes whose environment holds `mark`."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if mark in file.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            pass
    return found


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

    def compile(self, layers, *options, faults=None, lines="", vocab=1024, timeout=60, announced=True):
        script = os.path.join(tempfile.mkdtemp(dir=self.folder), "script")
        with open(script, "w") as file:
            file.write(lines)
        hef, facts = script + ".hef", script + ".json"
        code, log = self.driver("compile", *options, "--facts", facts, self.optimised(layers, vocab), script, hef, faults=faults, timeout=timeout)
        if announced:
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

    def test_a_file_of_faults_that_is_not_there_is_no_evidence(self):
        code, log, hef, _ = self.compile(2, "--faults", "not/there.json", announced=False)
        self.assertEqual((code, hef), (127, False))
        self.assertIn(b"not/there.json: cannot be read", log)

    def test_a_crash_has_the_native_compiler_s_words(self):
        code, log, hef, _ = self.compile(2, faults={"crash": True})
        self.assertEqual((code, hef), (1, False))
        self.assertRegex(log, rb"racehorse\.cpp:1682: .* Assertion .* failed")
        self.assertIn(b"Compilation failed with unexpected crash", log)

    def test_a_signal_ends_it_without_a_word(self):
        code, log, hef, _ = self.compile(2, faults={"signal": {"name": "SIGKILL"}})
        self.assertEqual((code, hef), (-signal.SIGKILL, False))
        self.assertNotIn(b"Traceback", log)

    def test_a_flood_is_as_large_as_asked(self):
        code, log, hef, _ = self.compile(2, faults={"flood": {"mebibytes": 3}})
        self.assertEqual((code, hef), (0, True))
        self.assertGreater(len(log), 3 << 20)

    def test_faults_keep_to_their_layers(self):
        faults = {"crash": {"layers": [3, 4]}}
        self.assertEqual([self.compile(layers, faults=faults)[0] for layers in (2, 3, 4, 5)], [0, 1, 1, 0])

    def test_a_hang_may_ignore_term_and_leave_a_child_that_keeps_the_pipe(self):
        work = tempfile.mkdtemp(dir=self.folder)
        faults, script = os.path.join(work, "faults.json"), os.path.join(work, "script")
        with open(faults, "w") as file:
            json.dump({"hang": {"ignore_term": True, "escape": True, "seconds": 600}}, file)
        open(script, "w").close()
        environment = {**os.environ, "PYTHONPATH": os.path.join(TOOLCHAINS, "standin"), "BRINK_TEST": work}
        argv = [sys.executable, DRIVER, "compile", "--faults", faults, self.optimised(2, 1024), script, os.path.join(work, "hef")]
        process = subprocess.Popen(argv, cwd=work, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        mark = b"BRINK_TEST=" + os.fsencode(work)
        try:
            deadline = time.monotonic() + 30
            while len(marked(mark)) < 2 and time.monotonic() < deadline:
                time.sleep(0.05)
            escaped = [pid for pid in marked(mark) if pid != process.pid]
            self.assertEqual(len(escaped), 1)
            self.assertNotEqual(os.getsid(escaped[0]), os.getsid(process.pid))
            for pid in (process.pid, *escaped):
                os.kill(pid, signal.SIGTERM)
            time.sleep(0.3)
            self.assertIsNone(process.poll())
            self.assertEqual(set(marked(mark)), {process.pid, *escaped})
        finally:
            for pid in marked(mark):
                os.kill(pid, signal.SIGKILL)
            process.wait()

    def test_a_hef_outlives_a_network_that_cannot_be_described_afterwards(self):
        work = tempfile.mkdtemp(dir=self.folder)
        with open(os.path.join(work, "hailo_sdk_client.py"), "w") as file:
            file.write(FORGETFUL)
        script, hef, facts = (os.path.join(work, name) for name in ("script", "hef", "facts"))
        open(script, "w").close()
        argv = [sys.executable, DRIVER, "compile", "--facts", facts, "in.har", script, hef]
        done = subprocess.run(argv, cwd=work, env={**os.environ, "PYTHONPATH": work}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        with open(hef, "rb") as file:
            self.assertEqual(file.read(), b"HEF")
        with open(facts) as file:
            self.assertEqual(json.load(file)["groups"][0]["layers"], 1)
        self.assertNotIn(b"InvalidHNError", done.stdout, "a rule would take it for the compile's failure")


if __name__ == "__main__":
    unittest.main(verbosity=2)
