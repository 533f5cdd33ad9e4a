"""Which operators a model may have on the cameras that run it with TensorFlow Lite Micro: all but the N6.

One that the firmware was built without makes ml.Model refuse the file ("Failed to allocate tensors"). The list is that of
openmv/openmv, lib/tflm/tflm_backend.cc, the same in 4.8.1, 5.0.0 and the development after it.
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
    """The operators of a .tflite that the firmware has not, each once; none is told of other files.

    Custom ones for sound (Signal...) are passed over: which of them there are is not in the list.
    """
    if network.form not in (TFLITE, VELA):
        return []
    names = set(network.counts()) - OPERATORS - {VELA_OPERATOR}
    return sorted(name for name in names if not name.startswith("Signal"))


def refused(names: list[str]) -> str:
    return f"its firmware has no {', '.join(names)}, and ml.Model refuses a model with that"
