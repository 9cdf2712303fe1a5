#!/usr/bin/env python3
"""Holds what `brink synth` writes against the software that has to read it.

    synth_check.py PATH/TO/brink

Needs the packages of requirements.txt; ends with 77 (skipped) when they are missing, with 1 when a check fails.
For each family, dtype, tied or not, and ratio of heads: transformers loads the folder without a word, safetensors
opens it, the tokenizer gives any text back, onnx's full checker accepts the graph, and onnxruntime's logits of the
dfc graph equal the logits that transformers computes. Then the graph is broken on purpose, to see that this
comparison would notice.
"""

import contextlib
import io
import itertools
import logging
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
try:
    import numpy
    import onnx
    import onnxruntime
    import safetensors
    import torch
    import transformers
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

STEPS = 16
# Largest difference over the standard deviation of the logits.
TOLERANCE = {"f32": 3e-5, "f16": 3e-2}
TEXT = "brink: naïve façade \U0001f600 \x00\n\ttab, ✓ and 中文"


class Failed(Exception):
    """A check that does not hold."""


def expect(holds, what):
    if not holds:
        raise Failed(what)


def synth(brink, folder, fields):
    """Runs `brink synth`; returns what it said on stderr."""
    argv = [brink, "synth", str(folder), *[f"{k}={v}" for k, v in fields.items()], "--onnx", "--style", "dfc"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=300, check=False)
    expect(done.returncode == 0, f"{' '.join(argv)} ended with {done.returncode}: {done.stderr}")
    return done.stderr


