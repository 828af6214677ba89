"""Tests carousel.py; the library is named by CAROUSEL_LIBRARY."""

import unittest

import carousel


class Networks(unittest.TestCase):
    def setUp(self):
        self.n = carousel.Network({"topology": "torus:4x4", "routers": ["mrr"]})
        self.addCleanup(self.n.close)

    def settle(self):
        arrived = []
        while self.n.owed and self.n.now < 10_000:
            self.n.step(10_000)
            arrived += self.n.deliveries()
        return arrived

    def test_multicast(self):
        self.assertEqual(self.n.nodes, 16)
        self.assertTrue(self.n.offer(3, [0, 3, 12], 5, tag=7, class_=2))
        self.assertEqual([(o.offered, o.tag, o.source, o.node, o.phits, o.class_) for o in self.n.pending()],
                         [(0, 7, 3, node, 5, 2) for node in (0, 3, 12)])
        arrived = self.settle()
        self.assertEqual(sorted(d.node for d in arrived), [0, 3, 12])
        self.assertTrue(all(d.tag == 7 and d.source == 3 and d.class_ == 2 and d.arrived > d.injected >= d.offered == 0 for d in arrived))
        self.assertEqual((self.n.pending(), self.n.next), ([], carousel.NEVER))

    def test_run(self):
        packets = [carousel.Packet(5, 0, [9], 5, tag) for tag in range(40)]  # more than a source queue holds
        self.assertEqual(self.n.run(packets, 20), 20)
        waiting = [o for o in self.n.pending() if o.offered is None]
        self.assertEqual(len(waiting), self.n.totals().waiting)
        self.assertGreater(len(waiting), 0)
        self.n.run([], 5000)
        self.assertEqual(sorted(d.tag for d in self.n.deliveries()), list(range(40)))

    def test_sinks(self):
        self.n.limit_sink(9, 1, 1)
        for source in range(3):
            self.n.offer(source, [9], 1, tag=source, class_=1)
        self.n.run([], 500)
        self.assertEqual((len(list(self.n.deliveries())), self.n.owed), (1, 2))
        self.assertIsInstance(self.n.explain(), str)
        self.n.free_sink(9, 1)
        self.n.run([], 1000)
        self.assertEqual((len(list(self.n.deliveries())), self.n.owed), (1, 1))

    def test_sums(self):
        self.n.offer(0, [5], 5)
        self.settle()
        first = self.n.totals()
        self.assertEqual((first.delivered, first.phits, first.owed), (1, 5, 0))
        self.assertGreater(first.dynamic_joules, 0)
        self.assertEqual(len(self.n.report()["Routers"]), 16)
        self.n.reset()
        self.assertEqual((self.n.totals().delivered, self.n.totals().dynamic_joules, self.n.report()["Cycles"]), (0, 0, 0))

    def test_beside(self):
        self.n.offer(0, [5], 5, tag=1)
        self.n.start(1000)
        while not self.n.done:
            pass
        self.assertEqual([d.tag for d in self.n.deliveries()], [1])
        self.assertLess(self.n.now, 1000)
        self.assertFalse(self.n.in_order)

    def test_errors(self):
        for text, wrong in {
            "nodes 0 to 15": lambda: self.n.offer(16, [0], 5),
            "given twice": lambda: self.n.offer(0, [1, 1], 5),
            "tag is -1": lambda: self.n.offer(0, [1], 5, tag=-1),
            "phits is 65537": lambda: self.n.offer(0, [1], 65537),
            "classes 0 to 5": lambda: self.n.limit_sink(0, 6, 1),
            "has no limit": lambda: self.n.free_sink(0, 0),
            "until is": lambda: self.n.step(2**63),
            "mrr": lambda: carousel.Network({"routers": ["mmr"]}),
            "cannot be loaded": lambda: carousel.Network("{}", library="/nowhere/libcarousel.so"),
        }.items():
            with self.assertRaises(carousel.Error) as raised:
                wrong()
            self.assertIn(text, str(raised.exception))
        self.n.close()
        with self.assertRaises(carousel.Error):
            self.n.step(1)


unittest.main()
