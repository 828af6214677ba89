// Package power computes the energy of routers and links, and the area of routers. Energy is a
// pure function of event counters and time.
//
// A [Config] says how the network is built; [NewRouter] and [NewLink]
// turn it into the price lists [Router] and [Link]; their Price turns counters (noc.Activity) and
// cycles into a [Breakdown] in joules; [Compare] compares the price lists with what public tools
// print and with what was measured on silicon; a [PriceList] is the whole for people.
//
// Three profiles estimate the same events. Profile O repeats the circuit templates of Orion 2.0:
// SRAM or register FIFOs, a crossbar matrix of tri-state drivers. Profile O1 repeats those of Orion
// 1, its predecessor at 100 nm, which the MRR paper used: the crossbar is expensive, FIFOs are
// cheap, and there is no clock. Profile S is a closed form fitted to DSENT, a standard-cell router:
// flip-flop RAMs, multiplexers, gated clocks. In O a crossbar costs as much as two FIFO accesses,
// in S next to nothing, so the ratio of a rotary router to BASE differs by more than two between
// them. A conclusion holds only if profiles O and S, both FIFO organisations of S, and leakage
// scaled by 0.1 and 1 agree on its sign.
//
// Laws:
//
//   - Only noc and the standard library are imported. Nothing is simulated here, and no reference
//     value is looked up: a price follows from the equations, for every router that noc.Hardware
//     can describe.
//   - Energy is linear in every counter and in the number of cycles. A router without activity
//     spends clock and leakage only; the price of a network is the sum over its routers and links.
//   - The same counters give the same result, so a finished study can be priced again at another
//     technology. Floating-point numbers appear only after the run, on integer counts.
//
// What is not charged: routing tables and the destination-set memory of BASE-MC (as in the paper),
// the header logic of other routers with crossbars, network interfaces, and events that a router
// has no hardware for. A copy that BASE-MC makes is read again and crosses the crossbar again. If a
// header may choose among several virtual channels, the choice is charged once for each router,
// including the last one; the arbiters that choose are clocked only then, and always leak.
//
// Switching activity is the parameter Alpha. One half is exact for random data; 0.1 to 0.3 are
// often measured, so one half is rather too high. All terms that follow the data are linear in
// Alpha, so two values show the sensitivity (carousel report --set power.alpha).
//
// The reference rows have values for some sizes only. Tests therefore also vary sizes, clocks and
// voltages in small steps to find jumps. One jump remains: at 90 nm profile O folds drains of 10 um,
// so a price may fall by some per cent when a driver reaches this width.
//
// The loop is [Router.Price]. Equations stand one circuit per file: orion_*.go for profiles O and
// O1, cells.go for profile S; priceOrion and priceCells put circuits together to a router.
//
// To add a technology: add its table to orion.json and cells.json and its
// number to the list in config.go; if nothing public covers it, say so in [Config.Extrapolated].
//
// Letters. W bits of a phit, V supply, T cycle time, alpha switching activity (Rule 12), N
// entries of a FIFO, P ports, v virtual channels. Energies are per phit, and one phit moves W
// bits.
//
// # Profile O: circuit templates
//
// Rule 1, devices. Profile O repeats the circuit templates of ORION 2.0. CG(w, l) is the
// capacitance of a gate of width w with a wire of length l, CD(w, t, k) that of k stacked drains
// of type t; a drain of 10 um and more is folded, which halves its area. drv(C, t) is the width
// of a transistor that drives C within t, between 4 times the shortest channel and a largest
// width. node(i, o) is a NOR gate with fan-in i and fan-out o. A flip-flop is six NOR gates:
//
//	E_ff_switch = (3 node(2,1) + 2 node(2,3) + node(3,2) + load) V^2 / 2
//	E_ff_keep0 = node(2,3) V^2   E_ff_keep1 = node(3,2) V^2   E_ff_clk = 2 G V^2
//
// Rule 2, FIFOs. In a FIFO of registers, a write switches alpha W flip-flops and clocks W; a read
// clocks half of them, and a FIFO that shifts moves a quarter of its entries. In SRAM with one read
// and one write port, without a decoder because the pointers are one-hot, an access drives a word
// line and W bit lines. A read is differential: it pre-charges both bit lines and pays for the
// sense amplifiers, whatever the data, for the time T. FIFOs that share one crossbar input add an
// output driver.
//
// Rule 3, crossbar. A matrix of tri-state drivers: one traversal charges an input line, the
// output line that it goes to, and its control,
//
//	E_xbar = W alpha (Cin + Cout) V^2 / 2 + Cctl V^2
//
// BASE-MC replicates one output after the other, and pays for a traversal each.
//
// Rule 4, arbiters. Matrix arbiters keep R(R-1)/2 priorities in flip-flops, round robins R. A
// grant switches (R-1)/2 and 2 of them; requests, carries and grants are gates as in rule 1.
// Inputs have a round robin over virtual channels, outputs a matrix over the other ports.
//
// Rule 5, links. The capacitances of a wire to the planes and to a neighbour follow from width,
// spacing, thickness and height of its dielectric; each wire has two of both. Repeaters are those
// that make it fastest, as many as the whole number below the optimum. A phit that flips n bits
// costs n (wire + repeaters) V^2 / 2.
//
// Rule 6, clock and leakage. Every port has W clocked registers behind the link, behind the input
// FIFO and behind the crossbar, and with output FIFOs one rank more; ring segments count as such.
// Leakage is the sum over the templates' transistors of width times current, at the temperature
// of the tool.
//
// Rule 7, parameters. NVT transistors of ORION 2.0's technology file at 90, 65, 45 and 32 nm, its
// leakage and its global wires. 22 nm is extrapolated from 32 nm: capacitances of transistors by
// 0.50, lengths by 0.69, 0.8 V; what has no factor stays as at 32 nm. HVT transistors leak ORION's HVT
// currents; their widths and capacitances are those of NVT. From 65 to 32 nm ORION's currents rise by 3.13
// and its widths stay, so leakage rises: a property of the tool.
//
// # Profile O1: the first templates
//
// Rule 15, Orion 1. Rules 1 to 4 hold with the parameters of the public release of ORION 1: those
// of 0.8 um scaled to 100 nm, drains, wires and leakage once more by the release's factors towards
// 70 nm, and 1.2 V, as in the output of the tool that tests compare with. There are no registers
// behind links, FIFOs and crossbar, and no clock; flip-flops of arbiters are clocked when they are
// used. A read has neither sense amplifiers nor an output driver, and costs alpha of what it would
// if all columns switched. A link's wires have a fixed capacitance and two repeaters, which do not
// leak; the tool spaces them at twice the smallest distance, and rings as it does the wires of a
// crossbar.
//
// # Profile S: closed forms
//
// Rule 8, forms. A standard-cell router as DSENT 0.91 models it, with one RAM of N entries:
//
//	E_write = V^2 W (w0 + w1 N)      E_read = V^2 W (r0 + r1 N)
//	E_xbar(m) = V^2 W ((xa + xb P) + m (xc + xd P))
//	E_arb(R) = V^2 ar R        E_clk = V^2 (k0 + k1 P W) per cycle
//	P_leak = V (lb P W N + 3 lr P W + lx W P (P-1) + ls (P^2 (P-1) + P v (v-1)))
//	E_mux(k) = V^2 W xd k            E_reg = V^2 W xc
//
// The clock's term is the tree alone; clocked pins are in the events. With private banks per
// channel N is one channel's depth, and a read adds a multiplexer of v inputs. A link has a
// repeater per 3 mm and wires by rule 5.
//
// Rule 9, coefficients. They are fitted to DSENT's output at 45 and 32 nm, and at 22 nm to a few
// rows. 65 and 90 nm are extrapolated from 45 nm by the ratio of ORION 3.0's cells: capacitances
// by 1.75 and 2.4, leakage by 1.5. 16, 7, 5 and 3 nm are extrapolated from 22 nm by the factors for logic,
// wires and leakage of package chip.
//
// # Routers and networks
//
// Rule 10, hops. A phit of an input-buffered router costs a write, a read, the crossbar and a
// link on each hop, a packet one grant of each arbiter. A phit of a rotary router costs write and
// read of the input stage and its demultiplexer; in each segment a multiplexer of two, write,
// read and the wire to the next segment; in the output stage a multiplexer of two, write and
// read; and the link. A read that feeds the ring and the output at once is one read and a branch
// more. The first phit of a packet with a destination set pays for the test of its bits in every
// segment, and replication for writing two headers.
//
// Rule 11, totals. Energy is the sum over events of counts times prices, plus clock and leakage
// for the time of the run. StaticScale multiplies all leakage.
//
// Rule 12, activity. Alpha is the probability that a bit differs from the one before it on its
// wires, one half by default. In profile S data is three quarters of a write, all of a read's
// multiplexer, of the crossbar's wires and of links, and half of a register; the rest is clock. In
// profile O the differential read does not depend on data.
//
// # Area
//
// Rule 16, profile O. The area of ORION 2.0: cells of buffers with their lines, a crossbar of P W
// cross points a side, and the gates of the arbiters of rule 4 with 30 % of space. Below 65 nm gates
// scale like transistors. The tool has no pipeline registers; they are the flip-flops of rule 6.
//
// Rule 17, profile S. The area of DSENT is
//
//	W (entry P N + 3 register P + crossbar P^2) + arbiters
//
// fitted at 45 and 32 nm. The crossbar is wires, which are the same at both. Cells of other
// technologies from 90 to 22 nm follow the square of the feature size; below 22 nm, and with
// profile O1, there is no area. Gates stand to a register as in profile O.
//
// Rule 18, multiplexers. A rotary router has a multiplexer of two per bit behind each input stage
// and before each segment and output stage, with half as much space as gates.
//
// Rule 19, routing. A mask of N bits per output is flip-flops. The head of each of the two lanes of
// a segment is tested in every cycle. RR selects the bit of one destination from the mask: N-1
// multiplexers. MRR needs the destinations within the mask and those without, and whether there are
// any: 2 N AND and 2 (N-1) NOR gates. Each segment also chooses between the whole set and a part of
// it: N multiplexers. Links, the control of buffers and the destination-set memory of BASE-MC have
// no area here.
//
// # Validation
//
// Rule 13, tools. Profile O repeats ORION 2.0 within 1 %. Profile S is within 5 % of DSENT for a
// phit's total, 6 % for buffers, 5 % for crossbars and leakage, 10 % for arbiters, 12 % for the
// clock tree and 6 % for links of 1 to 3 mm at 1 to 3 GHz; 10 % at 22 nm. Areas are within 1 and 5 %.
// Tests compare with rows that the tools printed. The two tools themselves differ by factors of 1.1 to
// 4.8, so agreement with them is not accuracy.
//
// Rule 14, silicon. Measured routers imply 0.05 to 1 pJ per bit and hop at 45 nm, 0.1 to 2 at 65 nm
// and 0.03 to 0.7 at 32 nm; links imply 0.03 to 0.25 pJ per bit and mm. A price may differ from a
// published chip by a factor of 3 in either direction.
package power