class Records(logging.Handler):
    """Collects log records of warning level and above."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


@contextlib.contextmanager
def silence_expected(what):
    """Fails when a log record, a warning or any output of Python code appears inside."""
    records, output = Records(), io.StringIO()
    loggers = [logging.getLogger(), logging.getLogger("transformers")]
    for logger in loggers:
        logger.addHandler(records)
    try:
        with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(output), \
                contextlib.redirect_stderr(output):
            warnings.simplefilter("always")
            yield
    finally:
        for logger in loggers:
            logger.removeHandler(records)
    said = records.lines + [str(w.message) for w in caught] + [output.getvalue()]
    said = [line for line in said if line.strip()]
    expect(not said, f"{what} is not silent: {said}")


def load(folder):
    """The model in f32 and eager attention, its config and tokenizer, loaded without a word."""
    transformers.utils.logging.disable_progress_bar()
    with silence_expected("transformers"):
        config = transformers.AutoConfig.from_pretrained(folder)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        model, report = transformers.AutoModelForCausalLM.from_pretrained(
            folder, dtype=torch.float32, attn_implementation="eager", output_loading_info=True)
    for key in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        expect(not report[key], f"{key}: {report[key]}")
    return model.eval(), config, tokenizer


def check_tokenizer(tokenizer, vocab):
    ids = tokenizer(TEXT)["input_ids"]
    expect(max(ids) < vocab, "an id lies outside of the vocabulary")
    expect(len(ids) == len(TEXT.encode()), "a byte is not a token")
    expect(tokenizer.decode(ids) == TEXT, "the tokenizer does not give its text back")


def check_tensors(folder, dtype):
    words = {"f32": "F32", "f16": "F16", "bf16": "BF16"}
    files = sorted(folder.glob("*.safetensors"))
    for file in files:
        with safetensors.safe_open(file, "pt") as opened:
            for name in opened.keys():
                expect(opened.get_slice(name).get_dtype() == words[dtype], f"{name} is not {dtype}")
    expect(files, "no safetensors file")


def tables(config, theta, interleaved=False):
    """cos and sin [1,S,head_dim] of positions 0..S-1."""
    half = config.head_dim // 2
    angles = numpy.arange(STEPS)[:, None] * theta ** (-2.0 * numpy.arange(half)[None, :] / config.head_dim)
    both = numpy.repeat(angles, 2, axis=1) if interleaved else numpy.concatenate([angles, angles], axis=1)
    return numpy.cos(both)[None].astype("f4"), numpy.sin(both)[None].astype("f4")


def feed(model, config, ids, theta, interleaved=False):
    """The six inputs of the dfc graph for a prompt."""
    embeds = model.get_input_embeddings()(ids).detach().numpy()
    causal = numpy.triu(numpy.full((STEPS, STEPS), -100.0, "f4"), 1)
    mask = numpy.tile(causal, (1, config.num_attention_heads))[None, None]
    cos, sin = tables(config, theta, interleaved)
    return {"inputs_embeds": embeds, "attention_mask": mask, "pe_k_cos": cos, "pe_q_cos": cos, "pe_k_sin": sin,
            "pe_q_sin": sin}


def logits_of(proto_or_path, inputs, dtype="f32"):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    source = str(proto_or_path) if isinstance(proto_or_path, Path) else proto_or_path.SerializeToString()
    session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    expect([i.name for i in session.get_inputs()] == list(inputs), "the inputs are not in the DFC's order")
    kind = {"f32": "f4", "f16": "f2"}[dtype]
    return session.run(None, {k: v.astype(kind) for k, v in inputs.items()})[0].astype("f8").reshape(-1)


def distance(got, wanted):
    return float(numpy.abs(got - wanted).max() / wanted.std())


def constant(proto, name):
    return next(t for t in proto.graph.initializer if t.name == name)


def replaced(proto, name, change):
    """The graph with one constant changed."""
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    tensor = constant(copy, name)
    tensor.CopyFrom(onnx.numpy_helper.from_array(change(onnx.numpy_helper.to_array(tensor)), name))
    return copy


def check_mutations(path, model, config, ids, theta, wanted):
    """Each mistake must move the logits by more than the tolerance; returns the smallest move."""
    proto = onnx.load(path)
    right = feed(model, config, ids, theta)
    shifted = dict(right, attention_mask=numpy.roll(right["attention_mask"], 1, axis=2))
    moves = {
        "theta": logits_of(proto, feed(model, config, ids, 2 * theta)),
        "interleaved tables": logits_of(proto, feed(model, config, ids, theta, interleaved=True)),
        "rotation the other way": logits_of(replaced(proto, "/model/rotate_half", lambda a: -a), right),
        "mask off by one": logits_of(proto, shifted),
        "scale": logits_of(replaced(proto, "/model/attention_scale", lambda a: a * numpy.float32(1.01)), right),
    }
    if config.tie_word_embeddings:
        moves["eps"] = logits_of(replaced(proto, "/model/norm_eps", lambda a: a * numpy.float32(10)), right)
    kv_heads = config.num_key_value_heads
    if 1 < kv_heads < config.num_attention_heads:
        # Heads dealt out in turn instead of side by side.
        def deal(matrix):
            count = config.num_attention_heads
            order = [(j % kv_heads) * (count // kv_heads) + j // kv_heads for j in range(count)]
            return matrix.reshape(matrix.shape[0], count, -1)[:, order].reshape(matrix.shape)
        moves["head mapping"] = logits_of(replaced(proto, "/model/kv_repeat", deal), right)
    for name, got in moves.items():
        expect(distance(got, wanted) > TOLERANCE["f32"], f"the mistake \"{name}\" goes unnoticed")
    return min((distance(got, wanted), name) for name, got in moves.items())


def check_model(brink, folder, fields):
    """Every check on one model; returns a line for people."""
    said = synth(brink, folder, fields)
    expect(not said.strip(), f"brink synth said: {said}")
    model, config, tokenizer = load(folder)
    check_tokenizer(tokenizer, config.vocab_size)
    check_tensors(folder, fields["dtype"])
    path = folder / "onnx" / "model.onnx"
    onnx.checker.check_model(str(path), full_check=True)
    onnx.shape_inference.infer_shapes(onnx.load(path), strict_mode=True, data_prop=True)
    dtype = fields["dtype"]
    if dtype not in TOLERANCE:
        return "checked (onnxruntime's CPU has no bf16)"
    ids = torch.randint(4, config.vocab_size, (1, STEPS), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        wanted = model(ids).logits[0, -1].double().numpy()
    theta = float(fields["rope_theta"])
    got = logits_of(path, feed(model, config, ids, theta), dtype)
    off = distance(got, wanted)
    expect(off <= TOLERANCE[dtype], f"logits are {off:.2e} away, more than {TOLERANCE[dtype]:.0e}")
    if dtype != "f32":
        return f"logits {off:.1e}"
    move, name = check_mutations(path, model, config, ids, theta, wanted)
    return f"logits {off:.1e}; smallest mistake {move:.1e} ({name})"


def check_depth(brink, folder, fields):
    """The stream must neither fade nor explode with depth; returns a line for people."""
    synth(brink, folder, fields)
    model, config, _ = load(folder)
    ids = torch.randint(4, config.vocab_size, (1, STEPS), generator=torch.Generator().manual_seed(1))
    last = []
    model.model.layers[-1].register_forward_hook(
        lambda _, __, output: last.append(output[0] if isinstance(output, tuple) else output))
    with torch.no_grad():
        model(ids)
    growth = float(last[0].std() / model.get_input_embeddings()(ids).detach().std())
    expect(0.1 <= growth <= 10, f"the hidden state grows {growth:.2f} times")
    return f"the hidden state grows {growth:.2f} times"


def deep_models():
    """Deep shapes, as fields of brink synth."""
    for family, tied, layers in itertools.product(("llama", "qwen2"), ("false", "true"), (64, 100)):
        yield {"family": family, "dtype": "f32", "tied": tied, "layers": layers, "hidden": 256, "heads": 8,
               "kv_heads": 4, "intermediate": 1024, "seed": 1, "prefill": STEPS}


def models():
    """The shapes to try, as fields of brink synth."""
    shapes = {1: {"hidden": 64, "heads": 4}, 2: {"hidden": 64, "heads": 4}, 7: {"hidden": 112, "heads": 14}}
    for family, dtype, tied, nrep in itertools.product(("llama", "qwen2"), ("f32", "f16", "bf16"),
                                                       ("false", "true"), (1, 2, 7)):
        theta = {"llama": "10000.0", "qwen2": "1000000.0"}[family]
        yield {"family": family, "dtype": dtype, "tied": tied, "nrep": nrep, **shapes[nrep], "layers": 4,
               "seed": 5, "prefill": STEPS, "rope_theta": theta}
    yield {"family": "qwen2", "dtype": "f32", "tied": "true", "nrep": 7, "hidden": 100, "heads": 14,
           "head_dim": 10, "layers": 2, "seed": 6, "prefill": STEPS, "rope_theta": "10000.0",
           "shard_bytes": 100000}


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    failures = 0
    checks = [(check_model, fields) for fields in models()] + [(check_depth, fields) for fields in deep_models()]
    for check, fields in checks:
        with tempfile.TemporaryDirectory(prefix="brink-synth-") as scratch:
            try:
                line = check(sys.argv[1], Path(scratch) / "model", fields)
            except Failed as failure:
                failures += 1
                line = f"FAILED: {failure}"
        print(" ".join(f"{k}={v}" for k, v in fields.items() if k not in ("seed", "prefill")) + ": " + line,
              flush=True)
    print(f"{failures} failed" if failures else "all hold")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
