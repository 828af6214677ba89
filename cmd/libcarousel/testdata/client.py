"""Sends a schedule of packets through a network, cycle by cycle, and prints a digest of what arrives.

    client.py LIBRARY CONFIGURATION SCHEDULE CYCLES
"""

import sys

import carousel

WORD = (1 << 64) - 1


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
    return z ^ z >> 31


def main(library, configuration, schedule, cycles):
    lines = [tuple(map(int, line.split())) for line in open(schedule)]
    now = at = digest = copies = 0
    with carousel.Network(configuration, library) as network:
        while now < int(cycles):
            while at < len(lines) and lines[at][0] <= now:
                cycle, source, tag, phits, class_, node = lines[at]
                if not network.offer(source, [node], phits, tag, class_):
                    raise RuntimeError("a packet is refused")
                at += 1
            now = network.step(lines[at][0] if at < len(lines) else int(cycles))
            for d in network.deliveries():
                digest = mix(digest ^ (d.arrived << 24) + d.node)
                digest = mix(digest ^ ((d.arrived - d.offered) << 32) + (d.source << 12) + (d.hops << 3) + d.class_)
                copies += 1
    print(f"{digest:016x} {copies}")


main(*sys.argv[1:])
