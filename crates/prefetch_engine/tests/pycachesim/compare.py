# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""compare.py ACCESSES COUNTS: replays what examples/replay.rs wrote through pycachesim and compares hits and misses.

pycachesim (RRZE-HPC, PyPI) is a simulator of its own, in C. The hierarchy is put together as the model states it: a first
level that is written through and not filled by stores, a second and third that are written back; stores go to the second.
Exit status 1 if a count differs by more than APART_PERCENT of the level's accesses, which
docs/micro-partition-prefetch.md states.
"""

import struct
import sys

from cachesim import Cache, CacheSimulator, MainMemory

APART_PERCENT = 0.01


def hierarchy(line, shapes):
    memory = MainMemory()
    (sets3, ways3), (sets2, ways2), (sets1, ways1) = shapes[2], shapes[1], shapes[0]
    third = Cache("L3", sets3, ways3, line, "LRU", write_back=True, write_allocate=True)
    memory.load_to(third)
    memory.store_from(third)
    second = Cache("L2", sets2, ways2, line, "LRU", write_back=True, write_allocate=True, load_from=third, store_to=third)
    first = Cache("L1", sets1, ways1, line, "LRU", write_back=False, write_allocate=False, load_from=second, store_to=second)
    return CacheSimulator(first, memory), [first, second, third]


def main():
    accesses, printed = sys.argv[1:]
    line, shapes, ours = None, [], []
    for words in (text.split() for text in open(printed)):
        if words[0] == "line":
            line = int(words[1])
        else:
            sets, ways, hits, misses = map(int, words[2:])
            shapes.append((sets, ways))
            ours.append((hits, misses))
    simulator, levels = hierarchy(line, shapes)
    with open(accesses, "rb") as data:
        for (word,) in struct.iter_unpack("<Q", data.read()):
            if word & 1:
                # In pycachesim, a store that hits does not update the LRU order; the load before it does.
                levels[1].backend.load(word >> 1, 1)
                levels[1].backend.store(word >> 1, 1)
            else:
                simulator.load(word >> 1, length=1)
    wrong = 0
    for level, (hits, misses) in zip(levels, ours):
        theirs = level.stats()
        pairs = [("hits", hits, theirs["HIT_count"]), ("misses", misses, theirs["MISS_count"])]
        accessed = max(hits + misses, 1)
        for name, own, other in pairs:
            off = abs(own - other) / accessed * 100
            print(f"{level.name} {name}: model {own}, pycachesim {other}, {off:.3f} % of the accesses apart")
            wrong += off > APART_PERCENT
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
