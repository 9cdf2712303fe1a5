"""The enumerations that callers import from hailo_sdk_client.exposed_definitions."""

import enum


class Dims(str, enum.Enum):
    BATCH = "batch"
    HEIGHT = "height"
    WIDTH = "width"
    CHANNELS = "channels"


class States(str, enum.Enum):
    UNINITIALIZED = "uninitialized"
    HAILO_MODEL = "hailo_model"
    FP_OPTIMIZED_MODEL = "fp_optimized_model"
    QUANTIZED_MODEL = "quantized_model"
    COMPILED_MODEL = "compiled_model"


class InferenceContext(str, enum.Enum):
    SDK_NATIVE = "sdk_native"
    SDK_FP_OPTIMIZED = "sdk_fp_optimized"
    SDK_QUANTIZED = "sdk_quantized"
    SDK_HAILO_HW = "sdk_hailo_hw"
