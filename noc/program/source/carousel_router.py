"""The frame of a network in Python that runs as a program under Carousel, interface version 1.

Write a class like Network below and call run(YourClass). Its methods are those of carousel_router.h, and
"carousel help detachable" describes the messages behind them. What the network prints appears in Carousel's
error messages. Only the standard library is used.
"""
import os
import struct
import sys

VERSION = 1
UNLIMITED = 0xFFFFFFFF  # places of a sink without a limit
TAKES_SETS, HEEDS_ROOM, KEEPS_CLASSES_APART, EVERY_CYCLE, COUNTS_EVENTS = 1, 2, 4, 8, 16


class Offered:
    """The packet at the head of the source queue of a node and class."""
    __slots__ = ("id", "source", "destination", "phits", "class_", "set")

    def __init__(self, id, source, destination, phits, class_, set):
        self.id, self.source, self.destination, self.phits, self.class_, self.set = id, source, destination, phits, class_, set


class Network:
    """What a network is made of. A shape is what you set in __init__; everything has a default."""
    flags = 0
    longest = 0      # packet that the network takes, in phits; 0: all that Carousel offers
    routers = 0      # 0: one per node
    links = ()       # (from, to, output port, input port) of each link, ordered by router and output port
    places = ()      # per node: (router and port that it sends into, router and port that it receives from)
    phit_bits = 128  # width of a link
    ports = virtual_channels = buffers = depth = crossbar = 0  # of one router, for the price of its events

    def __init__(self, setup):
        """setup has nodes, classes, longest, class_longest, seed, radix, rings, topology and options.
        Raise an exception with a text to refuse."""

    def cycle(self, io):
        """Simulate the cycle io.now: take packets with io.take, and report tails with io.arrive."""
        raise NotImplementedError

    def explain(self):
        """Return who waits for what, as a text."""
        return ""

    def check(self):
        """Return what is wrong with the network's own state, "" if nothing is."""
        return ""


class IO:
    """What Carousel and the network exchange."""

    def __init__(self, setup, network):
        self.now = 0
        self.classes = setup.classes
        self.offers = {}  # by (node, class)
        self.inside = 0
        self.rooms = {}   # by node*classes + class
        self.taken, self.arrived = [], []
        routers = network.routers or setup.nodes
        self.link_phits = [0] * len(network.links)
        # Per router: buffer writes, reads, crossbar phits, requests, grants, lookups, copies, busy cycles.
        self.events = [[0] * 8 for _ in range(routers)]

    def take(self, offer, copies=1):
        """Take an offered packet; copies is its number of destinations with TAKES_SETS."""
        del self.offers[offer.source, offer.class_]
        self.taken.append(offer.id)
        self.inside += copies

    def arrive(self, id, node, hops):
        """A node consumes the tail of a packet, which has crossed so many links."""
        self.arrived.append((id, node, hops))
        self.inside -= 1

    def room(self, node, class_):
        """Free places of a sink."""
        return self.rooms.get(node * self.classes + class_, UNLIMITED)


class Setup:
    def __init__(self, body):
        (version, self.nodes, self.classes, self.longest, self.seed) = struct.unpack_from("<4IQ", body)
        if version != VERSION:
            raise ValueError(f"version {version} of the interface is asked for, and the program has version {VERSION}")
        self.class_longest = struct.unpack_from("<8I", body, 24)
        dimensions, rings = struct.unpack_from("<2I", body, 56)
        self.radix = struct.unpack_from("<8I", body, 64)[:dimensions]
        self.rings = [bool(rings >> d & 1) for d in range(dimensions)]
        name, options = struct.unpack_from("<2I", body, 96)
        self.topology = body[104:104 + name].decode()
        self.options = body[104 + name:104 + name + options].decode()


def _shape(n):
    body = struct.pack("<16I", VERSION, n.flags, n.longest, n.routers, len(n.links), bool(n.places), n.phit_bits, n.ports,
                       n.virtual_channels, n.buffers, n.depth, n.crossbar, 1, 1, 0, 0)
    for link in n.links:
        body += struct.pack("<2I2H", *link)
    for entry, entry_port, exit, exit_port in n.places:
        body += struct.pack("<2I2H", entry, exit, entry_port, exit_port)
    return body


def _run(n, io, body, words):
    io.now, until, offers, rooms = struct.unpack_from("<2Q2I", body)
    at = 24
    for _ in range(offers):
        id, source, destination, phits, class_ = struct.unpack_from("<3IHB", body, at)
        at += 16
        nodes = None
        if n.flags & TAKES_SETS:
            nodes = [64 * w + b for w, word in enumerate(struct.unpack_from(f"<{words}Q", body, at)) for b in range(64) if word >> b & 1]
            at += 8 * words
        io.offers[source, class_] = Offered(id, source, destination, phits, class_, nodes)
    for sink, places in struct.iter_unpack("<2I", body[at:at + 8 * rooms]):
        io.rooms[sink] = places
    io.taken, io.arrived = [], []
    while io.now < until and not io.taken and not io.arrived:
        n.cycle(io)
        io.now += 1
    done = struct.pack("<Q4I", io.now, io.inside, len(io.taken), len(io.arrived), 0)
    done += struct.pack(f"<{len(io.taken)}I", *io.taken)
    return done + b"".join(struct.pack("<3I", *a) for a in io.arrived)


def run(make):
    """Serve Carousel until it closes standard input. make is the class of the network."""
    source, output = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the network prints is no answer
    network = io = None
    words = 1

    def send(tag, body):
        output.write(struct.pack("<I", len(body)) + tag + body)
        output.flush()

    while len(head := source.read(8)) == 8:
        size, tag = struct.unpack("<I4s", head)
        body = source.read(size)
        if tag == b"NEWN":
            try:
                setup = Setup(body)
                network = make(setup)
            except Exception as wrong:
                send(b"FAIL", (str(wrong) or repr(wrong)).encode())
                raise
            words, io = (setup.nodes + 63) // 64, IO(setup, network)
            send(b"SHAP", _shape(network))
        elif tag == b"RUNC":
            send(b"DONE", _run(network, io, body, words))
        elif tag == b"COUN":
            counters = list(io.link_phits)
            if network.flags & COUNTS_EVENTS:
                counters += [event for router in io.events for event in router]
            send(b"SUMS", struct.pack(f"<{len(counters)}Q", *counters))
        elif tag in (b"EXPL", b"CHEC"):
            send(b"TEXT", (network.explain() if tag == b"EXPL" else network.check()).encode())
        else:
            send(b"FAIL", b"unknown message " + tag)
