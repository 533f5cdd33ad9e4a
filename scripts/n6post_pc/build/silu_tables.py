"""SiLU as one table of the Ethos-U55: `build --vela --silu-tables`.

An int8 file computes x * sigmoid(x) with two operators, LOGISTIC and MUL. A function of an int8 number is a table of 256
bytes, and the NPU looks such tables up within the convolution before. TensorFlow Lite has no operator for SiLU. So
`replaced` writes HARD_SWISH in its place, which Vela compiles into a table, and `written` writes SiLU over that table.

For that it reads the commands of the NPU. They say which table an operation looks up; the biases say which one it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..models.graph import VELA_OPERATOR
from ..optimize.tflite_file import TfliteFile

Array = np.ndarray[Any, Any]

SIZE = 256  # bytes of a table
_OFF = 1  # HARD_SWISH is computed in 16 bits, which rounds otherwise

# Commands of the Ethos-U55, which set parameters or begin something: Arm's register list, in ethos-u-vela.
_OPERATIONS = _CONV, _DEPTHWISE, _POOL, _ELEMENTWISE = 2, 3, 5, 6
_WITH_BIASES = _CONV, _DEPTHWISE
_DMA_START = 0x010
_OFM_DEPTH, _ACTIVATION, _SCALE_REGION, _FROM_REGION, _TO_REGION = 0x113, 0x125, 0x129, 0x130, 0x131
_SCALE_BASE, _FROM, _TO, _LENGTH = 0x4022, 0x4030, 0x4031, 0x4032
_LONG = 0x4000
_STREAM, _CONFIG, _CONFIG_WORDS = 2, 1, 3  # for the driver

_CONSTANTS = 0  # the region of the file's constants
_INTERNAL = 0x100  # the region is in the NPU itself, which holds tables there
_HELD, _FIRST_TABLE = 8, 16  # so many; the activation that means the first one
_CHANNEL, _BIAS = 10, 5  # bytes of a channel's bias, multiplier and shift; of the bias


@dataclass(frozen=True)
class Silu:
    """A SiLU of a network: the quantization around it, and the biases of the convolution that it follows, if it does."""

    scale: float
    zero_point: int
    scale_after: float
    zero_point_after: int
    biases: tuple[int, ...]

    def table(self) -> Array:
        """SiLU of -128 to 127: int8 [256], the nearest step to x / (1 + exp(-x))."""
        x = self._values()
        return self._rounded(x / (1 + np.exp(-x)))

    def stand_in(self) -> Array:
        """HARD_SWISH's table, up to the rounding of its arithmetic."""
        x = self._values()
        return self._rounded(x * np.clip(x + 3, 0, 6) / 6)

    def _values(self) -> Array:
        return (np.arange(-128, 128) - self.zero_point) * self.scale

    def _rounded(self, values: Array) -> Array:
        return np.clip(np.round(values / self.scale_after) + self.zero_point_after, -128, 127).astype(np.int8)


@dataclass(frozen=True)
class LookUp:
    """An operation of the NPU that looks its results up in a table.

    table       offset of the table in the constants
    biases      of its channels; empty for what is no convolution
    """

    table: int
    biases: tuple[int, ...]


def replaced(data: bytes) -> tuple[bytes, list[Silu]]:
    """A .tflite with HARD_SWISH in place of each int8 SiLU, and what it replaced. CannotOptimize for other files."""
    file = TfliteFile(data)
    silus = []
    for logistic, product in list(_pairs(file)):
        silus.append(_described(file, logistic, product))
        file.replace_operator(logistic, "HARD_SWISH", file.graph.operators[product].outputs)
        file.kept.remove(product)
    return file.data(), silus


def _pairs(file: TfliteFile) -> Iterator[tuple[int, int]]:
    """(LOGISTIC, MUL) of each int8 x * sigmoid(x) whose sigmoid nothing else reads."""
    for product, name in enumerate(file.names):
        reads = file.inputs(product)
        if name != "MUL" or file.kinds[file.outputs(product)[0]] != "INT8":
            continue
        for x, sigmoid in (reads, reads[::-1]):
            maker = file.maker.get(sigmoid)
            if maker is None or file.names[maker] != "LOGISTIC" or file.inputs(maker) != [x]:
                continue
            if file.readers(sigmoid) == [product] and sigmoid not in file.output_tensors:
                yield maker, product


def _described(file: TfliteFile, logistic: int, product: int) -> Silu:
    (x,) = file.inputs(logistic)
    maker, biases = file.maker.get(x), ()
    if maker is not None and file.names[maker] in ("CONV_2D", "DEPTHWISE_CONV_2D") and len(file.inputs(maker)) == 3:
        biases = tuple(file.constant(file.inputs(maker)[2]).tolist())
    before, after = file.described(x), file.described(file.outputs(product)[0])
    return Silu(before.scale, before.zero_point, after.scale, after.zero_point, biases)


