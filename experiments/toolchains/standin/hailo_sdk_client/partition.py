"""The partitioner, with the finding's fault as a mechanism.

Layers fill buckets in order. In a network group with cache inputs the shared inputs are one resource: all are
pinned to one bucket, that of their last consumers. As soon as those lie in a later bucket, consumers in an
earlier one come before their own input. A group without cache inputs gets a copy of each shared input per
bucket, so nothing is out of order. Nothing here looks at the number of transformer layers.
"""

from . import memory
from .exceptions import BackendAllocatorException

# The check gives up on an input after so many successors that are out of order.
_REPORTED_PER_INPUT = 2


class Partition:
    """Where the layers of one network group went."""

    def __init__(self, group, layers, buckets):
        self.group, self.layers, self.buckets = group, layers, buckets
        self.count = max(buckets.values(), default=0) + 1


def has_cache(layers):
    return any(layer.get("io_type") == "cache" for layer in layers.values())


def shared_inputs(layers):
    """Inputs beside the main path: what reads them are elementwise operations, of every layer alike."""
    return [
        name
        for name, layer in layers.items()
        if layer["type"] == "input_layer"
        and layer.get("io_type") != "cache"
        and layer["output"]
        and all(layers[reader]["type"] in ("ew_add", "ew_mult") for reader in layer["output"])
    ]


def fill_buckets(layers, capacity, positions, one_bucket=False):
    """Layer → bucket, in order; an input goes where its first reader is."""
    buckets, bucket, used = {}, 0, 0
    for name, layer in layers.items():
        needed = memory.layer_bytes(layer, positions)
        if used and used + needed > capacity and not one_bucket:
            bucket, used = bucket + 1, 0
        used += needed
        buckets[name] = bucket
    for name, layer in layers.items():
        if layer["type"] == "input_layer" and layer["output"]:
            buckets[name] = min(buckets[reader] for reader in layer["output"])
    return buckets, used


def check_defuse(layers, group, parts):
    """The vocabulary wall: comes before buckets are filled, and so masks what they would show."""
    convs = [layer for layer in layers.values() if layer["type"] == "conv"]
    if not convs:
        return
    features = convs[-1]["params"]["kernel_shape"][-1]
    complaints = []
    if memory.subclusters(features, parts) > memory.SCS:
        complaints.append(f"Auto defused failed layer {group}/defuse1 required too many SCs")
    needed = memory.memory_units(parts)
    if needed > memory.UNITS_AVAILABLE:
        complaints.append(
            f"Memory units capacity exceeded (available: {memory.UNITS_AVAILABLE}, required: {needed})"
        )
    if complaints:
        raise BackendAllocatorException("Compilation failed: " + "\n".join(complaints))


def partition(layers, group, capacity, positions, directives):
    """Places the layers of `group`; raises what the allocator raises when it cannot."""
    one_bucket = not directives.partition_to_buckets
    buckets, used = fill_buckets(layers, capacity, positions, one_bucket)
    if one_bucket and used > capacity:
        raise BackendAllocatorException(
            "Compilation failed: Compiler could not find a valid partition to contexts. Most commom error is: "
            f"Automri finished with too many resources on context_{used // capacity} with 62/184 failures."
        )
    return Partition(group, layers, buckets)


def conflicts(made, successors_at_most=0):
    """(input, bucket, successor, bucket) of every pair that is out of order and that the check reports.

    `successors_at_most` is allocator_param(input_layer_max_successors=…): an input with more readers becomes
    several, each of them pinned by itself.
    """
    if not has_cache(made.layers):
        return []
    found = []
    shared = [(name, made.layers[name]["output"]) for name in shared_inputs(made.layers)]
    size = successors_at_most or max((len(readers) for _, readers in shared), default=0)
    runs = range(0, max((len(readers) for _, readers in shared), default=0), max(size, 1))
    pins = {
        at: max((made.buckets[r] for _, readers in shared for r in readers[at : at + size]), default=0)
        for at in runs
    }
    for name, readers in shared:
        late = [
            (name, pins[at], reader, made.buckets[reader])
            for at in runs
            for reader in readers[at : at + size]
            if made.buckets[reader] < pins[at]
        ]
        found += late[:_REPORTED_PER_INPUT]
    return found


def topology_message(found):
    """All conflicts as the one message that the real compiler gives."""
    sentences = " ".join(
        f"{node} (bucket_{bucket}) is in later context than its successor {successor} (bucket_{earlier})."
        for node, bucket, successor, earlier in found
    )
    return f"Context-Partition topology error: {sentences}"
