"""Model scripts: one command a line, as `name(arguments)` or `results = name(arguments)`."""

import os
import re

from .exceptions import AllocatorScriptParserException, BackendScriptParserException

_LINE = re.compile(r"(?:(?P<results>[\w./, ]+?)\s*=\s*)?(?P<command>\w+)\((?P<arguments>.*)\)")
_COMMANDS = {
    "allocator_param", "bucket", "buffers", "compilation_param", "context", "context_switch_param", "defuse",
    "format_conversion", "hef_param", "logger_param", "model_optimization_config", "model_optimization_flavor",
    "network_group", "normalization", "performance_param", "place", "platform_param", "post_quantization_optimization",
    "pre_quantization_optimization", "quantization_param", "resources_param", "set_kv_cache_global_params", "shortcut",
}


class Directives:
    """What the lines of all loaded scripts ask for, as far as the stand-in heeds it."""

    def __init__(self):
        self.partition_to_buckets = True  # context_switch_param(auto_partition_to_buckets=…)
        self.successors_at_most = 0  # allocator_param(input_layer_max_successors=…)
        self.kv_cache = None  # set_kv_cache_global_params(PREFILL, CACHE)
        self.defused = {}  # layer → parts
        self.groups = []

    def parts(self, group):
        """Into how many parts a layer of `group` is defused."""
        return max((n for layer, n in self.defused.items() if layer.startswith(group + "/")), default=1)


def text_of(path_or_text):
    """A script may be given as a file or as its text."""
    text = os.fspath(path_or_text)
    if "\n" not in text and os.path.isfile(text):
        with open(text, encoding="utf-8") as file:
            return file.read()
    return text


def read_script(text, directives, layers, scopes):
    """Adds the commands of `text` to `directives`; returns them as printed in the log."""
    commands = []
    for line in text.splitlines():
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        match = _LINE.fullmatch(line)
        if not match:
            raise BackendScriptParserException(f"Parsing failed at:\n>!<{line}")
        command = match["command"]
        if command not in _COMMANDS:
            raise BackendScriptParserException(f"Parsing failed at:\n>!<{line}\n'{command}' is not a valid command")
        _apply(command, match["arguments"], directives, layers, scopes)
        commands.append(line)
    return commands


def _apply(command, arguments, directives, layers, scopes):
    plain = [part.strip() for part in arguments.split(",") if part.strip() and "=" not in part]
    named = dict(part.replace(" ", "").split("=", 1) for part in arguments.split(",") if "=" in part)
    if command == "set_kv_cache_global_params":
        directives.kv_cache = tuple(int(value) for value in plain[:2])
    elif command == "defuse":
        if not plain or plain[0] not in layers:
            raise AllocatorScriptParserException(f"Layer {plain[0] if plain else ''} not found in model")
        directives.defused[plain[0]] = int(plain[1])
    elif command == "network_group":
        for scope in arguments.strip("[] ").split(","):
            if scope.strip() not in scopes:
                raise AllocatorScriptParserException(f"Invalid scope name {scope.strip()}")
            directives.groups.append(scope.strip())
    elif command == "context_switch_param" and "auto_partition_to_buckets" in named:
        directives.partition_to_buckets = named["auto_partition_to_buckets"] != "False"
    elif command == "allocator_param" and "input_layer_max_successors" in named:
        directives.successors_at_most = int(named["input_layer_max_successors"])