def written(compiled: bytes, silus: list[Silu]) -> bytes:
    """What Vela made of `replaced`, with SiLU's tables. ValueError unless each operation looks up the one that it needs."""
    from ai_edge_litert import schema_py_generated as schema

    data = bytearray(compiled)
    model = schema.Model.GetRootAsModel(data, 0)
    graph = model.Subgraphs(0)
    found: list[set[int]] = [set() for _ in silus]  # the channels whose operations look up its table
    for number in range(graph.OperatorsLength()):
        operator = graph.Operators(number)
        if model.OperatorCodes(operator.OpcodeIndex()).CustomCode() != VELA_OPERATOR.encode():
            continue
        commands, constants = (
            model.Buffers(graph.Tensors(operator.Inputs(at)).Buffer()).DataAsNumpy() for at in range(2)
        )
        tables: dict[int, bytes] = {}
        try:
            reading = list(look_ups(commands.tobytes(), constants.tobytes()))
        except (KeyError, IndexError, RuntimeError) as error:
            raise ValueError("the file that Vela made has commands of another form than expected") from error
        for one in reading:
            new = _table_for(one, constants[one.table : one.table + SIZE].view(np.int8), silus, found)
            if tables.setdefault(one.table, new) != new:
                raise ValueError("two operations that need different tables share one in the file that Vela made")
        for table, new in tables.items():
            constants[table : table + SIZE] = np.frombuffer(new, np.uint8)  # in `data`
    for silu, channels in zip(silus, found, strict=True):
        if len(channels) != max(1, len(silu.biases)):
            raise ValueError("the file that Vela made does not look up the table of each SiLU")
    return bytes(data)


def _table_for(one: LookUp, has: Array, silus: list[Silu], found: list[set[int]]) -> bytes:
    """The table that an operation needs: that of its SiLU, or the one that it has. Notes its channels in `found`."""
    needs = set()
    for silu, channels in zip(silus, found, strict=True):
        at = _position(one.biases, silu.biases)
        if at is None or np.abs(has.astype(int) - silu.stand_in()).max() > _OFF:
            continue
        channels.update(range(at, at + len(one.biases)) if silu.biases else (0,))
        needs.add(silu.table().tobytes())
    if len(needs) > 1:
        raise ValueError("two SiLUs that need different tables cannot be told apart in the file that Vela made")
    return needs.pop() if needs else has.tobytes()


def _position(part: tuple[int, ...], whole: tuple[int, ...]) -> int | None:
    """The channel at which these biases begin in a convolution's, which Vela may compute in parts. 0: it has none."""
    if not whole:
        return 0
    places = range(len(whole) - len(part) + 1) if part else ()
    return next((at for at in places if whole[at : at + len(part)] == part), None)


def look_ups(commands: bytes, constants: bytes) -> Iterator[LookUp]:
    """The operations that look up a table, in a command stream of Vela's."""
    parameters: dict[int, int] = {}
    tables: dict[int, int] = {}  # number of the table that the NPU holds: where it is from
    copies: list[tuple[int, int, int]] = []  # of constants into SRAM: to, from, bytes
    for code, value in _commands(np.frombuffer(commands, "<u4").tolist()):
        if code == _DMA_START:
            come, to, length = parameters[_FROM], parameters[_TO], parameters[_LENGTH]
            if parameters[_TO_REGION] & _INTERNAL:
                tables.update({(to + at) // SIZE % _HELD: come + at for at in range(0, length, SIZE)})
            elif parameters[_FROM_REGION] == _CONSTANTS:
                copies.append((to, come, length))
        elif code in _OPERATIONS:
            table = (parameters.get(_ACTIVATION, 0) & 31) - _FIRST_TABLE
            if table >= 0:
                biases = ()
                if code in _WITH_BIASES:
                    at = parameters[_SCALE_BASE]
                    if parameters[_SCALE_REGION] != _CONSTANTS:
                        at = next(come + at - to for to, come, n in reversed(copies) if to <= at < to + n)
                    channels = range(at, at + (parameters[_OFM_DEPTH] + 1) * _CHANNEL, _CHANNEL)
                    biases = tuple(int.from_bytes(constants[k : k + _BIAS], "little", signed=True) for k in channels)
                yield LookUp(tables[table], biases)
        else:
            parameters[code] = value


def _commands(words: list[int]) -> Iterator[tuple[int, int]]:
    """(code, value) of each command behind the words for the driver; those with _LONG have their value in the next word."""
    at = 1  # behind "COP1"
    while words[at] & 0xFF != _STREAM:
        at += _CONFIG_WORDS if words[at] & 0xFF == _CONFIG else 1
    stream = iter(words[at + 1 : at + 1 + (words[at] >> 16 | (words[at] & 0xFF00) << 8)])
    for word in stream:
        yield word & 0xFFFF, next(stream) if word & _LONG else word >> 16
