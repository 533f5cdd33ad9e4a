"""MjpegServer on sockets of this file, and `load` with a processor of the script's own."""

import errno
import sys


class Client:
    """The server's side of a connection: it takes a few bytes a call, and sometimes none."""

    def __init__(self, request, steps):
        self.request, self.steps, self.got = request, steps, b""

    def setblocking(self, flag):
        print("blocking", flag)

    def setsockopt(self, level, option, value):
        raise OSError(errno.EOPNOTSUPP, "failed")

    def recv(self, size):
        part, self.request = self.request[:size], self.request[size:]
        if not part:
            raise OSError(errno.EAGAIN, "failed")
        return part

    def send(self, data):
        step = self.steps.pop(0) if self.steps else 1000
        if step < 0:
            raise OSError(-step, "failed")
        self.got += bytes(data[:step])
        return min(step, len(data))

    def close(self):
        print("closed", self.got[:40])


class Listener:
    def __init__(self, waiting):
        self.waiting = waiting

    def accept(self):
        if not self.waiting:
            raise OSError(errno.EAGAIN, "failed")
        return self.waiting.pop(0), ("10.0.0.1", 80)

    def close(self):
        print("listener closed")


class Frame:
    def __init__(self, number):
        self.number = number

    def to_jpeg(self, quality, copy):
        print("compressed", self.number, quality, copy)
        return self

    def bytearray(self):
        return bytearray(b"frame %d" % self.number)


class Model:
    input_shape, output_shape, output_dtype, labels = ((1, 64, 64, 3),), ((1, 6, 84),), ("b",), ["cup", "spoon"]
    input_dtype, output_scale, output_zero_point = ("b",), (1 / 255,), (-128,)

    def __init__(self, path, postprocess=None):
        self.postprocess = postprocess


class Models:
    pass


class Own:
    def __init__(self, labels=None):
        self.labels = labels

    def __call__(self, model, inputs, outputs):
        return self.labels


def stream():
    from n6post.streams import mjpeg_server

    class Server(mjpeg_server.MjpegServer):
        def _listen(self):
            self._poll, self._open_port, self._no_delay = None, self.port, (6, 1)
            self._listener = Listener(list(clients))

    ask = b"GET / HTTP/1.1\r\n\r\n"
    clients = [
        Client(ask, [5, -errno.EAGAIN, 400]),
        Client(ask, [1000, 1000, -errno.ECONNRESET]),
        Client(b"GET /a HTTP/1.1\r\n\r\n", []),
        Client(b"POST", []),
    ]
    server = Server(quality=30)
    for number in range(8):
        print(number, server.send(Frame(number)), server.clients, len(server._connections))
    server.close()
    for client in clients:
        print(client.got)
    for wrong in (None, 3, "x"):
        try:
            server.send(wrong)
        except ValueError as error:
            print(error)
    for name, value in (("port", 0), ("quality", 1.5), ("timeout", "5"), ("max_clients", 99)):
        try:
            setattr(server, name, value)
        except ValueError as error:
            print(error)


def own():
    import n6post

    before = sys.modules.get("ml")
    Models.Model = Model
    sys.modules["ml"] = Models
    for processor in (Own(), Own(["a"]), n6post.YoloV8(classes=["spoon"]), n6post.Depth(), n6post.DeepLab(), print):
        model = n6post.load("/nowhere/two.tflite", processor=processor)
        print(model.postprocess is processor, getattr(processor, "labels", "none"))
    for options in (
        {"processor": Own},
        {"processor": 3},
        {"processor": n6post.YoloV8},
        {"processor": Own(), "threshold": 0.5, "labels": ["a"]},
        {"processor": n6post.YoloV8(classes=["knife"])},
    ):
        try:
            n6post.load("/nowhere/two.tflite", **options)
        except (ValueError, TypeError) as error:
            print(error)
    if before is not None:
        sys.modules["ml"] = before
