"""What each layer needs, and what an architecture has. All by arithmetic on shapes: no weight is read.

The numbers are the stand-in's own: nobody outside knows the real ones. They are chosen so that small models
fit one bucket, the finding's 24 layers do not, and the vocabulary wall stands where it was met.
"""

from .onnx_graph import product

KIB, MIB = 1 << 10, 1 << 20

# Bytes that one bucket holds.
CAPACITY = {
    "hailo15h": 384 * MIB,
    "hailo15m": 192 * MIB,
    "hailo15l": 128 * MIB,
    "hailo10h": 256 * MIB,
    "hailo10p": 256 * MIB,
    "hailo12l": 128 * MIB,
}
# However small, a layer occupies whole memory units.
UNIT = 512 * KIB

# The vocabulary wall. A subcluster makes 256 features of a defused part; 16 parts stand side by side in one
# context, which has 300 subclusters to give them; each part, and the concatenation, has its memory units.
SC_FEATURES, SCS, PARTS_ABREAST = 256, 300, 16
PART_UNITS, CONCAT_UNITS, UNITS_AVAILABLE = 4, 2, 128


def layer_bytes(layer, positions=1):
    """Weights at 8 bits plus activations, in whole units. `positions`: by how many the sequence is shorter."""
    if layer["type"] in ("input_layer", "output_layer"):
        return 0
    weights = layer["params"].get("weights", 0)
    activations = sum(product(shape[1:]) for shape in layer["output_shapes"]) // positions
    return -(-max(weights + activations, 1) // UNIT) * UNIT


def parts_abreast(parts):
    """How many of a defused layer's parts one context holds."""
    contexts = -(-parts // PARTS_ABREAST)
    return -(-parts // contexts)


def subclusters(features, parts):
    """Subclusters that `features`, in that many parts, need in one context."""
    return parts_abreast(parts) * -(-(-(-features // parts)) // SC_FEATURES)


def memory_units(parts):
    """Memory units that a layer in that many parts needs."""
    return parts * PART_UNITS + CONCAT_UNITS if parts > 1 else 1
