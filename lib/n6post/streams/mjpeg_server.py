"""`MjpegServer`: the frames of a loop as MJPEG over HTTP, for browsers and other programs that read such streams.

Every socket is non-blocking, and each call does what can be done at once: it takes new connections, reads requests and
passes on as many bytes as the network takes. The rest of a JPEG waits for the next call, so a slow client gets fewer frames
and the loop is never held up. The firmware's own module `rtsp` and OpenMV's example mjpeg_streamer.py wait for their client.

Protocol: HTTP/1.1, multipart/x-mixed-replace (RFC 2046, section 5.1, for its boundaries). The boundary is sent right after
each JPEG and not before the next one, because browsers show a part when its end arrives: otherwise they lag a frame behind.

Imported on first use.
"""

import errno
import select
import time

from micropython import const

from ..tensors.options import Configurable, Options, number

_BACKLOG = const(2)  # connections that wait for the next call
_SPARE = const(2)  # connections beside those that watch: for requests that are answered with an error
_REQUEST = const(2048)  # most bytes of a request
# lwIP keeps what a closed connection has not delivered for as long as this, in milliseconds, and then aborts it.
_ABORTED_AFTER = const(10000)

# No failure: the network takes no more bytes now, or has none for us.
_LATER = (errno.EAGAIN, errno.ETIMEDOUT, errno.EINPROGRESS, errno.ENOMEM, getattr(errno, "EWOULDBLOCK", errno.EAGAIN))

_STREAM = (
    b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\nCache-Control: no-store\r\n"
    b"Connection: close\r\n\r\n--frame\r\n"
)
_BOUNDARY = b"\r\n--frame\r\n"
_ERRORS = {
    404: "Not Found: the stream is at /",
    405: "Method Not Allowed: expected GET",
    503: "Service Unavailable: as many clients as max_clients allows are watching already",
}


