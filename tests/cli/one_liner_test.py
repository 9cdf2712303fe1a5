"""The one-liners of the contract, section 1."""

import json
import os
import time
import unittest

from brink_case import BrinkCase

FAILS_FROM_37 = 'if [ "$1" -ge 37 ]; then echo "error: $1 is too deep" >&2; exit 1; fi'


class Threshold(BrinkCase):
    def test_finds_and_confirms_the_threshold(self):
        self.counting(FAILS_FROM_37)
        experiment = self.experiment("threshold", "n=1..100", "--", "./try.sh", "{n}")
        answer = experiment["answer"]
        self.assertEqual((answer["kind"], answer["last_good"], answer["first_bad"]), ("threshold", 36, 37))
        self.assertEqual(experiment["state"], "answered")
        self.assertGreaterEqual(answer["confidence"], 0.95)
        self.assertEqual(answer["axis"], "n")
        self.assertEqual([i["verdict"] for i in answer["intervals"]], ["good", "bad"])
        self.assertGreaterEqual(experiment["holes"]["tried"], 2)
        self.assertEqual(experiment["trials"], len(self.executions()))
        for side in ("36", "37"):
            self.assertGreaterEqual(self.executions().count(side), 2, "both sides are confirmed")

    def test_answers_in_three_lines_on_stdout(self):
        self.script("try.sh", FAILS_FROM_37)
        out, err = self.ok("threshold", "n=1..100", "--", "./try.sh", "{n}")
        self.assertEqual(len(out.splitlines()), 3, out)
        self.assertIn("37", out.splitlines()[0])
        self.assertIn("36", out.splitlines()[0])
        self.assertIn("too deep", out)

    def test_the_second_time_nothing_runs(self):
        self.counting(FAILS_FROM_37)
        first = self.experiment("threshold", "n=1..100", "--", "./try.sh", "{n}")
        count = len(self.executions())
        second = self.experiment("threshold", "n=1..100", "--", "./try.sh", "{n}")
        self.assertEqual(len(self.executions()), count)
        self.assertEqual(second["answer"]["first_bad"], first["answer"]["first_bad"])
        self.assertEqual(second["reused"], second["trials"])
        self.assertTrue(any("stored" in w or "cached" in w or "earlier" in w for w in second["warnings"]), second["warnings"])

    def test_fresh_runs_everything_again(self):
        self.counting(FAILS_FROM_37)
        self.ok("threshold", "n=1..50", "--", "./try.sh", "{n}")
        count = len(self.executions())
        experiment = self.experiment("threshold", "n=1..50", "--fresh", "--", "./try.sh", "{n}")
        self.assertGreater(len(self.executions()), count)
        self.assertEqual(experiment["reused"], 0)

    def test_another_shell_environment_changes_nothing(self):
        self.counting(FAILS_FROM_37)
        self.ok("threshold", "n=1..50", "--", "./try.sh", "{n}")
        count = len(self.executions())
        self.ok("threshold", "n=1..50", "--", "./try.sh", "{n}", env={"LANG": "de_DE.UTF-8", "FOO": "1", "PATH": "/opt/none:" + os.environ["PATH"]})
        self.assertEqual(len(self.executions()), count)

    def test_another_directory_is_another_question(self):
        self.counting(FAILS_FROM_37)
        os.mkdir(self.path("sub"))
        store = self.path("store")
        self.ok("threshold", "n=1..50", "--store", store, "--", self.path("try.sh"), "{n}")
        count = len(self.executions())
        self.ok("threshold", "n=1..50", "--store", store, "--", self.path("try.sh"), "{n}", cwd=self.path("sub"))
        self.assertEqual(len(self.executions()), 2 * count)

    def test_a_variable_given_by_env_belongs_to_the_key(self):
        self.counting('[ "$1" -lt "$LIMIT" ]')
        for limit in ("20", "30"):
            experiment = self.experiment("threshold", "n=1..50", "--env", f"LIMIT={limit}", "--", "./try.sh", "{n}")
            self.assertEqual(experiment["answer"]["first_bad"], int(limit))

    def test_an_axis_may_stand_in_a_variable(self):
        self.script("try.sh", '[ "$SIZE" -lt 8 ]')
        answer = self.experiment("threshold", "n=1..20", "--env", "SIZE={n}", "--", "./try.sh")["answer"]
        self.assertEqual(answer["first_bad"], 8)

    def test_a_file_that_the_command_makes_is_its_output(self):
        self.counting('echo $1 >> "$2"; [ "$1" -lt 17 ]')
        arguments = ("threshold", "n=1..60", "--", "./try.sh", "{n}", "out.log")
        self.assertEqual(self.experiment(*arguments)["answer"]["first_bad"], 17)
        count = len(self.executions())
        self.assertEqual(self.experiment(*arguments)["answer"]["first_bad"], 17)
        self.assertEqual(len(self.executions()), count)

    def test_an_input_that_the_command_keeps_changing_blocks_with_a_remedy(self):
        self.write("out.log", "")
        self.counting('echo $1 >> "$2"; [ "$1" -lt 17 ]')
        code, out, _ = self.brink("threshold", "n=1..60", "--json", "--", "./try.sh", "{n}", "out.log")
        self.assertEqual(code, 4)
        self.assertIn("output", json.loads(out)["experiments"][0]["warnings"][-1])

    def test_a_value_passed_by_name_is_never_stored(self):
        self.counting('[ -n "$SECRET" ] && [ "$1" -lt 5 ]')
        secret = "s3cr3t-value-of-the-user"
        experiment = self.experiment("threshold", "n=1..9", "--env", "SECRET", "--", "./try.sh", "{n}", env={"SECRET": secret})
        self.assertEqual(experiment["answer"]["first_bad"], 5)
        for folder, _, files in os.walk(self.path(".brink")):
            for name in files:
                with open(os.path.join(folder, name), "rb") as file:
                    self.assertNotIn(secret.encode(), file.read(), name)

    def test_the_childs_environment_is_complete_and_listed(self):
        self.script("try.sh", 'env | cut -d= -f1 | sort > names; [ "$1" -lt 3 ]')
        self.ok("threshold", "n=1..5", "--env", "A=1", "--", "./try.sh", "{n}", env={"LEAK": "1", "TMPDIR": self.folder, "LANG": "C"})
        with open(self.path("names")) as file:
            names = set(file.read().split())
        self.assertIn("A", names)
        self.assertLessEqual(names, {"A", "PATH", "HOME", "LANG", "TMPDIR", "BRINK_TRIAL", "PWD", "OLDPWD", "SHLVL", "_"})

    def test_identity_belongs_to_the_key(self):
        self.counting(FAILS_FROM_37)
        self.write("version", "1\n")
        arguments = ("threshold", "n=1..50", "--identity", "cat version", "--", "./try.sh", "{n}")
        self.ok(*arguments)
        count = len(self.executions())
        self.ok(*arguments)
        self.assertEqual(len(self.executions()), count)
        self.write("version", "2\n")
        self.ok(*arguments)
        self.assertEqual(len(self.executions()), 2 * count)

    def test_an_edited_script_is_asked_again(self):
        self.counting(FAILS_FROM_37)
        self.ok("threshold", "n=1..100", "--", "./try.sh", "{n}")
        self.counting(FAILS_FROM_37.replace("37", "52"))
        self.assertEqual(self.experiment("threshold", "n=1..100", "--", "./try.sh", "{n}")["answer"]["first_bad"], 52)

    def test_a_script_that_is_an_argument_is_digested_too(self):
        self.counting(FAILS_FROM_37)
        self.ok("threshold", "n=1..100", "--", "sh", "try.sh", "{n}")
        self.counting(FAILS_FROM_37.replace("37", "52"))
        self.assertEqual(self.experiment("threshold", "n=1..100", "--", "sh", "try.sh", "{n}")["answer"]["first_bad"], 52)

    def test_an_input_edited_in_the_middle_never_gives_evidence(self):
        self.counting('sleep 0.1; [ "$1" -lt 37 ]')
        process = self.start("threshold", "n=1..100", "--json", "--", "./try.sh", "{n}")
        while len(self.executions()) < 4:
            time.sleep(0.02)
        self.counting('sleep 0.1; [ "$1" -lt 52 ]')
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, err)
        experiment = json.loads(out)["experiments"][0]
        self.assertEqual(experiment["answer"]["first_bad"], 52)
        self.assertTrue(any("changed" in w for w in experiment["warnings"]), experiment["warnings"])

    def test_open_range_gallops(self):
        self.counting('[ "$1" -lt 5000 ]')
        answer = self.experiment("threshold", "n=1..", "--", "./try.sh", "{n}")["answer"]
        self.assertEqual((answer["last_good"], answer["first_bad"]), (4999, 5000))

    def test_down_axis_larger_is_easier(self):
        self.counting('[ "$1" -ge 300 ]')
        answer = self.experiment("threshold", "m=10..1000:down", "--", "./try.sh", "{m}")["answer"]
        self.assertEqual((answer["last_good"], answer["first_bad"]), (300, 299))

    def test_values_beyond_2_to_the_53_are_exact(self):
        self.script("try.sh", 'case "$1" in 1844674407370955161[345]) exit 1;; esac')
        out, _ = self.ok("threshold", "n=18446744073709551600..18446744073709551615", "--json", "--", "./try.sh", "{n}")
        self.assertIn('"first_bad":18446744073709551613', out.replace(" ", ""))

    def test_nothing_and_everything(self):
        answer = self.experiment("threshold", "n=1..40", "--", "true", "{n}")["answer"]
        self.assertEqual((answer["kind"], answer["last_good"], answer["first_bad"]), ("nothing_fails", 40, None))
        answer = self.experiment("threshold", "n=1..40", "--", "false", "{n}")["answer"]
        self.assertEqual((answer["kind"], answer["last_good"], answer["first_bad"]), ("everything_fails", None, 1))

    def test_skips_and_exit_codes(self):
        self.script("try.sh", 'if [ "$1" -ge 30 ]; then exit 3; fi; if [ "$1" -ge 20 ]; then exit 125; fi')
        experiment = self.experiment("threshold", "n=1..50", "--", "./try.sh", "{n}", code=3)
        answer = experiment["answer"]
        self.assertEqual((answer["kind"], answer["last_good"], answer["first_bad"]), ("only_other_failures", 19, 30))
        self.assertEqual(experiment["state"], "inconclusive")

    def test_exit_codes_can_be_given_other_meanings(self):
        self.script("try.sh", 'if [ "$1" -ge 30 ]; then exit 126; fi; if [ "$1" -ge 20 ]; then exit 3; fi')
        answer = self.experiment("threshold", "n=1..50", "--good", "0,3", "--bad", "126", "--", "./try.sh", "{n}")["answer"]
        self.assertEqual((answer["last_good"], answer["first_bad"]), (29, 30))
        self.script("try.sh", 'if [ "$1" -ge 20 ]; then exit 77; fi')
        experiment = self.experiment("threshold", "n=1..50", "--skip", "77", "--", "./try.sh", "{n}", code=3)
        self.assertIsNone(experiment["answer"]["first_bad"])

    def test_target_other_failures_are_slippage(self):
        self.script("try.sh", 'if [ "$1" -ge 60 ]; then echo "MemoryError"; exit 1; fi; if [ "$1" -ge 20 ]; then echo "RecursionError"; exit 1; fi')
        answer = self.experiment("threshold", "n=1..80", "--target", "MemoryError", "--", "./try.sh", "{n}", code=3)["answer"]
        self.assertEqual((answer["kind"], answer["last_good"], answer["first_bad"]), ("only_other_failures", 19, 60))

    def test_two_failures_along_the_axis_are_both_named(self):
        self.script("try.sh", 'if [ "$1" -ge 60 ]; then echo "error: no memory left"; exit 1; fi; if [ "$1" -ge 20 ]; then echo "error: too deep"; exit 1; fi')
        experiment = self.experiment("threshold", "n=1..80", "--", "./try.sh", "{n}")
        answer = experiment["answer"]
        self.assertEqual((answer["last_good"], answer["first_bad"]), (19, 20))
        self.assertEqual([i["from"] for i in answer["intervals"]], [1, 20, 60])
        self.assertTrue(any("60" in w for w in experiment["warnings"]), experiment["warnings"])

    def test_a_hole_never_ends_in_a_plain_threshold(self):
        self.script("try.sh", '[ "$1" -lt 20 ] || { [ "$1" -ge 50 ] && [ "$1" -lt 80 ]; }')
        experiment = self.experiment("threshold", "n=1..100", "--holes", ".05", "--", "./try.sh", "{n}")
        answer = experiment["answer"]
        self.assertEqual(answer["kind"], "intervals")
        self.assertEqual([(i["from"], i["to"]) for i in answer["intervals"]], [(1, 19), (20, 49), (50, 79), (80, 100)])
        self.assertEqual((answer["last_good"], answer["first_bad"]), (19, 20))

    def test_timeout_is_a_failure(self):
        self.script("try.sh", '[ "$1" -lt 5 ] || sleep 60')
        experiment = self.experiment("threshold", "n=1..8", "--timeout", "300ms", "--holes", "off", "--", "./try.sh", "{n}")
        self.assertEqual(experiment["answer"]["first_bad"], 5)
        self.assertEqual(experiment["answer"]["failure"]["class"], "timeout")

    def test_budget_ends_with_a_bracket(self):
        self.script("try.sh", FAILS_FROM_37)
        experiment = self.experiment("threshold", "n=1..100000", "--max-trials", "5", "--", "./try.sh", "{n}", code=3)
        self.assertEqual((experiment["state"], experiment["answer"]["kind"]), ("inconclusive", "bracket"))
        self.assertEqual(experiment["trials"], 5)

    def test_known_verdicts_spare_probes(self):
        self.counting(FAILS_FROM_37)
        answer = self.experiment("threshold", "n=1..1000000", "--known", "30=good,40=bad", "--holes", "off", "--", "./try.sh", "{n}")["answer"]
        self.assertEqual((answer["last_good"], answer["first_bad"]), (36, 37))
        for side in ("36", "37"):
            self.assertIn(side, self.executions())

    def test_slots(self):
        self.counting("sleep 0.1; " + FAILS_FROM_37)
        answer = self.experiment("threshold", "n=1..100", "-j", "4", "--", "./try.sh", "{n}")["answer"]
        self.assertEqual((answer["last_good"], answer["first_bad"]), (36, 37))


