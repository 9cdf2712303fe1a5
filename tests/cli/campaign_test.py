"""Campaign files, the queue, and the commands over them (contract, sections 2, 4 and 6)."""

import json
import os
import signal
import time
import unittest

from brink_case import BrinkCase

CAMPAIGN = """[campaign]
name = "NAME"
target = "any"

[toolchain]
name = "toy"

[[stage]]
name = "compile"
argv = ["sh", "{toolchain}/try.sh", "{n}"]

[[experiment]]
name = "depth"
kind = "threshold"
axis = { n = "1..RANGE" }
"""


def campaign(name="toy", upper=60):
    return CAMPAIGN.replace("NAME", name).replace("RANGE", str(upper))


class Campaigns(BrinkCase):
    def setUp(self):
        super().setUp()
        self.counting('[ "$1" -lt 17 ]')
        self.write("toy.toml", campaign())

    def test_run_submits_works_and_reports(self):
        out, _ = self.ok("run", "toy.toml")
        self.assertIn("17", out.splitlines()[0])
        report = self.json("report", "toy")
        self.assertEqual(report["campaign"], {"name": "toy", "revision": 1, "state": "complete"})
        self.assertEqual(report["experiments"][0]["answer"]["first_bad"], 17)

    def test_submit_queues_and_run_works_the_queue(self):
        self.ok("submit", "toy.toml")
        self.assertEqual(self.executions(), [])
        self.assertIn("no runner", self.ok("status")[0])
        self.ok("run")
        self.assertEqual(self.json("report", "toy")["experiments"][0]["answer"]["first_bad"], 17)

    def test_an_edited_campaign_is_the_next_revision_and_shares_verdicts(self):
        self.ok("run", "toy.toml")
        count = len(self.executions())
        self.write("toy.toml", campaign(upper=80))
        self.ok("run", "toy.toml")
        report = self.json("report", "toy")
        self.assertEqual(report["campaign"]["revision"], 2)
        self.assertGreater(report["experiments"][0]["reused"], 0)
        self.assertLess(len(self.executions()) - count, count)
        self.assertEqual(self.json("report", "toy", "--revision", "1")["campaign"]["revision"], 1)

    def test_a_comment_is_no_revision(self):
        self.ok("run", "toy.toml")
        self.write("toy.toml", "# a comment\n" + campaign())
        self.ok("run", "toy.toml")
        self.assertEqual(self.json("report", "toy")["campaign"]["revision"], 1)

    def test_two_campaigns_that_want_the_same_config_share_one_trial(self):
        self.counting('sleep 0.2; [ "$1" -lt 17 ]')
        self.write("a.toml", campaign("a").replace("[campaign]", "[campaign]\nslots = 2"))
        self.write("b.toml", campaign("b").replace("[campaign]", "[campaign]\nslots = 2"))
        self.ok("submit", "a.toml")
        self.ok("submit", "b.toml")
        self.ok("run")
        for name in ("a", "b"):
            self.assertEqual(self.json("report", name)["experiments"][0]["answer"]["first_bad"], 17)
        # What a search cancelled because its answer was implied is no evidence, so the other may want it again.
        ended = [t["config"]["n"] for t in self.trials() if t["outcome"] == "exited"]
        self.assertLessEqual({n for n in ended if ended.count(n) > 1}, {16, 17}, ended)

    def test_pause_resume_cancel(self):
        self.ok("submit", "toy.toml")
        self.ok("pause", "toy")
        self.ok("run")
        self.assertEqual(self.executions(), [])
        self.ok("resume", "toy")
        self.ok("cancel", "toy")
        self.ok("run")
        self.assertEqual(self.executions(), [])
        self.assertEqual(self.json("report", "toy")["experiments"][0]["state"], "cancelled")
        self.ok("run", "toy.toml")
        self.assertEqual(self.json("report", "toy")["experiments"][0]["state"], "answered")

    def test_plan_says_what_is_known_and_what_differs(self):
        out, _ = self.ok("plan", "toy.toml")
        self.assertIn("not tried", out)
        self.assertIn("try.sh", out)
        self.assertFalse(os.path.exists(self.path(".brink")), "a plan makes no store")
        self.ok("run", "toy.toml")
        plan = self.json("plan", "toy.toml")
        known = {c["config"]["n"]: c for c in plan["experiments"][0]["configs"]}
        self.assertEqual(known[17]["verdict"], "bad")
        self.assertEqual(known[16]["verdict"], "good")
        self.counting('[ "$1" -lt 18 ]')
        plan = self.json("plan", "toy.toml")
        known = {c["config"]["n"]: c for c in plan["experiments"][0]["configs"]}
        self.assertIsNone(known[17]["trial"])
        self.assertTrue(any("try.sh" in part and "changed" in part for part in known[17]["differs"]), known[17])

    def test_rerun_says_whether_the_failure_is_the_same(self):
        self.counting('[ "$1" -lt 17 ] || { echo "error: $1 is too deep"; exit 1; }')
        self.ok("run", "toy.toml")
        bad = next(t for t in self.trials() if t["config"]["n"] == 17)
        good = next(t for t in self.trials() if t["config"]["n"] == 16)
        self.ok("rerun", str(bad["id"]))
        self.ok("rerun", str(bad["id"]), "--set", "n=40")
        out, _ = self.ok("rerun", str(bad["id"]), "--set", "n=3", code=6)
        self.assertIn("passes", out)
        self.ok("rerun", str(good["id"]))
        self.counting('echo "error: something else entirely"; exit 1')
        answer = self.json("rerun", str(bad["id"]), code=6)
        self.assertFalse(answer["same"])
        self.assertTrue(answer["differences"])
        self.refused("rerun", str(bad["id"]), "--set", "m=1")
        self.refused("rerun", "99999")

    def test_show_trials_logs(self):
        self.counting('printf "one\\033[31mtwo\\n"; [ "$1" -lt 17 ]')
        self.ok("run", "toy.toml")
        trial = self.trials()[0]
        self.assertLessEqual({"id", "campaign", "experiment", "config", "key", "state", "outcome", "class", "signature", "verdict",
                              "early", "started", "wall_s", "peak_memory_bytes", "log"}, set(trial))
        self.assertIn("try.sh", self.ok("show", str(trial["id"]))[0])
        self.assertEqual(self.json("show", str(trial["id"]))["trial"]["id"], trial["id"])
        self.assertIn("two", self.ok("logs", str(trial["id"]))[0])
        self.assertIn("two", self.ok("logs", "-f", str(trial["id"]))[0])
        self.refused("show", "99999")
        self.refused("logs", "99999")

    def test_ctrl_c_leaves_the_compile_and_the_next_runner_adopts_it(self):
        self.counting('sleep 1.5; [ "$1" -lt 17 ]')
        process = self.start("run", "toy.toml")
        while not self.executions():
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertIn("goes on; `brink run` adopts it, `brink cancel 1` stops it", err)
        first = self.executions()[0]
        self.counting('sleep 1.5; [ "$1" -lt 17 ]')
        self.ok("run", "toy.toml", timeout=600)
        self.assertEqual(self.executions().count(first), 1 if first not in ("16", "17") else self.executions().count(first))

    def test_a_second_signal_stops_what_runs_without_evidence(self):
        self.counting("sleep 60")
        process = self.start("run", "toy.toml")
        while not self.executions():
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 143)
        self.assertEqual([(t["state"], t["outcome"], t["verdict"]) for t in self.trials()], [("ended", "cancelled", None)])

    def test_a_trial_cancelled_by_hand_blocks_and_is_no_evidence(self):
        self.counting("sleep 60")
        process = self.start("run", "toy.toml", "--json")
        while not self.executions():
            time.sleep(0.02)
        self.ok("cancel", "1")
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4)
        self.assertEqual(json.loads(out)["experiments"][0]["answer"]["kind"], "none")

    def test_two_runners_the_second_names_the_first(self):
        self.counting("sleep 2")
        process = self.start("run", "toy.toml")
        while not self.executions():
            time.sleep(0.02)
        line = self.refused("run", "toy.toml", code=5)
        self.assertIn(str(process.pid), line)
        self.assertIn("brink submit", line)
        self.assertIn("--store", line)
        self.ok("status")
        self.ok("trials")
        self.ok("submit", "toy.toml")
        process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)

    def test_stages_are_cached_by_their_keys(self):
        self.write("stages.toml", """[campaign]
name = "stages"
[toolchain]
name = "two"
[parameters]
level = { type = "integer", default = 0 }
[[stage]]
name = "parse"
argv = ["sh", "{toolchain}/parse.sh", "{n}", "{out.tree}"]
outputs = { tree = "tree" }
[[stage]]
name = "compile"
argv = ["sh", "{toolchain}/compile.sh", "{in.tree}", "{level}"]
inputs = { tree = "tree" }
depends = ["level"]
[[experiment]]
name = "levels"
kind = "sweep"
axis = { level = "0..3", n = [5] }
""")
        self.counting('echo tree > "$2"', "parse.sh")
        self.script("compile.sh", '[ "$(cat "$1")" = tree ] && [ "$2" -lt 3 ]')
        report = self.json("run", "stages.toml")
        self.assertEqual([p["verdict"] for p in report["experiments"][0]["answer"]["points"]], ["good", "good", "good", "bad"])
        self.assertEqual(len(self.executions()), 1, "the parse stage ran once for four configs")

    def test_an_output_that_is_missing_after_success_is_a_failure(self):
        self.write("out.toml", campaign("out").replace('argv = ["sh"', 'outputs = { hef = "model.hef" }\nargv = ["sh"')
                   .replace('"{n}"]', '"{n}", "{out.hef}"]'))
        self.script("try.sh", '[ "$1" -ge 17 ] || echo x > "$2"')
        answer = self.json("run", "out.toml")["experiments"][0]["answer"]
        self.assertEqual((answer["first_bad"], answer["failure"]["class"]), (17, "no-output"))

    def test_bad_files_get_file_and_line(self):
        table = [
            (campaign().replace("kind =", "knd ="), "toy.toml:", "kind"),
            (campaign().replace("1..60", "60..1"), "toy.toml:15", "first 60 is greater than last 1"),
            (campaign().replace("{ n =", "{ m ="), "toy.toml:", "n"),
            (campaign().replace('target = "any"', "target = 5"), "toy.toml:3", "target"),
            (campaign().replace('"threshold"', '"treshold"'), "toy.toml:", "threshold"),
            (campaign() + "][", "toy.toml:", ""),
            (campaign().replace("argv", "args"), "toy.toml:", "argv"),
        ]
        for text, where, what in table:
            with self.subTest(what):
                self.write("toy.toml", text)
                code, out, err = self.brink("run", "toy.toml")
                self.assertEqual((code, out), (2, ""), err)
                self.assertIn(where, err)
                self.assertIn(what, err)
        self.assertFalse(os.path.exists(self.path(".brink")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
