#!/usr/bin/env python3
"""Drives the Hailo Dataflow Compiler through its public Python API, one stage a call.

    driver.py identity                                     what decides an outcome besides the inputs
    driver.py parse    ONNX_FOLDER OUT.har [options]       ONNX graph → HAR
    driver.py optimise IN.har OUT.har [options]            quantises; makes the groups __prefill and __tbt
    driver.py compile  IN.har SCRIPT OUT.hef [options]     HAR and compile script → HEF; facts of the HN beside it

The real SDK and the stand-in are driven alike. Every output appears whole (written beside, then renamed) or not
at all. Exit codes: 0 done, 1 the SDK raised an exception (its traceback is printed), 2 usage, 127 a file of faults
that cannot be read: nothing was asked of the compiler then, so it is no evidence.
"""

import argparse
import json
import os
import sys
import traceback

# What the SDK expects of its environment; set before it is imported. HIP_ is what it is to ROCm.
ENVIRONMENT = {
    "NPY_PROMOTION_STATE": "legacy",
    "USER": "root",
    "TRANSFORMERS_NO_TF": "1",
    "CUDA_VISIBLE_DEVICES": "0",
}
INPUTS = ("inputs_embeds", "attention_mask", "pe_k_cos", "pe_q_cos", "pe_k_sin", "pe_q_sin")
MASK = "attention_mask"


def main(arguments):
    options = _options().parse_args(arguments)
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    if getattr(options, "capacity", 0):
        os.environ["BRINK_STANDIN_CAPACITY"] = str(options.capacity)
    if getattr(options, "faults", ""):
        if not os.access(options.faults, os.R_OK):
            print(f"driver.py: faults {options.faults}: cannot be read; give the absolute path of a file", file=sys.stderr)
            return 127
        os.environ["BRINK_STANDIN_FAULTS"] = options.faults
    try:
        options.act(options)
    except Exception:  # whatever escapes from the SDK is a result, and its traceback is what the rules read
        sys.stdout.flush()
        traceback.print_exc()
        return 1
    return 0


def _options():
    parser = argparse.ArgumentParser(prog="driver.py", allow_abbrev=False)
    stages = parser.add_subparsers(required=True, metavar="STAGE")
    stage = stages.add_parser("identity", help="print the SDK's version")
    stage.set_defaults(act=identity)
    stage = stages.add_parser("parse", help="ONNX to HAR")
    stage.add_argument("onnx", help="folder with model.onnx")
    stage.add_argument("har", help="HAR to write")
    stage.add_argument("--arch", default="hailo10h")
    stage.add_argument("--scope", default="net", help="the network's name")
    stage.set_defaults(act=parse)
    stage = stages.add_parser("optimise", help="quantise")
    stage.add_argument("har", help="HAR to read")
    stage.add_argument("out", help="HAR to write")
    stage.add_argument("--cache", type=int, default=0, help="cache size; 0: one and a half prompts")
    stage.add_argument("--samples", type=int, default=2, help="random calibration samples")
    stage.set_defaults(act=optimise)
    compiling = stages.add_parser("compile", help="HAR to HEF")
    compiling.add_argument("har", help="HAR to read")
    compiling.add_argument("script", help="file with further lines of the compile script")
    compiling.add_argument("hef", help="HEF to write")
    compiling.add_argument("--defuse", type=int, default=0, help="split lm_head into so many parts; 0: not")
    compiling.add_argument("--facts", default="", help="JSON to write: layers, shared inputs, buckets")
    compiling.set_defaults(act=compile_hef)
    for stage in stages.choices.values():
        stage.add_argument("--capacity", type=int, default=0, help="stand-in only: MiB a bucket; 0: the architecture's")
        stage.add_argument("--faults", default="", help="stand-in only: a file of faults")
    return parser


def identity(_):
    import hailo_sdk_client

    print(f"hailo_sdk_client {hailo_sdk_client.__version__}")
    if getattr(hailo_sdk_client, "STAND_IN", False):
        print(f"stand-in {_source_digest(os.path.dirname(hailo_sdk_client.__file__))}")


def _source_digest(folder):
    """The stand-in changes with its source, so its identity is its source."""
    import hashlib

    digest = hashlib.sha256()
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(name.encode() + b"\0" + file.read() + b"\0")
    return digest.hexdigest()


def parse(options):
    from hailo_sdk_client import ClientRunner
    from hailo_sdk_client.exposed_definitions import Dims

    flat = [Dims.BATCH, Dims.WIDTH, Dims.CHANNELS]
    square = [Dims.BATCH, Dims.HEIGHT, Dims.WIDTH, Dims.CHANNELS]
    runner = ClientRunner(hw_arch=options.arch)
    runner.translate_onnx_model(
        os.path.join(options.onnx, "model.onnx"),
        options.scope,
        start_node_names=list(INPUTS),
        net_input_format={name: square if name == MASK else flat for name in INPUTS},
        disable_onnx_simplifier=True,
    )
    _save_har(runner, options.har)


