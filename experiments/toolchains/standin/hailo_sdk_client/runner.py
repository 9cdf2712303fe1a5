"""ClientRunner: translate, optimise and compile, in the order and with the words of the real one."""

import copy
import json
import os
import time

from . import faults, log, memory, partition, script
from .exceptions import (BackendAllocatorException, BackendRuntimeException, InvalidHNError,
                         UnsupportedModelError)
from .exposed_definitions import States
from .har import read_har, write_har
from .onnx_graph import read_graph
from .translate import translate
from .wire import WireError

DEFAULT_ARCH = "hailo10h"


class ClientRunner:
    """One network on its way from ONNX to HEF. Every call is of the public surface of the SDK."""

    def __init__(self, hw_arch=None, hn=None, har=None):
        log.announce()
        self._faults = faults.load_faults()
        self._state = States.UNINITIALIZED
        self._hn, self._metadata, self._script = hn, {}, ""
        self._directives = script.Directives()
        if har is not None:
            self.load_har(har)
        self._arch = hw_arch or self._metadata.get("hw_arch") or DEFAULT_ARCH
        if self._arch not in memory.CAPACITY:
            raise ValueError(f"{self._arch} is not a valid hw_arch; choose from {', '.join(memory.CAPACITY)}")

    @property
    def state(self):
        return self._state

    @property
    def hw_arch(self):
        return self._arch

    def translate_onnx_model(self, model, net_name="model", start_node_names=None, end_node_names=None,
                             net_input_shapes=None, net_input_format=None, disable_onnx_simplifier=False,
                             disable_shape_inference=False, augmented_path=None,
                             disable_rt_metadata_extraction=False):
        """Reads the ONNX file `model`; returns (HN, parameters)."""
        del net_input_shapes, net_input_format, disable_onnx_simplifier, disable_shape_inference
        del augmented_path, disable_rt_metadata_extraction
        began = time.monotonic()
        log.say("info", f"Translation started on ONNX model {net_name}")
        try:
            graph = read_graph(model)
        except WireError as problem:
            raise UnsupportedModelError(f"{os.path.basename(os.fspath(model))} is no ONNX model: {problem}") from problem
        log.say("info", f"Restored ONNX model {net_name} (completion time: 00:00:{time.monotonic() - began:05.2f})")
        self._hn = translate(graph, net_name, start_node_names, end_node_names)
        self._faults.pause(0)
        self._faults.strike("parse", self._layers())
        self._state = States.HAILO_MODEL
        log.say("info", f"Translation completed on ONNX model {net_name} "
                        f"(completion time: 00:00:{time.monotonic() - began:05.2f})")
        return self.get_hn(), self.get_params()

    def load_model_script(self, model_script):
        """Commands from a file or a text; those of several calls add up."""
        text = script.text_of(model_script)
        commands = script.read_script(text, self._directives, self._known()["layers"], self._scopes())
        self._script += text if text.endswith("\n") or not text else text + "\n"
        log.say("info", f"Loading model script commands to {self._known()['name']} from string")
        return commands

    def optimize(self, calib_data, data_type=None, work_dir=None):
        """Quantises; with set_kv_cache_global_params the network becomes its two groups."""
        del calib_data, data_type, work_dir
        hn = self._known()
        log.say("info", "Starting Model Optimization")
        log.say("warning", "Reducing optimization level to 0 because there's not enough data in the calibration set")
        log.bar("Calibration", 16)
        self._faults.strike("optimise", self._layers())
        if self._directives.kv_cache:
            self._hn = _duplicated(hn, *self._directives.kv_cache)
        self._state = States.QUANTIZED_MODEL
        self._directives, self._script = script.Directives(), ""
        log.say("info", "Model Optimization is done")

    def compile(self):
        """The HEF's bytes. Raises BackendAllocatorException when the network cannot be placed."""
        hn = self._known()
        if self._state not in (States.QUANTIZED_MODEL, States.COMPILED_MODEL):
            raise BackendRuntimeException(
                "Model requires quantized weights in order to run on HW, but none were given. "
                "Please use optimize() first.")
        began = time.monotonic()
        log.say("info", "Starting Hailo allocation and compilation flow")
        log.leave_files()
        try:
            made = [self._allocate(hn, group) for group in self._scopes()]
        except BackendAllocatorException as problem:
            log.say("error", "Failed to produce compiled graph")
            log.say("error", f"{type(problem).__name__}: {problem}", wrapped=True)
            raise
        log.say("info", f"Compiling kernels of {hn['name']}...")
        log.say("info", f"{hn['name']} Successful Kernel Compilation (duration: {log.duration(0)})")
        log.say("info", "Building HEF...")
        log.say("info", f"{hn['name']} Successful Compilation (duration: {log.duration(time.monotonic() - began)})")
        self._state = States.COMPILED_MODEL
        if self._faults.no_hef(self._layers()):
            return b""
        buckets = {part.group: part.count for part in made}
        return b"\x01HEF stand-in\n" + json.dumps({"arch": self._arch, "buckets": buckets}).encode()

    def save_har(self, har_path):
        metadata = {"sdk_version": log.VERSION, "state": self._state.value, "hw_arch": self._arch, "stand_in": True}
        write_har(har_path, self._known(), metadata, self._script)
        log.say("info", f"Saved HAR to: {os.path.abspath(os.fspath(har_path))}")

    def load_har(self, har):
        self._hn, self._metadata, self._script = read_har(har)
        self._state = States(self._metadata.get("state", States.HAILO_MODEL.value))

    def get_hn(self):
        return json.dumps(self._known())

    def set_hn(self, hn):
        self._hn = json.loads(hn) if isinstance(hn, str) else hn

    def get_hn_dict(self):
        return copy.deepcopy(self._known())

    def get_hn_model(self):
        return self.get_hn_dict()

    def get_params(self):
        """Parameter shapes by layer; the stand-in has no values."""
        return {name: layer["params"]["kernel_shape"] for name, layer in self._known()["layers"].items()
                if "kernel_shape" in layer["params"]}

    def add_external_resources(self, resources):
        self._metadata["external_resources"] = sorted(resources)

    def _known(self):
        if self._hn is None:
            raise InvalidHNError("no model was translated or loaded")
        return self._hn

    def _scopes(self):
        return self._known()["net_params"]["net_scopes"]

    def _layers(self):
        """Transformer layers, counted by their softmaxes, of which each group has one a layer."""
        every = [layer for layer in self._known()["layers"].values() if layer["type"] == "softmax"]
        return len(every) // max(len(self._scopes()), 1)

    def _capacity(self):
        chosen = os.environ.get("BRINK_STANDIN_CAPACITY") or self._faults.switches.get("capacity_mib") or 0
        return int(chosen) * memory.MIB or memory.CAPACITY[self._arch]

    def _allocate(self, hn, group):
        began, depth = time.monotonic(), self._layers()
        layers = {name: layer for name, layer in hn["layers"].items() if name.startswith(group + "/")}
        log.say("info", f"{group} Building optimization options for network layers...")
        log.say("info", "Trying to compile the network in a single context")
        log.say("info", "Single context flow failed: Recoverable single context error")
        log.say("info", "Using Multi-context flow")
        partition.check_defuse(layers, group, self._directives.parts(group))
        self._faults.pause(depth)
        self._faults.strike("compile", depth)
        log.say("info", "Finding the best partition to contexts...")
        log.noise()
        log.bar(f"{group} Partitioning", 10)
        made = partition.partition(layers, group, self._capacity(), _positions(hn, group), self._directives)
        for name, bucket in made.buckets.items():
            layers[name]["params"]["bucket"] = f"bucket_{bucket}"
        log.say("info", f"Found valid partition to {made.count} contexts")
        log.say("info", "Partitioner finished after 21 iterations, Time it took: 1s 59ms")
        log.say("info", f"Applying selected partition to {made.count} contexts")
        found = partition.conflicts(made, self._directives.successors_at_most)
        fails = self._faults.fails(depth) if not found else not self._faults.passes(depth)
        if found and fails:
            raise BackendAllocatorException("Compilation failed: " + partition.topology_message(found))
        if fails:
            raise BackendAllocatorException(
                f"Compilation failed: No successful assignments: {group}/conv1 errors:\n\tAgent infeasible")
        self._placed(made, layers, time.monotonic() - began)
        return made

    def _placed(self, made, layers, seconds):
        for bucket in range(made.count):
            log.say("info", f"Running optimization flow for bucket_{bucket}")
        log.say("info", "Validating layers feasibility")
        log.table(("Layer", "Result"), [(name.split("/")[1], "Pass") for name in list(layers)[:4]])
        log.say("info", f"Running resources allocation (mapping) flow, time per context: {log.duration(3599)}")
        log.say("info", f"{made.group} Successful Partition and Allocation (duration: {log.duration(seconds)})")


