"""standin.py BRINK: for several shapes and capacities of the stand-in compiler, the depth that `brink run` finds must be the one
that running every depth by hand finds. By hand means: brink synth, then the driver's three stages, no search. And a file of faults
that was edited is asked about anew."""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLCHAINS = os.path.join(ROOT, "experiments", "toolchains")
DRIVER = os.path.join(TOOLCHAINS, "driver.py")
DEPTHS = range(1, 15)

SHAPES = [
    ({"family": "qwen2", "hidden": "112", "heads": "14", "nrep": "7", "head_dim": "8", "intermediate": "448", "vocab": "1024"}, 64),
    ({"family": "llama", "hidden": "64", "heads": "4", "nrep": "2", "head_dim": "16", "intermediate": "128", "vocab": "300"}, 96),
    ({"family": "llama", "hidden": "96", "heads": "6", "nrep": "1", "head_dim": "16", "intermediate": "4096", "vocab": "512"}, 80),
    ({"family": "llama", "hidden": "64", "heads": "4", "nrep": "4", "head_dim": "16", "intermediate": "128", "vocab": "300"}, 4096),
]


def stages(folder, onnx, capacity):
    script, hef = os.path.join(folder, "script"), os.path.join(folder, "model.hef")
    open(script, "w").close()
    parsed, optimised = os.path.join(folder, "p.har"), os.path.join(folder, "o.har")
    yield ["parse", onnx, parsed]
    yield ["optimise", parsed, optimised]
    yield ["compile", "--capacity", str(capacity), optimised, script, hef]


def compiles(brink, folder, shape, capacity, layers):
    """None when it compiles, else whether the topology error is why it does not."""
    model = os.path.join(folder, f"m{layers}")
    fields = [f"{name}={value}" for name, value in shape.items()]
    subprocess.run([brink, "synth", model, *fields, f"layers={layers}", "seed=13", "--onnx", "--style", "dfc"], check=True)
    work = os.path.join(folder, f"w{layers}")
    os.mkdir(work)
    environment = {**os.environ, "PYTHONPATH": os.path.join(TOOLCHAINS, "standin"), "PYTHONDONTWRITEBYTECODE": "1"}
    for stage in stages(work, os.path.join(model, "onnx"), capacity):
        done = subprocess.run(["python3", DRIVER, *stage], cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            return b"topology error" in done.stdout.replace(b"\n", b" ")
    return None


def by_hand(brink, folder, shape, capacity):
    with ThreadPoolExecutor(2) as pool:
        verdicts = dict(zip(DEPTHS, pool.map(lambda layers: compiles(brink, folder, shape, capacity, layers), DEPTHS)))
    bad = [layers for layers, failed in verdicts.items() if failed]
    return bad[0] if bad else None


def by_brink(brink, folder, shape, capacity, target='{ class = "topology", group = "tbt" }', faults=""):
    fields = "\n".join(f'{name} = {value if value.isdigit() else json.dumps(value)}' for name, value in shape.items())
    campaign = os.path.join(folder, "standin.toml")
    with open(campaign, "w") as file:
        file.write(f"""[campaign]
name = "standin"
toolchain = "dfc_standin"
target = {target}
slots = 2
[model]
{fields}
seed = 13
[options]
capacity = {capacity}
faults = {json.dumps(faults)}
[[experiment]]
name = "depth"
kind = "threshold"
axis = {{ layers = "{DEPTHS[0]}..{DEPTHS[-1]}" }}
""")
    done = subprocess.run([brink, "run", campaign, "--store", os.path.join(folder, "store"), "--json"], stdout=subprocess.PIPE, check=True)
    report = json.loads(done.stdout)
    assert report["stand_in"] is True, "the report does not say that a stand-in made it"
    return report["experiments"][0]["answer"]["first_bad"]


def edited_faults(brink, folder):
    """The answers before and after an edit of the file of faults, in one store: the file is part of the key."""
    shape, capacity = SHAPES[1]
    path, answers = os.path.join(folder, "faults.json"), []
    for first in (99, 3):
        with open(path, "w") as file:
            json.dump({"crash": {"layers": [first, 99]}}, file)
        answers.append(by_brink(brink, folder, shape, capacity, '"any"', path))
    return answers


def main():
    brink, wrong = os.path.abspath(sys.argv[1]), 0
    for shape, capacity in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            hand, found = by_hand(brink, folder, shape, capacity), by_brink(brink, folder, shape, capacity)
        wrong += hand != found
        print(f"{shape} at {capacity} MiB: by hand {hand}, by brink {found}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        answers = edited_faults(brink, folder)
    wrong += answers != [8, 3]
    print(f"a file of faults, edited: {answers[0]}, then {answers[1]}", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
