"""The exceptions of the SDK, by name."""


class BackendAllocatorException(Exception):
    """The allocator found no place for the network, or its native part crashed."""


class BackendRuntimeException(Exception):
    """The compiler's own machinery failed."""


class BackendScriptParserException(Exception):
    """A line of the model script cannot be parsed."""


class AllocatorScriptParserException(Exception):
    """A line of the model script names what the model does not have."""


class ParsingWithRecommendationException(Exception):
    """The ONNX graph has an operation that cannot be translated."""


class MisspellNodeError(Exception):
    """A start or end node is not in the graph."""


class UnsupportedModelError(Exception):
    """The file is no model that can be translated."""


class InvalidHNError(Exception):
    """The network description contradicts itself."""


class SubprocessTracebackFailure(Exception):
    """A child of the SDK ended with a traceback."""


class BadInputsShape(Exception):
    """Calibration values have another shape than the network's input."""


class NegativeSlopeExponentNonFixable(Exception):
    """A quantised slope has too few bits."""


class AccelerasResourceError(Exception):
    """The quantisation ran out of a resource."""


class AccelerasInitializationError(Exception):
    """The quantisation could not start."""
