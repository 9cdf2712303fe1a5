"""ONNX graph → HN layers, numbered as the DFC numbers them.

Counted per kind, in file order: an input is input_layerN, a product with a constant matrix convN, one of two
computed operands matmulN, an elementwise sum or product of two computed operands ew_addN or ew_multN. RMSNorm
is fused into one normalization and SiLU into the activation of what comes before it; biases, eps and scales
disappear into their layer. So a transformer layer has exactly five ew_add and five ew_mult, and the number of
one gives its layer and role.
"""

from .exceptions import MisspellNodeError, ParsingWithRecommendationException
from .onnx_graph import Tensor, product

# What only rearranges, or is fused into the layer before it.
_PASSED = {"Identity", "Cast", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Dropout"}
_FUSED = {"Relu", "Tanh", "Gelu", "Erf", "Neg", "Clip"}
_NORM_STEPS = {"Sqrt", "Reciprocal", "ReduceMean"}
_NORMS = {"RMSNormalization", "SimplifiedLayerNormalization", "LayerNormalization"}
_MOVED = {"Slice": "slice", "Gather": "slice", "Concat": "concat", "Split": "feature_splitter"}
_ELEMENTWISE = {"Add": "ew_add", "Mul": "ew_mult", "Sub": "ew_sub", "Div": "ew_div"}


def translate(graph, scope, start_names=None, end_names=None):
    """The HN of `graph`: {"name", "net_params", "layers"}. Raises the SDK's parsing exceptions."""
    known = {name for node in graph.nodes for name in [node.name, *node.outputs]}
    known |= {name for name, _ in graph.inputs}
    for name in [*(start_names or []), *(end_names or [])]:
        if name not in known:
            raise MisspellNodeError(f"Unable to find end node names: ['{name}'], please verify")
    translation = _Translation(graph, scope)
    translation.run()
    return translation.hn()


class _Translation:
    def __init__(self, graph, scope):
        self.graph, self.scope = graph, scope
        self.layers, self.counts = {}, {}
        self.made_by = {}  # tensor → name of the HN layer whose value it is
        self.norms = {}  # tensor inside an RMSNorm → tensor that is normalised
        self.sigmoids = {}  # tensor → what it is the sigmoid of
        self.constants = dict(graph.constants)
        self.errors = []

    def run(self):
        for name, shape in self.graph.inputs:
            self.add("input_layer", [], name, shape, name)
        for node in self.graph.nodes:
            self.node(node)
        if self.errors:
            raise ParsingWithRecommendationException(
                "Parsing failed. The errors found in the graph are:\n" + "\n".join(self.errors)
            )
        for name, shape in self.graph.outputs:
            if name in self.made_by:
                self.add("output_layer", [name], f"{name}/output", shape, name)

    def hn(self):
        outputs = [n for n, layer in self.layers.items() if layer["type"] == "output_layer"]
        return {
            "name": self.scope,
            "net_params": {"version": "1.0", "net_scopes": [self.scope], "output_layers_order": outputs},
            "layers": self.layers,
        }

    def add(self, kind, inputs, tensor, shape, original, **params):
        """A new layer of `kind` that reads the tensors `inputs` and makes `tensor`."""
        prefix = params.pop("prefix", kind)
        self.counts[prefix] = self.counts.get(prefix, 0) + 1
        name = f"{self.scope}/{prefix}{self.counts[prefix]}"
        feeding = list(dict.fromkeys(self.layer_of(entry) for entry in inputs))
        self.layers[name] = {
            "type": kind,
            "input": feeding,
            "output": [],
            "input_shapes": [self.layers[entry]["output_shapes"][0] for entry in feeding],
            "output_shapes": [_hn_shape(shape)],
            "original_names": [original],
            "params": params,
        }
        for entry in feeding:
            self.layers[entry]["output"].append(name)
        self.made_by[tensor] = name
        self.graph.shapes.setdefault(tensor, tuple(shape))
        return name

    def layer_of(self, tensor):
        """The layer that makes `tensor`; a sigmoid that is no part of a SiLU becomes a layer here."""
        if tensor not in self.made_by and tensor in self.sigmoids:
            base = self.sigmoids[tensor]
            self.add("activation", [base], tensor, self.shape(base), tensor, activation="sigmoid")
        if tensor not in self.made_by and tensor in self.norms:
            base = self.norms[tensor]
            self.add("reduce_mean", [base], tensor, self.shape(tensor), tensor)
        return self.made_by[tensor]

    def shape(self, tensor):
        return self.graph.shapes.get(tensor, ())

    def node(self, node):
        computed = [entry for entry in node.inputs if entry and entry not in self.constants]
        if not computed:
            self.constant(node)
        elif node.op in ("MatMul", "Gemm"):
            self.product(node, computed)
        elif node.op in _ELEMENTWISE:
            self.elementwise(node, computed)
        elif node.op in _PASSED or node.op in _FUSED:
            self.alias(node, computed[0])
        elif node.op == "Pow" or node.op in _NORM_STEPS:
            self.norm_step(node, computed[0])
        elif node.op == "Sigmoid":
            self.sigmoids[node.outputs[0]] = computed[0]
            self.graph.shapes.setdefault(node.outputs[0], self.shape(computed[0]))
        elif node.op in _NORMS:
            self.add("normalization", computed[:1], node.outputs[0], self.shape(computed[0]), node.name)
        elif node.op == "Softmax":
            self.add("softmax", computed, node.outputs[0], self.shape(computed[0]), node.name)
        elif node.op in _MOVED:
            self.moved(node, computed)
        else:
            self.errors.append(f" Unsupported{node.op}LayerError in op {node.name}: {node.op} operation is unsupported")
            self.alias(node, computed[0])

    def constant(self, node):
        """Constants of constants are folded; their bytes are never needed."""
        value = node.attributes.get("value")
        for output in node.outputs:
            folded = Tensor(output, self.shape(output))
            if isinstance(value, Tensor):
                folded.shape, folded.values = value.shape, value.values
            elif node.op == "Transpose" and node.inputs and not folded.shape:
                shape = self.shape(node.inputs[0])
                order = node.attributes.get("perm") or list(range(len(shape)))[::-1]
                folded.shape = tuple(shape[axis] for axis in order)
            elif node.inputs and not folded.shape:
                folded.shape = self.shape(node.inputs[0])
            self.constants[output] = folded
            self.graph.shapes[output] = folded.shape

    def product(self, node, computed):
        output = node.outputs[0]
        weights = [self.constants[entry] for entry in node.inputs[:2] if entry in self.constants]
        shape = self.shape(output) or self.product_shape(node)
        if not weights:
            self.add("matmul", node.inputs[:2], output, shape, node.name)
            return
        size = weights[0].shape or (1,)
        flat = size[-1] if len(size) < 2 else size[-2]
        kernel = [1, 1, flat, size[-1]]
        if node.op == "Gemm" and node.attributes.get("transB"):
            kernel = [1, 1, size[-1], flat]
        self.add("conv", computed[:1], output, shape, node.name, kernel_shape=kernel,
                 weights=product(size), groups=1, activation="linear")

    def product_shape(self, node):
        left, right = self.shape(node.inputs[0]), self.shape(node.inputs[1])
        if not left or not right:
            return left or right
        wide = right[-2] if node.attributes.get("transB") else right[-1]
        return (*left[:-1], wide)

    def elementwise(self, node, computed):
        output = node.outputs[0]
        left, right = (node.inputs + [""])[:2]
        if len(computed) == 1:  # bias, eps or scale
            inside = self.norms.get(computed[0])
            if inside is not None:
                self.norms[output] = inside
                self.graph.shapes.setdefault(output, self.shape(computed[0]))
            else:
                self.alias(node, computed[0])
            return
        if node.op == "Mul" and left == right:  # a square: the first step of a norm
            self.norm_step(node, left)
            return
        for value, other in ((left, right), (right, left)):
            if self.norms.get(other) is not None and value not in self.norms:
                self.add("normalization", [value], output, self.shape(value), node.name)
                return
            if node.op == "Mul" and self.sigmoids.get(other) == value:
                self.alias(node, value)
                self.layers[self.layer_of(value)]["params"]["activation"] = "silu"
                return
        shape = self.shape(output) or max(self.shape(left), self.shape(right), key=product)
        kind = _ELEMENTWISE[node.op]
        self.add(kind, [left, right], output, shape, node.name)

    def norm_step(self, node, tensor):
        self.norms[node.outputs[0]] = self.norms.get(tensor, tensor)
        self.graph.shapes.setdefault(node.outputs[0], self.shape(tensor))

    def alias(self, node, tensor):
        self.made_by[node.outputs[0]] = self.layer_of(tensor)
        if node.outputs[0] not in self.graph.shapes:
            self.graph.shapes[node.outputs[0]] = self.rearranged(node, tensor)

    def rearranged(self, node, tensor):
        shape = self.shape(tensor)
        if node.op == "Transpose" and shape:
            order = node.attributes.get("perm") or list(range(len(shape)))[::-1]
            return tuple(shape[axis] for axis in order)
        if node.op == "Reshape" and len(node.inputs) > 1:
            wanted = self.constants[node.inputs[1]].values if node.inputs[1] in self.constants else None
            if wanted:
                filled = [shape[i] if size == 0 and i < len(shape) else size for i, size in enumerate(wanted)]
                rest = product([size for size in filled if size > 0])
                return tuple(product(shape) // rest if size < 0 else size for size in filled)
        return shape

    def moved(self, node, computed):
        for output in node.outputs:
            shape = self.shape(output) or self.shape(computed[0])
            self.add(_MOVED[node.op], computed, output, shape, node.name)


def _hn_shape(shape):
    """ONNX's shape as the HN's [-1, height, width, channels]."""
    sizes = list(shape)[1:] or [1]
    return [-1, *([1] * (3 - len(sizes))), *sizes]