class Refusals(BrinkCase):
    def test_bad_input_gets_one_line_and_leaves_nothing(self):
        self.script("try.sh", "exit 0")
        table = [
            (("threshold", "--", "./try.sh"), "axis"),
            (("threshold", "n=1..5"), "--"),
            (("threshold", "n=5..1", "--", "./try.sh", "{n}"), "first 5 is greater than last 1"),
            (("threshold", "n=1..5", "--", "./try.sh"), "{n}"),
            (("threshold", "n=1..5", "--", "./try.sh", "{m}"), "{m}"),
            (("threshold", "n=1..5", "--", "./try.sh", "{n"), "brace"),
            (("threshold", "n=1..5", "m=1..2", "--", "./try.sh", "{n}", "{m}"), "one axis"),
            (("threshold", "n=1..5", "--tresh", "1", "--", "./try.sh", "{n}"), "--tresh"),
            (("threshold", "n=1..5", "--target", "match:(", "--", "./try.sh", "{n}"), "--target"),
            (("threshold", "n=1..5", "--timeout", "soon", "--", "./try.sh", "{n}"), "--timeout"),
            (("threshold", "n=1..5", "--memory", "lots", "--", "./try.sh", "{n}"), "--memory"),
            (("threshold", "n=1..5", "--confidence", "2", "--", "./try.sh", "{n}"), "--confidence"),
            (("threshold", "n=1..5", "--good", "0,x", "--", "./try.sh", "{n}"), "--good"),
            (("threshold", "n=1..5", "--known", "9=good", "--", "./try.sh", "{n}"), "--known"),
            (("threshold", "n=1..5", "-j", "0", "--", "./try.sh", "{n}"), "-j"),
            (("threshold", "n=1..5", "--env", "NOT_SET_ANYWHERE", "--", "./try.sh", "{n}"), "--env"),
            (("threshold", "n=1..5", "--mount", "/a:/b", "--", "./try.sh", "{n}"), "--container"),
            (("treshold", "n=1..5", "--", "./try.sh", "{n}"), "did you mean threshold?"),
            (("run", "missing.toml"), "missing.toml"),
            (("rerun", "x"), "x"),
            ((), "no command"),
        ]
        for arguments, expected in table:
            with self.subTest(arguments):
                self.assertIn(expected, self.refused(*arguments))
        self.assertEqual(os.listdir(self.folder), ["try.sh"])

    def test_errors_are_json_when_json_is_asked_for(self):
        code, out, _ = self.brink("threshold", "n=5..1", "--json", "--", "true", "{n}")
        self.assertEqual(code, 2)
        error = json.loads(out)
        self.assertEqual(error["schema"], "brink.error/1")
        self.assertEqual(set(error["error"]), {"code", "message", "where", "remedy"})

    def test_a_missing_executable_is_infrastructure_and_no_verdict(self):
        code, out, err = self.brink("threshold", "n=1..9", "--json", "--", "./not-there", "{n}")
        self.assertEqual(code, 4, err)
        experiment = json.loads(out)["experiments"][0]
        self.assertEqual(experiment["state"], "blocked")
        self.assertEqual(experiment["answer"]["kind"], "none")
        self.assertEqual(experiment["trials"], 0)
        self.assertTrue(any("not-there" in w for w in experiment["warnings"]), experiment["warnings"])

    def test_a_command_not_found_inside_a_shell_is_infrastructure_too(self):
        self.assertEqual(self.brink("threshold", "n=1..9", "--", "sh", "-c", "no-such-command {n}")[0], 4)

    def test_a_warning_names_container_for_docker_run(self):
        _, _, err = self.brink("threshold", "n=1..2", "--", "docker", "run", "x", "{n}")
        self.assertIn("--container", err)


