"""Estimate how the OpenMV N6 will run a network. Only ST's own compiler can tell exactly.

Every statement has a source in SOURCES. An operator that is not mentioned has no known problem, because nothing has been
published about it.
"""

from collections import Counter
from dataclasses import dataclass, field

from .graph import ONNX, TFLITE, Graph

SRAM = 4 * 448 * 1024  # bytes: npuRAM3 to npuRAM6

# Memory that ST's compiler allocates, as multiples of the peak of live activations. It plans differently and may compute in
# place: 1674 KiB for MoveNet 192 (0.96), 1135 for YOLOv8n-pose 256 (1.48), 2564 for YOLOv8n-seg 320 (1.85).
TAKEN = 0.95, 1.9

SOURCES = {
    "activations": "0.95 to 1.9 times the peak of live activations, as for three models in ST's model zoo",
    "memory": "OpenMV, lib/stai/scripts/stm32n6.mpool: npuRAM3 to 6 of 448 KiB; the rest is placed in PSRAM",
    "float": "ST, stneuralart_operator_support: layers in float are executed on the CPU",
    "softmax": "ST's report of a quantized ResNet-8: epoch 15 -SW- (Softmax); community.st.com, Edge AI",
    "bilinear": "ST's report of its MoveNet heatmaps: 3 software epochs Resize; giacomocolosio02/stm32n6-docs",
    "prime": "a convolution of 257 channels, left to the CPU by ST's compiler, as a user reported; community.st.com 152688",
}

# Operators that run on the CPU in ST's reports although they are quantized, and the source.
_ON_CPU = {"SOFTMAX": "softmax", "Softmax": "softmax", "RESIZE_BILINEAR": "bilinear"}

# The NPU does not run convolutions with a prime number of channels such as 257. It does for small primes (13 and 17 in the
# MoveNets), so only larger ones are reported.
_HARMLESS = 256


@dataclass
class Estimate:
    """The estimate for a network.

    activations     (minimum, maximum) size of the activations in bytes; None if the file does not contain the shapes
    on_cpu          (operator, count, key of SOURCES) of operators that run on the CPU
    """

    activations: tuple[int, int] | None = None
    on_cpu: list[tuple[str, int, str]] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)

    def sources(self) -> list[str]:
        """The keys of SOURCES for this estimate, without duplicates."""
        memory = ["activations", "memory"] if self.activations else []
        return list(dict.fromkeys(memory + [source for _, _, source in self.on_cpu]))


def estimate(graph: Graph) -> Estimate | None:
    """Estimate how the N6 will run a network. None for a network that is already compiled."""
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
    if linear := sum(one.mode == "linear" for one in graph.operators):
        known.on_cpu.append(("Resize", linear, "bilinear"))
    known.findings = _float_findings(graph, counts, in_float) + _prime_findings(graph) + _memory_findings(known.activations)
    return known


def computes_in_float(graph: Graph) -> bool:
    """Whether most convolutions of a network compute in float."""
    counts = graph.counts()
    if graph.form == ONNX:
        return counts["Conv"] > 0 and not counts["QuantizeLinear"]
    convolutions = [one for one in graph.operators if "CONV" in one.name]
    return 2 * sum(map(graph.in_float, convolutions)) > len(convolutions)


def _float_findings(graph: Graph, counts: Counter[str], in_float: Counter[str]) -> list[str]:
    if graph.form == ONNX:
        if counts["Conv"] and not counts["QuantizeLinear"]:
            return [
                f"layers: all {counts['Conv']} convolutions compute in float, and the N6's NPU supports int8 only: quantize"
                " the network (QDQ, int8)"
            ]
        return []
    convolutions = [name for name in counts if "CONV" in name]
    floats = sum(in_float[name] for name in convolutions)
    if not floats:
        return []
    return [
        f"layers: {floats} of {sum(counts[name] for name in convolutions)} convolutions compute in float, and the NPUs"
        " support int8 only, so they run on the CPU, many times slower: export the network as int8"
    ]


def _prime_findings(graph: Graph) -> list[str]:
    """Findings about channel counts that the NPU does not support."""
    channels = {one.channels for one in graph.operators if one.channels}
    return [
        f"layers: a convolution with {count} channels, a prime number, runs on the CPU instead of the NPU, many times"
        f" slower: train the network with {count - 1} or {-(-count // 8) * 8} channels there"
        for count in sorted(channels)
        if count > _HARMLESS and all(count % i for i in range(2, int(count**0.5) + 1))
    ]


def _memory_findings(activations: tuple[int, int] | None) -> list[str]:
    if not activations or activations[0] <= SRAM:
        return []
    return [
        f"memory: its activations take {activations[0] / (1 << 20):.2f} MiB or more, and the N6's NPU has"
        f" {SRAM / (1 << 20):.2f} MiB: the rest is placed in PSRAM, which is slow, and such networks have crashed the"
        " board: use a smaller input"
    ]