class MjpegServer(Configurable):
    """Shows the frames of a loop in browsers, as MJPEG over HTTP, without ever holding up the loop.

        server = n6post.MjpegServer(8080)  # the network is up; browsers open http://ADDRESS:8080
        while True:
            img = cam.snapshot()
            server.send(img)

    Anybody in the network can watch: there is no password and no encryption.

    OSError if the port cannot be opened.
    """

    _option = Options("port")
    port = _option("port", 8080, number, 1, 65535)
    quality = _option("quality", 50, number, 1, 100)
    max_clients = _option("max_clients", 2, number, 1, 16)
    timeout = _option("timeout", 5.0, number, 0.1, 3600.0)

    def __init__(self, *first, **options):
        self._listener = self._poll = None
        self._open_port = 0
        self._connections = []
        super().__init__(*first, **options)
        self._listen()

    @property
    def clients(self):
        """How many clients watch now."""
        return sum([1 for one in self._connections if one.watches])

    def send(self, img):
        """Show this frame to the clients that have received the one before. Call it once a frame, after drawing.

        img     the frame. It is compressed once if a client is ready for it, and not otherwise; the picture itself stays as
                it is. A frame that is a JPEG already is sent as it is

        Returns how many clients watch. ValueError for anything but an image. OSError if the port cannot be opened. After a
        MemoryError, clients that watch go on with the next frame; a client whose request was lost is disconnected.
        """
        try:
            to_jpeg = img.to_jpeg
        except AttributeError:
            raise ValueError("MjpegServer.send: expected an image, got %r" % (img,)) from None
        count = self.poll()
        if not count:
            return 0
        frame = None
        for one in self._connections[:]:
            if one.watches and not one.parts:
                if frame is None:
                    jpeg = to_jpeg(quality=self.quality, copy=True)
                    data = memoryview(jpeg.bytearray())
                    header = "Content-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(data)
                    # With the image: its memory begins inside of a block, so the view alone would not keep it.
                    frame = (header.encode(), data, _BOUNDARY), jpeg
                one.begin(*frame)
                self._push(one)
        return self.clients

    def poll(self):
        """Take new clients and pass on what waits, without a new frame. Returns how many clients watch.

        `send` does this as well. A call between the steps of a long loop, such as after `predict`, raises the frame rate of
        clients: the N6 passes on up to 23 KB per client and call.
        """
        if self._open_port != self._values["port"]:
            self.close()
            self._listen()
        # Without a client and without this question, accept() would wait for up to a millisecond on lwIP.
        try:
            ready = self._poll is None or self._poll.poll(0)
        except OSError:  # the network was switched off, for example: begin again with the next call
            self.close()
            return 0
        connections = self._connections
        if not connections and not ready:
            return 0
        for one in connections[:]:
            if ready and one.socket is not None:
                self._receive(one)
            if one.parts:
                self._push(one)
            if one in connections:
                self._check_time(one)
        if ready:
            self._accept()
        return self.clients

    def close(self):
        """Close all connections and the port. The next `send` opens it again."""
        for one in self._connections:
            self._hang_up(one)
        self._connections = []
        self._open_port = 0
        listener = self._listener
        self._listener = self._poll = None
        if listener is not None:
            listener.close()

    def _listen(self):
        import socket  # not at the top: dir(n6post) imports this file, on a camera without a network, too

        port = self.port
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(socket.getaddrinfo("0.0.0.0", port)[0][-1])
            listener.listen(_BACKLOG)
            listener.setblocking(False)
        except OSError as error:
            listener.close()
            raise OSError(error.errno, "port %d cannot be opened: is the network up, and the port free?" % port) from None
        # Otherwise the end of a JPEG waits until the client has acknowledged the rest, for up to 200 ms.
        self._no_delay = getattr(socket, "IPPROTO_TCP", 6), getattr(socket, "TCP_NODELAY", 1)
        self._poll = _poll_for(listener)
        self._listener = listener
        self._open_port = port

    def _accept(self):
        connections = self._connections
        if len(connections) >= self.max_clients + _SPARE:
            return
        try:
            accepted = self._listener.accept()[0]
            accepted.setblocking(False)
        except OSError:  # nobody, or a client that has given up
            return
        try:
            accepted.setsockopt(self._no_delay[0], self._no_delay[1], 1)
        except OSError:
            pass  # a network without this option
        one = _Connection(accepted)
        connections.append(one)  # first: if the next line fails, the timeout still drops it
        if self._poll is not None:
            self._poll.register(accepted, select.POLLIN)
        self._receive(one)  # most requests are there already

    def _receive(self, one):
        """Read what a client has sent: its request. Afterwards only the end of its connection matters."""
        try:
            data = one.socket.recv(512)
        except OSError as error:
            if error.errno not in _LATER:
                self._drop(one)
            return
        if not data:
            self._drop(one)
        elif one.request is not None:
            try:
                self._read(one, one.request + data)
            except MemoryError:
                self._drop(one)  # its request is lost: it has to ask again
                raise

    def _read(self, one, request):
        if b"\r\n\r\n" in request:
            self._answer(one, request)
        elif len(request) > _REQUEST:
            self._drop(one)
        else:
            one.request = request

    def _answer(self, one, request):
        words = request.split(b"\r\n", 1)[0].split(b" ")
        status = 0
        if words[0] != b"GET":
            status = 405
        elif len(words) < 3 or words[1].split(b"?", 1)[0] != b"/":  # browsers also ask for /favicon.ico
            status = 404
        elif self._taken() >= self.max_clients:
            status = 503
        answer = _STREAM
        if status:
            text = "%s\n" % _ERRORS[status]
            header = "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
            answer = (header % (status, text.split(":")[0], len(text)) + text).encode()
        one.begin((answer,))
        # From here on nothing allocates: a client that watches has its header.
        one.request = None
        one.watches = not status
        self._push(one)

    def _taken(self):
        # Also by connections that were closed before their client had read everything: lwIP still holds their bytes. Its
        # memory is for two clients with 16 segments each, and send() waits for up to ten seconds when it is used up.
        return sum([1 for one in self._connections if one.watches or one.socket is None])

    def _push(self, one):
        """Send as much as the network takes now."""
        parts = one.parts
        try:
            while parts and one.part < len(parts):
                data = parts[one.part]
                if one.sent:
                    data = data[one.sent :]
                sent = one.socket.send(data)
                if sent:
                    one.since = time.ticks_ms()
                if sent < len(data):
                    one.sent += sent
                    return
                one.sent = 0
                one.part += 1
        except OSError as error:
            if error.errno not in _LATER:
                self._drop(one)
            return
        one.parts = one.image = None
        if not one.watches:
            self._drop(one)

    def _check_time(self, one):
        """Drop a client that has not asked, or not taken a byte, for longer than the timeout."""
        waited = time.ticks_diff(time.ticks_ms(), one.since)
        if one.socket is None:
            if waited > _ABORTED_AFTER:
                self._connections.remove(one)
        elif (one.parts or one.request is not None) and waited > int(self.timeout * 1000):
            if one.watches and one.parts:
                self._hang_up(one)
                one.since = time.ticks_ms()
            else:
                self._drop(one)

    def _hang_up(self, one):
        client = one.socket
        one.socket = one.parts = one.image = None
        one.watches = False
        if client is None:
            return
        try:
            if self._poll is not None:
                self._poll.unregister(client)
        except (OSError, KeyError):
            pass
        try:
            client.close()
        except OSError:
            pass

    def _drop(self, one):
        self._hang_up(one)
        if one in self._connections:
            self._connections.remove(one)


class _Connection:
    """A client.

    socket      its socket; None if it was dropped with bytes on their way
    request     what has arrived of its request; None: all of it
    watches     whether it gets the frames
    parts       the buffers that are sent now, or None; all clients share those of a frame
    image       the JPEG that they lie in
    part, sent  which of them, and how many of its bytes are sent
    since       ticks_ms when it last took a byte
    """

    def __init__(self, accepted):
        self.socket = accepted
        self.request = b""
        self.watches = False
        self.parts = self.image = None
        self.part = self.sent = 0
        self.since = time.ticks_ms()

    def begin(self, parts, image=None):
        self.part = self.sent = 0
        self.since = time.ticks_ms()
        self.image = image
        self.parts = parts


def _poll_for(listener):
    """A poll object with this socket; None on Windows, which has none."""
    try:
        poll = select.poll()
    except AttributeError:
        return None
    poll.register(listener, select.POLLIN)
    return poll