class Sweep(BrinkCase):
    def test_tries_the_grid_once(self):
        self.counting('[ $(( $1 * $2 )) -lt 6 ]')
        experiment = self.experiment("sweep", "n=1..3", "m=1,2,4", "--", "./try.sh", "{n}", "{m}")
        self.assertEqual(len(self.executions()), 9)
        self.assertEqual(experiment["state"], "answered")
        for point in experiment["answer"]["points"]:
            bad = point["config"]["n"] * point["config"]["m"] >= 6
            self.assertEqual(point["verdict"], "bad" if bad else "good")

    def test_text_values_stay_text(self):
        self.counting('[ "$1" != "-O3" ]')
        experiment = self.experiment("sweep", "level=-O0,-O3,007", "--", "./try.sh", "{level}")
        self.assertEqual([p["config"]["level"] for p in experiment["answer"]["points"]], ["-O0", "-O3", "007"])
        self.assertEqual([p["verdict"] for p in experiment["answer"]["points"]], ["good", "bad", "good"])


class Probe(BrinkCase):
    def test_exit_codes_serve_git_bisect(self):
        self.counting('exit $1')
        for value, code in ((0, 0), (1, 1), (77, 1), (125, 125), (127, 128)):
            self.assertEqual(self.brink("probe", f"n={value}", "--", "./try.sh", "{n}")[0], code)
        self.assertEqual(self.brink("probe", "--", "./try.sh")[0], 128)
        self.assertEqual(self.brink("probe", "n=1..2", "--", "./try.sh", "{n}")[0], 128)
        self.assertEqual(self.brink("probe", "n=1", "--", "./missing", "{n}")[0], 128)

    def test_is_fresh_unless_cached(self):
        self.counting("exit 1")
        for _ in range(2):
            self.brink("probe", "n=5", "--", "./try.sh", "{n}")
        self.assertEqual(len(self.executions()), 2)
        self.assertEqual(self.brink("probe", "n=5", "--cached", "--", "./try.sh", "{n}")[0], 1)
        self.assertEqual(len(self.executions()), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
