// Package chip prices what a chip has beside its network: cores, caches, the state of coherence,
// memory controllers and DRAM. Like package power, it is a pure function of counts and of a
// configuration.
//
// The types are Config (which cores, cells and DRAM), Hardware (what the chip consists of),
// Counters (what it did) and Energy (the parts, in J). NewPrices makes the prices of a chip;
// Prices.Of prices a run.
//
// # Model
//
// Rule 1. A core is the 4-wide out-of-order core of McPAT's sample Penryn.xml with a window of 64
// instructions: an energy per instruction, a clock energy per cycle and leakage. Medium and small
// cores are a quarter and 0.06 of it; the latter is an in-order core. Cycles without retirement
// draw a share of the clock energy. A core of known energies replaces it: CorePJ is all that an
// instruction costs, clock included, and CoreMW is the core's leakage.
//
// Rule 2. McPAT's core contains two L1 caches of 32 KB with 2 ways. Their price is moved from the
// core to the L1, which is then priced as the chip has it, so no access is charged twice.
//
// Rule 3. An L1 pays a word per access, a tag and a fill per miss, two tags per snooped request (of
// the instruction and the data cache) and a block for what it supplies to another core.
//
// Rule 4. An L2 bank reads tags first. It pays a tag per request, a block read per hit and a block
// write for what it stores. Cells of the bank have a type of their own; L1 caches are of fast
// cells.
//
// Rule 5. Coherence state is bits beside the tags: 10 per block for tokens, one per core in a
// directory. They enlarge a block of 512 bits and 40 bits of tag.
//
// Rule 6. A DRAM read or write pays activation and precharge unless it hits an open row, its burst,
// and the controller's energy per bit. Each controller has one rank, whose standby power follows
// from time. I/O and termination of the DRAM are left out.
//
// Rule 7. Caches between the sizes and the numbers of ways of the table are interpolated on
// logarithmic scales, as are those of sizes beyond its ends. More than 16 ways cost what 16 do.
//
// Rule 8. At 22 nm and below, energies of caches are those of 45 nm times a factor, because CACTI
// falls faster than published memories. Below 22 nm, everything else is 22 nm times a factor for
// logic or leakage. Controllers are priced at 90 and 65 nm only; their energy per bit stays below
// that, as drivers of pins do not shrink, and their leakage goes with that of cores.
//
// # Where prices come from
//
// The file caches.csv has the output of CACTI 7.0.3DD for fast cells. The file prices.csv has one
// other price or factor a line, with its source and how sure it is. Prices hold at 350 K, at which
// CACTI and McPAT 1.3 were run. Caches are known to 25 % at 45 nm and to a factor of 2 elsewhere,
// cores to a factor of 3, DDR3 and DDR4 to 30 %. The factors of cells are those of a cache of 32
// KB; at other sizes the leakage of lstp-hp is 0.6 to 1.3 times that.
package chip
