"""A stand-in for the Hailo Dataflow Compiler's Python SDK: the same surface and log shapes, none of its code.

It reads real ONNX graphs, numbers layers as the DFC does, fills buckets by capacity, and fails as the real
finding failed, for a reason that arises from its partitioning. It needs nothing but Python's standard library.
"""

from .exceptions import (AccelerasInitializationError, AccelerasResourceError, AllocatorScriptParserException,
                         BackendAllocatorException, BackendRuntimeException, BackendScriptParserException,
                         BadInputsShape, InvalidHNError, MisspellNodeError, NegativeSlopeExponentNonFixable,
                         ParsingWithRecommendationException, SubprocessTracebackFailure, UnsupportedModelError)
from .exposed_definitions import Dims, InferenceContext, States
from .log import VERSION as __version__
from .runner import ClientRunner

STAND_IN = True