def _positions(hn, group):
    """By how many the sequence of a group is shorter than the graph's: a tbt step has one position."""
    return hn["net_params"].get("positions", {}).get(group, 1)


def _duplicated(hn, prefill, cache):
    """The two groups of an LLM: `__prefill`, and `__tbt`, whose attention reads cache inputs."""
    scope = hn["name"]
    groups = [f"{scope}__prefill", f"{scope}__tbt"]
    layers = {}
    for group in groups:
        for name, layer in hn["layers"].items():
            layers[_moved(name, group)] = {
                **layer,
                "input": [_moved(entry, group) for entry in layer["input"]],
                "output": [_moved(entry, group) for entry in layer["output"]],
                "params": dict(layer["params"]),
            }
    _add_caches(layers, groups[1], cache)
    return {
        "name": scope,
        "net_params": {**hn["net_params"], "net_scopes": groups, "positions": {groups[0]: 1, groups[1]: prefill}},
        "layers": layers,
    }


def _moved(name, group):
    return f"{group}/{name.split('/', 1)[1]}"


def _add_caches(layers, group, cache):
    """Each product of two computed operands in attention reads the keys or values of earlier steps."""
    inputs = [name for name, layer in layers.items() if name.startswith(group + "/") and layer["type"] == "input_layer"]
    products = [name for name, layer in layers.items() if name.startswith(group + "/") and layer["type"] == "matmul"]
    for number, reader in enumerate(products, start=len(inputs) + 1):
        name = f"{group}/input_layer{number}"
        width = layers[reader]["input_shapes"][-1][-1]
        layers[name] = {
            "type": "input_layer", "input": [], "output": [reader], "input_shapes": [],
            "output_shapes": [[-1, 1, cache, width]], "original_names": [], "params": {}, "io_type": "cache",
        }
        layers[reader]["input"].append(name)
