"""Sends a schedule of packets through a network, cycle by cycle, and prints a digest of what arrives.

    client.py LIBRARY CONFIGURATION SCHEDULE CYCLES
"""

import ctypes
import sys


class Packet(ctypes.Structure):
    _fields_ = [("cycle", ctypes.c_uint64), ("destinations", ctypes.POINTER(ctypes.c_uint32)), ("count", ctypes.c_uint32),
                ("source", ctypes.c_uint32), ("tag", ctypes.c_uint32), ("phits", ctypes.c_uint16), ("class_", ctypes.c_uint8),
                ("unused", ctypes.c_uint8)]


class Delivery(ctypes.Structure):
    _fields_ = [("offered", ctypes.c_uint64), ("injected", ctypes.c_uint64), ("arrived", ctypes.c_uint64), ("tag", ctypes.c_uint32),
                ("source", ctypes.c_uint32), ("node", ctypes.c_uint32), ("hops", ctypes.c_uint16), ("class_", ctypes.c_uint8),
                ("unused", ctypes.c_uint8)]


WORD = (1 << 64) - 1


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
    return z ^ z >> 31


class Network:
    def __init__(self, library, configuration):
        self.c = ctypes.CDLL(library)
        for function in "open", "close", "nodes", "offer", "step", "deliveries", "error":
            getattr(self.c, "carousel_" + function).restype = ctypes.c_int64
        self.handle = 0
        self.handle = ctypes.c_int64(self.call("open", configuration.encode()))
        self.arrived = (Delivery * 64)()

    def call(self, function, *arguments):
        result = getattr(self.c, "carousel_" + function)(*arguments)
        if result < 0:
            text = ctypes.create_string_buffer(500)
            self.c.carousel_error(self.handle, text, ctypes.c_size_t(500))
            raise RuntimeError(f"{function}: {text.value.decode()}")
        return result

    def offer(self, source, tag, phits, class_, *nodes):
        to = (ctypes.c_uint32 * len(nodes))(*nodes)
        packet = Packet(0, to, len(nodes), source, tag, phits, class_, 0)
        return self.call("offer", self.handle, ctypes.byref(packet), ctypes.c_size_t(1), None) == 1

    def step(self, until):
        return self.call("step", self.handle, ctypes.c_uint64(until))

    def deliveries(self):
        while count := self.call("deliveries", self.handle, self.arrived, ctypes.c_size_t(64)):
            yield from self.arrived[:count]


def main(library, configuration, schedule, cycles):
    network = Network(library, configuration)
    lines = [tuple(map(int, line.split())) for line in open(schedule)]
    now = at = digest = copies = 0
    while now < int(cycles):
        while at < len(lines) and lines[at][0] <= now:
            cycle, source, tag, phits, class_, node = lines[at]
            if not network.offer(source, tag, phits, class_, node):
                raise RuntimeError("a packet is refused")
            at += 1
        now = network.step(lines[at][0] if at < len(lines) else int(cycles))
        for d in network.deliveries():
            digest = mix(digest ^ (d.arrived << 24) + d.node)
            digest = mix(digest ^ ((d.arrived - d.offered) << 32) + (d.source << 12) + (d.hops << 3) + d.class_)
            copies += 1
    network.call("close", network.handle)
    print(f"{digest:016x} {copies}")


main(*sys.argv[1:])