def optimise(options):
    from hailo_sdk_client import ClientRunner

    runner = ClientRunner(har=options.har)
    inputs = _inputs(runner)
    prompt = next(iter(inputs.values()))[-2]
    cache = options.cache or prompt + prompt // 2
    runner.load_model_script(f"set_kv_cache_global_params({prompt}, {cache})\n")
    runner.optimize(_calibration(inputs, options.samples))
    _save_har(runner, options.out)


def _inputs(runner):
    """Input layer → shape without the batch, in order."""
    layers = runner.get_hn_dict()["layers"]
    return {
        name: layer["output_shapes"][0][1:] for name, layer in layers.items() if layer["type"] == "input_layer"
    }


def _calibration(inputs, samples):
    """Random values of every input, the same each time; the stand-in, which has no use for them, gets shapes."""
    import hailo_sdk_client

    if getattr(hailo_sdk_client, "STAND_IN", False):
        return {name: (samples, *shape) for name, shape in inputs.items()}
    import numpy

    random = numpy.random.default_rng(0)
    return {name: random.standard_normal((samples, *shape), dtype="float32") for name, shape in inputs.items()}


def compile_hef(options):
    from hailo_sdk_client import ClientRunner

    runner = ClientRunner(har=options.har)
    hn = runner.get_hn_dict()
    if options.facts:
        _write(options.facts, json.dumps(facts(hn), indent=1).encode())
    with open(options.script, encoding="utf-8") as file:
        lines = file.read()
    runner.load_model_script(compile_script(hn, options.defuse, lines))
    try:
        hef = runner.compile()
        if hef:
            _write(options.hef, hef)
        else:
            print("driver.py: compile() returned no HEF", file=sys.stderr)
    finally:
        if options.facts:
            _note_buckets(runner, options.facts)


def _note_buckets(runner, path):
    """Adds the buckets to the facts, if the SDK tells them. Hours of compiling are over: whatever is wrong with the HN
    now must neither spoil that result nor be taken for it, so its exception is not named."""
    try:
        placed = facts(runner.get_hn_dict())
        if placed["buckets"]:
            _write(path, json.dumps(placed, indent=1).encode())
    except Exception:
        print("driver.py: the network cannot be described after compiling; its buckets are not known", file=sys.stderr)


def compile_script(hn, parts, lines):
    """Splits lm_head, the last conv, of every group when `parts` says so; names the groups; then `lines`."""
    groups = hn["net_params"]["net_scopes"]
    text = ""
    if parts > 0:
        names = ", ".join([*(f"d{part}" for part in range(parts)), "dc"])
        for group in groups:
            convs = [n for n, layer in hn["layers"].items() if layer["type"] == "conv" and n.startswith(group + "/")]
            text += f"{names} = defuse({convs[-1]}, {parts})\n"
    for group in groups:
        text += f"{group} = network_group([{group}])\n"
    return text + lines


def facts(hn):
    """What the report needs of a network: per group its layers, inputs shared by layers with their fan-out, and
    the layers' buckets where the SDK tells."""
    groups, buckets = [], {}
    for group in hn["net_params"]["net_scopes"]:
        layers = {n: layer for n, layer in hn["layers"].items() if n.startswith(group + "/")}
        kinds = {}
        for layer in layers.values():
            kinds[layer["type"]] = kinds.get(layer["type"], 0) + 1
        fan_out = {
            name.split("/", 1)[1]: len(layer["output"])
            for name, layer in layers.items()
            if layer["type"] == "input_layer" and layer.get("io_type") != "cache"
        }
        groups.append({
            "name": group,
            "layers": len(layers),
            "types": kinds,
            "cache_inputs": sum(layer.get("io_type") == "cache" for layer in layers.values()),
            "inputs": fan_out,
        })
        for name, layer in layers.items():
            bucket = layer.get("params", {}).get("bucket")
            if bucket is not None:
                buckets[name] = bucket
    return {"schema": "brink.hn/1", "name": hn["name"], "groups": groups, "buckets": buckets}


def _save_har(runner, path):
    """The SDK appends nothing to names that end in .har, so the name beside ends so too."""
    beside = f"{path}.{os.getpid()}.part.har"
    runner.save_har(beside)
    os.replace(beside, path)


def _write(path, content):
    beside = f"{path}.{os.getpid()}.part"
    with open(beside, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
