"""Carousel's networks in Python: the functions of carousel.h, with the standard library alone.

    import carousel

    with carousel.Network({"topology": "torus:8x8", "routers": ["mrr"]}, library="./libcarousel.so") as network:
        network.offer(source=0, destinations=[9, 63], phits=5, tag=1)
        while network.owed:
            network.step(network.now + 1000)
            for d in network.deliveries():
                print(d.tag, d.node, d.arrived - d.offered)

The library is built with "go build -buildmode=c-shared -o libcarousel.so ./cmd/libcarousel" and found by the argument
library, the environment variable CAROUSEL_LIBRARY, beside this file, or by the system's search. Times are cycles and
lengths are phits. carousel.h describes each function in full.
"""

import ctypes
import ctypes.util
import json
import os
from typing import NamedTuple

__all__ = ["Network", "Delivery", "Owed", "Totals", "Packet", "Error", "NEVER"]

NEVER = 2**63 - 1  # the result of Network.next if nothing can happen


class Error(Exception):
    """A call that the library refuses. The text says what is wrong and what is allowed."""


class Packet(NamedTuple):
    """A packet for Network.run. It is offered in a cycle; tag is returned with each of its deliveries."""

    cycle: int
    source: int
    destinations: list
    phits: int
    tag: int = 0
    class_: int = 0


class Delivery(NamedTuple):
    """One copy of a packet that has arrived at a node."""

    offered: int
    injected: int
    arrived: int
    tag: int
    source: int
    node: int
    hops: int
    class_: int


class Owed(NamedTuple):
    """A destination of a packet in flight. offered is None while the packet waits for room in a source queue."""

    offered: int
    tag: int
    source: int
    node: int
    phits: int
    class_: int


class Totals(NamedTuple):
    """Sums since the last reset. buffered, owed and waiting are current values."""

    cycles: int
    offered: int
    injected: int
    delivered: int
    phits: int
    phit_hops: int
    buffered: int
    owed: int
    waiting: int
    dynamic_joules: float
    static_joules: float


class _Packet(ctypes.Structure):
    _fields_ = [("cycle", ctypes.c_uint64), ("destinations", ctypes.POINTER(ctypes.c_uint32)), ("count", ctypes.c_uint32),
                ("source", ctypes.c_uint32), ("tag", ctypes.c_uint32), ("phits", ctypes.c_uint16), ("class_", ctypes.c_uint8),
                ("unused", ctypes.c_uint8)]


class _Delivery(ctypes.Structure):
    _fields_ = [("offered", ctypes.c_uint64), ("injected", ctypes.c_uint64), ("arrived", ctypes.c_uint64), ("tag", ctypes.c_uint32),
                ("source", ctypes.c_uint32), ("node", ctypes.c_uint32), ("hops", ctypes.c_uint16), ("class_", ctypes.c_uint8),
                ("unused", ctypes.c_uint8)]


class _Owed(ctypes.Structure):
    _fields_ = [("offered", ctypes.c_uint64), ("tag", ctypes.c_uint32), ("source", ctypes.c_uint32), ("node", ctypes.c_uint32),
                ("phits", ctypes.c_uint16), ("class_", ctypes.c_uint8), ("unused", ctypes.c_uint8)]


class _Totals(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double if "joules" in name else ctypes.c_uint64) for name in Totals._fields]


_NETWORK, _WORD, _SIZE, _TEXT, _ANY = ctypes.c_int64, ctypes.c_uint32, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p
_FUNCTIONS = {
    "open": [_TEXT], "close": [_NETWORK], "nodes": [_NETWORK], "now": [_NETWORK], "next": [_NETWORK], "in_order": [_NETWORK],
    "limit_sink": [_NETWORK, _WORD, ctypes.c_uint8, _WORD], "free_sink": [_NETWORK, _WORD, ctypes.c_uint8],
    "offer": [_NETWORK, _ANY, _SIZE, _ANY], "step": [_NETWORK, ctypes.c_uint64], "start": [_NETWORK, ctypes.c_uint64],
    "done": [_NETWORK], "run": [_NETWORK, _ANY, _SIZE, ctypes.c_uint64], "deliveries": [_NETWORK, _ANY, _SIZE],
    "pending": [_NETWORK, _ANY, _SIZE], "sums": [_NETWORK, _ANY], "reset_sums": [_NETWORK],
    "report": [_NETWORK, _ANY, _SIZE], "explain": [_NETWORK, _ANY, _SIZE], "error": [_NETWORK, _ANY, _SIZE],
}


def _load(path):
    """Returns the library with the types of its functions."""
    if path is None:
        name = {"nt": "carousel.dll"}.get(os.name, "libcarousel.so")
        beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
        path = os.environ.get("CAROUSEL_LIBRARY") or (beside if os.path.exists(beside) else ctypes.util.find_library("carousel"))
        if path is None:
            raise Error(f"there is no {name} beside {__file__}; name the library with library= or CAROUSEL_LIBRARY")
    try:
        c = ctypes.CDLL(path)
    except OSError as why:
        raise Error(f"{path} cannot be loaded: {why}") from None
    for name, arguments in _FUNCTIONS.items():
        function = getattr(c, "carousel_" + name)
        function.restype, function.argtypes = ctypes.c_int64, arguments
    return c


