"""The operators of TensorFlow Lite Micro in the firmware, which runs the models on all cameras except the N6.

If the firmware lacks an operator of a model, ml.Model raises "Failed to allocate tensors". The list is from
openmv/openmv, lib/tflm/tflm_backend.cc. It is the same in 4.8.1, in 5.0.0 and on the development branch since then.
"""

from .graph import TFLITE, VELA, VELA_OPERATOR, Graph

OPERATORS = frozenset("""
    ABS ADD ADD_N ARG_MAX ARG_MIN ASSIGN_VARIABLE AVERAGE_POOL_2D BATCH_MATMUL BATCH_TO_SPACE_ND BROADCAST_ARGS BROADCAST_TO
    CALL_ONCE CAST CEIL CONCATENATION CONV_2D COS CUMSUM DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE DIV ELU EMBEDDING_LOOKUP
    EQUAL EXP EXPAND_DIMS FILL FLOOR FLOOR_DIV FLOOR_MOD FULLY_CONNECTED GATHER GATHER_ND GREATER GREATER_EQUAL HARD_SWISH IF
    L2_NORMALIZATION L2_POOL_2D LEAKY_RELU LESS LESS_EQUAL LOG LOGICAL_AND LOGICAL_NOT LOGICAL_OR LOGISTIC LOG_SOFTMAX
    MAXIMUM MAX_POOL_2D MEAN MINIMUM MIRROR_PAD MUL NEG NOT_EQUAL PACK PAD PADV2 PRELU QUANTIZE READ_VARIABLE REDUCE_MAX RELU
    RELU6 RESHAPE RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR ROUND RSQRT SELECT_V2 SHAPE SIN SLICE SOFTMAX SPACE_TO_BATCH_ND
    SPACE_TO_DEPTH SPLIT SPLIT_V SQRT SQUARE SQUARED_DIFFERENCE SQUEEZE STRIDED_SLICE SUB SUM SVDF TANH TRANSPOSE
    TRANSPOSE_CONV UNIDIRECTIONAL_SEQUENCE_LSTM UNPACK VAR_HANDLE WHILE ZEROS_LIKE
""".split())  # fmt: skip


def missing(network: Graph) -> list[str]:
    """The operators of a .tflite that the firmware lacks, without duplicates. An empty list for other files.

    Custom operators for sound (Signal...) are ignored, because the list does not contain them.
    """
    if network.form not in (TFLITE, VELA):
        return []
    names = set(network.counts()) - OPERATORS - {VELA_OPERATOR}
    return sorted(name for name in names if not name.startswith("Signal"))


def refused(names: list[str]) -> str:
    return f"its firmware has no {', '.join(names)}, so ml.Model cannot load the model"
