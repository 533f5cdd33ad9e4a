"""The inputs and outputs of a .tflite file, as a camera's `ml.Model` describes them. The fields are those of TensorFlow's
schema.fbs."""

from struct import unpack_from

_CODES = {0: "f", 3: "B", 7: "h", 9: "b", 16: "H"}  # TensorType: the firmware's letters


class Table:
    """A table of a flatbuffer; fields by their number in the schema."""

    def __init__(self, data, at):
        self.data, self.at = data, at

    def _number(self, form, at):
        return unpack_from("<" + form, self.data, at)[0]

    def _place(self, field):
        vtable = self.at - self._number("i", self.at)
        entry = 4 + 2 * field
        offset = self._number("H", vtable + entry) if entry < self._number("H", vtable) else 0
        return self.at + offset if offset else 0

    def number(self, field, form):
        """0 if it is not there, which is the schema's default."""
        at = self._place(field)
        return self._number(form, at) if at else 0

    def numbers(self, field, form):
        at = self._place(field)
        if not at:
            return ()
        at += self._number("I", at)
        return unpack_from(f"<{self._number('I', at)}{form}", self.data, at + 4)

    def text(self, field):
        return bytes(self.numbers(field, "B")).decode()

    def table(self, field):
        at = self._place(field)
        return Table(self.data, at + self._number("I", at)) if at else None

    def tables(self, field):
        at = self._place(field)
        if not at:
            return []
        at += self._number("I", at)
        places = range(at + 4, at + 4 + 4 * self._number("I", at), 4)
        return [Table(self.data, place + self._number("I", place)) for place in places]


def read(data):
    """{"inputs": [...], "outputs": [...]}: name, shape, dtype, scale and zero_point of each. ValueError for other files.

    name    that of the file's signature, by which LiteRT knows the tensor
    """
    if data[4:8] != b"TFL3":
        raise ValueError("this is no .tflite model")
    if b"ethos-u" in data:
        raise ValueError("compiled by Vela for an Ethos-U: a browser needs the file that it was compiled from")
    try:
        model = Table(data, unpack_from("<I", data)[0])
        main = model.tables(2)[0]
        tensors = main.tables(0)
        signature = [one for one in model.tables(7) if not one.number(4, "I")][:1]
        return {
            "inputs": [_described(tensors, i, [s.tables(0) for s in signature]) for i in main.numbers(1, "i")],
            "outputs": [_described(tensors, i, [s.tables(1) for s in signature]) for i in main.numbers(2, "i")],
        }
    except KeyError as error:
        raise ValueError(f"an input or output has a type that a camera does not support: TensorType {error}") from None
    except Exception:  # a truncated file, or one with wrong offsets, can fail anywhere
        raise ValueError("a damaged .tflite: it is truncated, or its content is inconsistent") from None


def _described(tensors, number, names):
    tensor = tensors[number]
    name = next((one.text(0) for maps in names for one in maps if one.number(1, "I") == number), tensor.text(3))
    made = {"name": name, "shape": tensor.numbers(0, "i"), "dtype": _CODES[tensor.number(1, "b")],
            "scale": 1.0, "zero_point": 0}  # fmt: skip
    quantization = tensor.table(4)
    scales = quantization.numbers(2, "f") if quantization else ()
    if len(scales) == 1:
        made["scale"] = scales[0] or 1.0
        made["zero_point"] = (quantization.numbers(3, "q") or (0,))[0]
    return made
