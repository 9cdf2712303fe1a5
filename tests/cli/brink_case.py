"""What every test of the command line needs: a folder of its own, the binary, and its answers as values."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BRINK = os.path.abspath(os.environ.get("BRINK", "build/dev/brink"))


class BrinkCase(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = os.path.realpath(self._folder.name)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("BRINK")}
        self.environment["HOME"] = self.folder

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def script(self, name, text):
        return self.write(name, "#!/bin/sh\n" + text, 0o755)

    def counting(self, body, name="try.sh"):
        """A script that counts its executions beside itself before it does what `body` says."""
        return self.script(name, f'echo "$@" >> {self.path("count")}\n{body}\n')

    def executions(self):
        try:
            with open(self.path("count")) as file:
                return [line.strip() for line in file]
        except FileNotFoundError:
            return []

    def start(self, *arguments, cwd=None, env=None):
        return subprocess.Popen([BRINK, *arguments], cwd=cwd or self.folder, env={**self.environment, **(env or {})},
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def brink(self, *arguments, cwd=None, env=None, timeout=300):
        process = self.start(*arguments, cwd=cwd, env=env)
        out, err = process.communicate(timeout=timeout)
        return process.returncode, out, err

    def ok(self, *arguments, code=0, **more):
        got, out, err = self.brink(*arguments, **more)
        self.assertEqual(got, code, f"{arguments}\nstdout: {out}\nstderr: {err}")
        return out, err

    def json(self, *arguments, code=0, **more):
        dashes = arguments.index("--") if "--" in arguments else len(arguments)
        out, _ = self.ok(*arguments[:dashes], "--json", *arguments[dashes:], code=code, **more)
        return json.loads(out)

    def experiment(self, *arguments, **more):
        report = self.json(*arguments, **more)
        self.assertEqual(report["schema"], "brink.report/1")
        return report["experiments"][0]

    def trials(self, **more):
        return self.json("trials", **more)["trials"]

    def refused(self, *arguments, code=2, **more):
        """One clear line on stderr, nothing on stdout; the line is returned. With --json: a valid error object, too."""
        got, out, err = self.brink(*arguments, **more)
        self.assertEqual(got, code, f"{arguments}\nstdout: {out}\nstderr: {err}")
        self.assertEqual(out, "")
        self.assertEqual(err.count("\n"), 1, err)
        self.assertTrue(err.startswith("brink: "), err)
        return err.strip()


def main():
    if len(sys.argv) > 1 and os.path.isfile(sys.argv[1]):
        global BRINK
        BRINK = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
