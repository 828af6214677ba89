#!/usr/bin/env python3
"""An example of a network: one router for all nodes. Each node sends a phit per cycle, and each sink takes
one packet at a time. Multicasts are copied at the outputs.

    chmod +x crossbar.py
    carousel traffic --router base,program:./crossbar.py
"""
from collections import deque

import carousel_router as carousel

LATENCY = 3  # cycles from input to output


class Crossbar(carousel.Network):
    flags = carousel.TAKES_SETS | carousel.HEEDS_ROOM | carousel.KEEPS_CLASSES_APART

    def __init__(self, setup):
        self.nodes, self.classes = setup.nodes, setup.classes
        self.routers = 1
        self.places = [(0, n, 0, n) for n in range(setup.nodes)]  # node n is at port n of router 0
        self.sending = [0] * setup.nodes  # until this cycle the node's input is busy
        self.last = [0] * setup.nodes     # class that the node sent last
        self.waiting = [deque() for _ in range(setup.nodes * setup.classes)]  # per sink: (first cycle, id, phits)
        self.leaving = [None] * (setup.nodes * setup.classes)  # per sink: (cycle of the tail, id)

    def cycle(self, io):
        for node in {node for node, _ in io.offers}:
            if self.sending[node] <= io.now:
                self.inject(io, node)
        for sink in range(self.nodes * self.classes):
            self.eject(io, sink)

    def inject(self, io, node):
        for k in range(1, self.classes + 1):  # classes take turns
            offer = io.offers.get((node, (self.last[node] + k) % self.classes))
            if offer:
                break
        io.take(offer, len(offer.set))
        self.last[node] = offer.class_
        self.sending[node] = io.now + offer.phits
        for to in offer.set:
            self.waiting[to * self.classes + offer.class_].append((io.now + LATENCY, offer.id, offer.phits))

    def eject(self, io, sink):
        node, class_ = divmod(sink, self.classes)
        if self.leaving[sink] is None and self.waiting[sink]:
            first, id, phits = self.waiting[sink][0]
            if first <= io.now and io.room(node, class_) > 0:
                self.waiting[sink].popleft()
                self.leaving[sink] = (io.now + phits - 1, id)
        if self.leaving[sink] and self.leaving[sink][0] <= io.now:
            io.arrive(self.leaving[sink][1], node, 0)
            self.leaving[sink] = None

    def explain(self):
        return "; ".join(f"{len(q)} packets wait for sink {i % self.classes} of node {i // self.classes}" for i, q in enumerate(self.waiting) if q)


carousel.run(Crossbar)
