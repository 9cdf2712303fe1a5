"""The graph of an ONNX file: nodes in file order, initializers by shape alone, and the shapes in between."""

import os

from . import wire

# What a small integer constant may weigh to be read: a Reshape's target, a Slice's border.
_READ_AT_MOST = 256
_INT64 = 7


class Node:
    """One operation: `attributes` holds integers, lists of integers and text, tensors as Tensor."""

    __slots__ = ("name", "op", "inputs", "outputs", "attributes")

    def __init__(self):
        self.name = self.op = ""
        self.inputs, self.outputs, self.attributes = [], [], {}


class Tensor:
    """A constant: its name, shape, and the values of small int64 ones."""

    __slots__ = ("name", "shape", "values")

    def __init__(self, name="", shape=()):
        self.name, self.shape, self.values = name, tuple(shape), None

    def elements(self):
        return product(self.shape)


class Graph:
    """`inputs` and `outputs` are (name, shape) in file order; initializers are no inputs."""

    def __init__(self):
        self.name = ""
        self.nodes, self.inputs, self.outputs = [], [], []
        self.constants, self.shapes = {}, {}


def product(shape):
    total = 1
    for size in shape:
        total *= max(size, 1)
    return total


def read_graph(path):
    """Reads `path`; raises wire.WireError when it is no ONNX file, OSError when it cannot be read."""
    path = os.fspath(path)
    source = wire.mapped(path)
    for number, kind, value in wire.fields(source, 0, len(source)):
        if number == 7 and kind == wire.BYTES:
            return _graph(source, *value)
    raise wire.WireError(f"{path} holds no graph")


def _text(source, value):
    return bytes(source[value[0] : value[1]]).decode("utf-8", "replace")


def _graph(source, begin, end):
    graph = Graph()
    inputs = []
    for number, _, value in wire.fields(source, begin, end):
        if number == 1:
            graph.nodes.append(_node(source, *value))
        elif number == 2:
            graph.name = _text(source, value)
        elif number == 5:
            tensor = _tensor(source, *value)
            graph.constants[tensor.name] = tensor
        elif number == 11:
            inputs.append(_value(source, *value))
        elif number == 12:
            graph.outputs.append(_value(source, *value))
        elif number == 13:
            name, shape = _value(source, *value)
            graph.shapes[name] = shape
    graph.inputs = [entry for entry in inputs if entry[0] not in graph.constants]
    for name, shape in graph.inputs + graph.outputs:
        graph.shapes.setdefault(name, shape)
    for tensor in graph.constants.values():
        graph.shapes[tensor.name] = tensor.shape
    return graph


def _node(source, begin, end):
    node = Node()
    for number, _, value in wire.fields(source, begin, end):
        if number == 1:
            node.inputs.append(_text(source, value))
        elif number == 2:
            node.outputs.append(_text(source, value))
        elif number == 3:
            node.name = _text(source, value)
        elif number == 4:
            node.op = _text(source, value)
        elif number == 5:
            name, attribute = _attribute(source, *value)
            node.attributes[name] = attribute
    return node


def _attribute(source, begin, end):
    name, result, many = "", None, []
    for number, kind, value in wire.fields(source, begin, end):
        if number == 1:
            name = _text(source, value)
        elif number == 3:
            result = wire.signed(value)
        elif number == 4:
            result = _text(source, value)
        elif number == 5:
            result = _tensor(source, *value)
        elif number == 8:
            many += [wire.signed(number) for number in wire.packed(source, kind, value)]
    return name, many if many else result


def _tensor(source, begin, end):
    tensor = Tensor()
    dims, kind_of, raw, listed = [], 0, None, []
    for number, kind, value in wire.fields(source, begin, end):
        if number == 1:
            dims += wire.packed(source, kind, value)
        elif number == 2:
            kind_of = value
        elif number == 7 and kind_of in (0, _INT64):
            listed += [wire.signed(entry) for entry in wire.packed(source, kind, value)]
        elif number == 8:
            tensor.name = _text(source, value)
        elif number == 9:
            raw = value
    tensor.shape = tuple(dims)
    if listed:
        tensor.values = listed
    elif kind_of == _INT64 and raw and raw[1] - raw[0] <= _READ_AT_MOST:
        bits = bytes(source[raw[0] : raw[1]])
        tensor.values = [
            int.from_bytes(bits[at : at + 8], "little", signed=True) for at in range(0, len(bits), 8)
        ]
    return tensor


def _value(source, begin, end):
    name, shape = "", ()
    for number, _, value in wire.fields(source, begin, end):
        if number == 1:
            name = _text(source, value)
        elif number == 2:
            shape = _type(source, *value)
    return name, shape


def _type(source, begin, end):
    for number, _, value in wire.fields(source, begin, end):
        if number == 1:
            for inner, _, shape in wire.fields(source, *value):
                if inner == 2:
                    return tuple(_dimension(source, *dim) for _, _, dim in wire.fields(source, *shape))
    return ()


def _dimension(source, begin, end):
    for number, _, value in wire.fields(source, begin, end):
        if number == 1:
            return value
    return 1
