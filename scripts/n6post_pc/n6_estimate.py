"""What is known of how the OpenMV N6 will run a network: an estimate, for only ST's own compiler decides it.

Each thing that is said has its source in SOURCES. What nobody has written down is not said: an operator without a remark is
one of which nothing bad is known.
"""

from collections import Counter
from dataclasses import dataclass, field

from .graph import ONNX, TFLITE, Graph

SRAM = 4 * 448 * 1024  # bytes: npuRAM3 to npuRAM6

# How much ST's compiler has taken, as multiples of the bytes that are alive at once (it plans in its own way, and may work
# in place): 1674 KiB for the MoveNet of 192 (0.96), 1135 for YOLOv8n-pose of 256 (1.48), 2564 for YOLOv8n-seg of 320 (1.85).
TAKEN = 0.95, 1.9

SOURCES = {
    "activations": "0.95 to 1.9 times what is alive at once: so much did three models take, by ST's model zoo",
    "memory": "OpenMV, lib/stai/scripts/stm32n6.mpool: npuRAM3 to 6 of 448 KiB; what is more goes to PSRAM",
    "float": "ST, stneuralart_operator_support: layers in float are executed on the CPU",
    "softmax": "ST's report of a quantised ResNet-8: epoch 15 -SW- (Softmax); community.st.com, Edge AI",
    "bilinear": "ST's report of its MoveNet heatmaps: 3 software epochs Resize; giacomocolosio02/stm32n6-docs",
    "prime": "a user's network with a convolution of 257 channels, which ST's compiler left to the CPU; forums.openmv.io",
}

# Operators seen on the CPU in ST's reports although they were quantised, and the source.
_ON_CPU = {"SOFTMAX": "softmax", "Softmax": "softmax", "RESIZE_BILINEAR": "bilinear"}

# Known to fall off the NPU: convolutions with a prime number of channels such as 257. Small primes do not (13
# and 17 in the MoveNets), so only larger ones are named.
_HARMLESS = 256


@dataclass
class Estimate:
    """What is known of a network.

    activations     bytes that they take, at least and at most; None where the file does not tell
    on_cpu          (operator, how many, key of SOURCES)
    """

    activations: tuple[int, int] | None = None
    on_cpu: list[tuple[str, int, str]] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)

    def sources(self) -> list[str]:
        """The keys of SOURCES that what is said here rests on, each once."""
        memory = ["activations", "memory"] if self.activations else []
        return list(dict.fromkeys(memory + [source for _, _, source in self.on_cpu]))


def estimate(graph: Graph) -> Estimate | None:
    """What is known of a network that is not compiled yet; None for one that is."""
    if graph.form not in (TFLITE, ONNX):
        return None
    known = Estimate()
    if graph.form == TFLITE:
        least, most = (round(graph.peak() * times) for times in TAKEN)
        known.activations = least, most
    in_float = Counter(one.name for one in graph.operators if graph.form == TFLITE and graph.in_float(one))
    counts = graph.counts()
    for name, count in counts.items():
        if in_float[name]:
            known.on_cpu.append((name, in_float[name], "float"))
        if name in _ON_CPU and count > in_float[name]:
            known.on_cpu.append((name, count - in_float[name], _ON_CPU[name]))
    known.findings = _float_findings(graph, counts, in_float) + _prime_findings(graph) + _memory_findings(known.activations)
    return known


def _float_findings(graph: Graph, counts: Counter[str], in_float: Counter[str]) -> list[str]:
    if graph.form == ONNX:
        if counts["Conv"] and not counts["QuantizeLinear"]:
            return [
                f"layers: all {counts['Conv']} convolutions compute in float, and the N6's NPU takes int8 alone: quantise"
                " the network (QDQ, int8)"
            ]
        return []
    convolutions = [name for name in counts if "CONV" in name]
    floats = sum(in_float[name] for name in convolutions)
    if not floats:
        return []
    return [
        f"layers: {floats} of {sum(counts[name] for name in convolutions)} convolutions compute in float, and the NPUs"
        " take int8 alone: they run on the CPU, many times slower: export the network as int8"
    ]


def _prime_findings(graph: Graph) -> list[str]:
    """Channel counts that the NPU does not take."""
    channels = {one.channels for one in graph.operators if one.channels}
    return [
        f"layers: a convolution with {count} channels, a prime number, falls off the NPU and runs on the CPU,"
        f" many times slower: train the network with {count - 1} or {-(-count // 8) * 8} channels there"
        for count in sorted(channels)
        if count > _HARMLESS and all(count % i for i in range(2, int(count**0.5) + 1))
    ]


def _memory_findings(activations: tuple[int, int] | None) -> list[str]:
    if not activations or activations[0] <= SRAM:
        return []
    return [
        f"memory: its activations take {activations[0] / (1 << 20):.2f} MiB or more, and the N6's NPU has"
        f" {SRAM / (1 << 20):.2f} MiB: the rest goes to PSRAM, which is slow, and such networks have crashed the board:"
        " take a smaller input"
    ]
