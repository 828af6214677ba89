// Package claim says what a figure or table of a paper is, and judges what the paper claims.
//
// There are only a few types: an [Entry] is one figure or table: a plan of carousel sweep, charts
// that say which columns of the result tables it shows, and claims; a [Claim] is a statement with
// the criterion that decides it; a [Finding] is what the measurements say about it;
// [Entry.Analyse] turns the tables of a finished sweep into a [Result].
// What a paper proves or computes, without a simulation, is no claim here: tests of noc/multicast,
// noc/topology, noc/rotary and noc/models hold it, and cite the paper.
//
// Laws:
//
//   - A figure is data: a plan in YAML below plans, and charts that name columns. Nothing is
//     simulated to draw it, so it can be drawn again from stored tables.
//   - A verdict is computed from what was measured, by the criterion that stands beside it, and
//     never written down. Nothing measured is an open claim, not a confirmed one.
//   - A comparison is confirmed only where it holds in every cell of the figure with 95 %
//     confidence; it is not confirmed where one cell contradicts it with that confidence; it is
//     open where neither is so. Single runs have no confidence and count as they are. Where a long
//     run is divided into batches, each batch counts as a run of its own, and batches of equal
//     number are compared in pairs.
//   - A printed ratio, such as 25 % faster, is confirmed when the measured gain is between half and
//     twice the printed one: the machine, the workloads and the applications differ. A claim of "up
//     to" is about the largest cell.
//   - Claims of the MRR paper about energy are decided at the prices of the tool that it used,
//     [chart.PaperPrices]. What they would be at the usual ones, and the range over all
//     [chart.Prices], stands beside the verdict.
//   - Throughput is what a network delivers; what it accepts stands beside it. Where two networks
//     deliver all that nodes consume, the load at the knee decides, where latency is three times
//     that of an empty network.
//   - What is not confirmed has a reason: the numbers that decide, and behind them the cause, where it
//     is known.
//   - No claim about measurements is decided before every point of its plan has been measured.
//
// To add a claim: see a package such as mrr.
package claim
