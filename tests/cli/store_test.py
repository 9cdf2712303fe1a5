"""The store from outside (contract, section 5), and disks and files that misbehave."""

import os
import shutil
import sqlite3
import stat
import subprocess
import time
import unittest

from brink_case import BrinkCase

ROOT = os.geteuid() == 0


class Stores(BrinkCase):
    def setUp(self):
        super().setUp()
        self.counting('[ "$1" -lt 17 ]')

    def threshold(self, *options, **more):
        return self.experiment("threshold", "n=1..60", *options, "--", "./try.sh", "{n}", **more)

    def test_is_private_and_ignored_by_git(self):
        self.threshold()
        self.assertEqual(stat.S_IMODE(os.stat(self.path(".brink")).st_mode), 0o700)
        with open(self.path(".brink", ".gitignore")) as file:
            self.assertEqual(file.read().strip(), "*")
        for name in ("results.sqlite", "lock", "trials", "artifacts", "toolchains"):
            self.assertTrue(os.path.exists(self.path(".brink", name)), name)

    def test_public_views(self):
        self.threshold()
        database = sqlite3.connect(self.path(".brink", "results.sqlite"))
        rows = database.execute("select first_bad, last_good, kind, state from thresholds").fetchall()
        self.assertEqual([tuple(map(str, row)) for row in rows], [("17", "16", "threshold", "answered")])
        self.assertEqual(database.execute("select count(*) from trials where state = 'ended'").fetchone()[0], len(self.executions()))
        self.assertEqual(database.execute("select count(*) from topology_conflicts").fetchone()[0], 0)

    def test_option_beats_environment_beats_the_nearest_folder(self):
        os.makedirs(self.path("deep", "er"))
        self.threshold()
        self.ok("trials", cwd=self.path("deep", "er"))
        self.threshold(env={"BRINK_STORE": self.path("other")})
        self.assertTrue(os.path.exists(self.path("other", "results.sqlite")))
        self.threshold("--store", self.path("third"), env={"BRINK_STORE": self.path("other")})
        self.assertTrue(os.path.exists(self.path("third", "results.sqlite")))

    def test_readers_need_a_store_and_make_none(self):
        for command in ("trials", "status", "report"):
            code, out, err = self.brink(command)
            self.assertIn(code, (2, 4))
            self.assertEqual((out, err.count("\n")), ("", 1))
        self.assertFalse(os.path.exists(self.path(".brink")))

    def test_a_copy_made_while_it_runs_opens_with_its_running_trials_lost(self):
        self.counting('sleep 0.4; [ "$1" -lt 17 ]')
        process = self.start("threshold", "n=1..60", "--", "./try.sh", "{n}")
        while len(self.executions()) < 2:
            time.sleep(0.02)
        shutil.copytree(self.path(".brink"), self.path("copy"))
        process.communicate(timeout=120)
        answer = self.threshold("--store", self.path("copy"))["answer"]
        self.assertEqual(answer["first_bad"], 17)
        outcomes = [t["outcome"] for t in self.trials(env={"BRINK_STORE": self.path("copy")})]
        self.assertIn("lost", outcomes)

    def test_artifacts_may_be_deleted(self):
        self.threshold()
        shutil.rmtree(self.path(".brink", "artifacts"))
        self.assertEqual(self.threshold()["answer"]["first_bad"], 17)

    def test_what_is_not_a_store_is_refused(self):
        self.threshold()
        with open(self.path(".brink", "results.sqlite"), "wb") as file:
            file.write(b"not a database at all" * 100)
        self.refused("trials", code=4)
        self.refused("threshold", "n=1..60", "--", "./try.sh", "{n}", code=4)
        self.write("file", "")
        self.refused("threshold", "n=1..60", "--store", self.path("file"), "--", "./try.sh", "{n}", code=4)

    def test_a_newer_store_is_refused(self):
        self.threshold()
        database = sqlite3.connect(self.path(".brink", "results.sqlite"))
        database.execute("pragma user_version = 999")
        database.commit()
        database.close()
        self.assertIn("newer", self.refused("trials", code=4))

    @unittest.skipUnless(ROOT, "needs root to give a folder away")
    def test_a_store_of_somebody_else_is_refused(self):
        os.mkdir(self.path(".brink"))
        os.chown(self.path(".brink"), 12345, 12345)
        self.refused("threshold", "n=1..60", "--", "./try.sh", "{n}", code=4)

    @unittest.skipUnless(ROOT, "needs root to mount")
    def test_a_full_disk_is_infrastructure_and_loses_nothing(self):
        store = self.path("small")
        os.mkdir(store)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", store]).returncode != 0:
            self.skipTest("no tmpfs can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", store])
        code, out, err = self.brink("threshold", "n=1..6000", "--holes", ".01", "--store", os.path.join(store, "s"), "--", "./try.sh", "{n}")
        self.assertEqual(code, 4, out + err)
        subprocess.run(["mount", "-o", "remount,size=64m", store], check=True)
        answer = self.experiment("threshold", "n=1..6000", "--store", os.path.join(store, "s"), "--", "./try.sh", "{n}")["answer"]
        self.assertEqual(answer["first_bad"], 17)

    @unittest.skipUnless(ROOT, "needs root to mount")
    def test_a_read_only_store_can_be_read_and_not_written(self):
        self.threshold()
        store = self.path(".brink")
        if subprocess.run(["mount", "--bind", store, store]).returncode != 0:
            self.skipTest("nothing can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", store])
        subprocess.run(["mount", "-o", "remount,ro,bind", store], check=True)
        self.refused("threshold", "n=1..60", "--", "./try.sh", "{n}", code=4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