def _whole(name, value, bits):
    """Returns a number that fits into an unsigned field; ctypes would cut it off."""
    if not isinstance(value, int) or not 0 <= value < 1 << bits:
        raise Error(f"{name} is {value!r}; whole numbers from 0 to {(1 << bits) - 1} are allowed")
    return value


def _packet(cycle, source, destinations, phits, tag, class_):
    """Returns a packet of the library. ctypes keeps its destinations alive."""
    nodes = [_whole("destination", n, 32) for n in destinations]
    to = (ctypes.c_uint32 * len(nodes))(*nodes)
    return _Packet(_whole("cycle", cycle, 64), to, len(nodes), _whole("source", source, 32), _whole("tag", tag, 32), _whole("phits", phits, 16),
                   _whole("class_", class_, 8), 0)


class Network:
    """A network at cycle 0.

    configuration is a dictionary, or JSON or YAML text, with the keys of "carousel help configuration".
    """

    def __init__(self, configuration, library=None):
        self._handle = 0
        self._c = _load(library)
        text = configuration if isinstance(configuration, str) else json.dumps(configuration)
        self._handle = self._call("open", text.encode(), handle=False)
        self._arrived = (_Delivery * 256)()

    def _call(self, name, *arguments, handle=True):
        if handle and self._handle == 0:
            raise Error("the network is closed")
        result = getattr(self._c, "carousel_" + name)(*((self._handle,) if handle else ()), *arguments)
        if result < 0:
            raise Error(f"{name}: {self._text('error', handle)}")
        return result

    def _text(self, name, handle=True):
        function, of = getattr(self._c, "carousel_" + name), self._handle if handle else 0
        room = function(of, None, 0) + 1
        if room <= 0:
            raise Error(self._text("error") if name != "error" else "there is no such network")
        text = ctypes.create_string_buffer(room)
        function(of, text, room)
        return text.value.decode(errors="replace")

    def close(self):
        """Frees the network. Further calls raise Error."""
        if self._handle:
            self._call("close")
            self._handle = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def nodes(self):
        """Number of nodes, numbered from 0."""
        return self._call("nodes")

    @property
    def now(self):
        """The current cycle, which the next step simulates first."""
        return self._call("now")

    @property
    def next(self):
        """A cycle before which nothing arrives if the caller does nothing; NEVER if the network is empty."""
        return self._call("next")

    @property
    def in_order(self):
        """Whether packets of one source, destination and class arrive in the order of their offers."""
        return self._call("in_order") == 1

    @property
    def owed(self):
        """Number of deliveries that the caller has not taken."""
        return self._call("pending", None, 0)

    def offer(self, source, destinations, phits, tag=0, class_=0):
        """Offers a packet in the current cycle. Returns False if its source queue has no room."""
        packet = _packet(0, source, destinations, phits, tag, class_)
        return self._call("offer", ctypes.byref(packet), 1, None) == 1

    def step(self, until):
        """Simulates up to and not including a cycle and returns the current one.

        A step ends early after a cycle with a delivery, or in which a source queue that had refused a packet got room.
        """
        return self._call("step", _whole("until", until, 64))

    def start(self, until):
        """Starts a step in a thread of the library and returns at once. Other calls wait for its end."""
        self._call("start", _whole("until", until, 64))

    @property
    def done(self):
        """Whether the step of start has ended."""
        return self._call("done") == 1

    def run(self, packets, until):
        """Offers each Packet in its cycle and simulates up to a cycle. Packets without room wait in the library."""
        list_ = [_packet(*Packet(*p)._asdict().values()) for p in packets]
        return self._call("run", (_Packet * len(list_))(*list_), len(list_), _whole("until", until, 64))

    def deliveries(self):
        """Yields each Delivery that the caller has not taken, in order of arrival and then of node."""
        while count := self._call("deliveries", self._arrived, len(self._arrived)):
            for d in [Delivery(*(getattr(d, name) for name in Delivery._fields)) for d in self._arrived[:count]]:
                yield d

    def pending(self):
        """Returns an Owed for each destination of each packet in flight, in order of their offers and then of nodes."""
        count = self.owed
        list_ = (_Owed * count)()
        self._call("pending", list_, count)
        return [Owed(None if o.offered == 2**64 - 1 else o.offered, o.tag, o.source, o.node, o.phits, o.class_) for o in list_]

    def limit_sink(self, node, class_, places):
        """Bounds the sink of a node and class to a number of packets."""
        self._call("limit_sink", _whole("node", node, 32), _whole("class_", class_, 8), _whole("places", places, 32))

    def free_sink(self, node, class_):
        """Gives back one place of a bounded sink."""
        self._call("free_sink", _whole("node", node, 32), _whole("class_", class_, 8))

    def totals(self):
        """Returns the Totals of the network."""
        sums = _Totals()
        self._call("sums", ctypes.byref(sums))
        return Totals(*(getattr(sums, name) for name in Totals._fields))

    def reset(self):
        """Lets totals and report start again at 0. Packets in flight and the current cycle stay."""
        self._call("reset_sums")

    def report(self):
        """Returns a dictionary with the counters of routers and links, the hardware, and the energy by part."""
        return json.loads(self._text("report"))

    def explain(self):
        """Returns a text: which packets cannot move, what they hold and what they wait for."""
        return self._text("explain")
