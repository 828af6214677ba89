// Package claim describes the figures and tables of papers, and checks what the papers claim about
// them.
//
// An [Entry] is one figure or table: a plan of carousel sweep, charts that say which columns of the
// result tables it shows, and claims; a [Claim] is a statement of the paper, and a list of parts
// that must all hold; a [Part] is what one judge decides: series, their baseline, cells of the
// figure, and bounds; [Entry.Analyse] turns the tables of a finished sweep into a [Result]. Charts
// and claims are data: a file for each paper beside the plans, which [Read] reads.
//
// The judges are a table in judges.go: ratio (in every cell), mean, largest (over cells),
// most (of the cells), order (of cells), throughput (largest loads), steady (beyond saturation),
// value, printed (numbers of a table), spread, rise and straight (along a curve), class (of
// messages) and completes (no deadlock). Statements that a paper proves or computes without
// simulation are not claims here: tests of noc/multicast, noc/topology, noc/rotary and noc/models
// check them.
//
// Laws:
//
//   - A figure is data: a plan in YAML below plans, and charts that name columns. Nothing is
//     simulated to draw it, so it can be drawn again from stored tables.
//   - A verdict is computed from what was measured, by the criterion that stands beside it. So are
//     the value that decides, its interval and the reason. A claim without measurements is open,
//     not confirmed.
//   - A comparison is confirmed only where it holds in every cell of the figure with 95 %
//     confidence; it is not confirmed where one cell contradicts it with that confidence; it is
//     open where neither is so. Single runs have no confidence and count as they are. Where a long
//     run is divided into batches, each batch counts as a run of its own, and batches of equal
//     number are compared in pairs.
//   - A printed ratio, such as 25 % faster, is confirmed when the measured gain is between half and
//     twice the printed one: the machine, the workloads and the applications differ. A claim of "up
//     to" is about the largest cell.
//   - Claims of the MRR paper about energy are decided at the prices of the tool that it used,
//     [experiment.PaperPrices]. The verdicts at all [experiment.AllPrices] are listed beside it.
//   - Throughput is what a network delivers. Where two networks deliver all that nodes consume, the
//     load at the knee decides, where latency is three times that of an empty network.
//   - A part has only fields that its judge uses. The table of judges says which these are; reading
//     refuses the others, and further series.
//   - A network carries a load where it was measured and no run was saturated.
//   - No claim about measurements is decided before every point of its plan has been measured.
//
// To add a figure: add it to the file of its paper, with pictures in terms of picture.go. To add a
// claim: add it there, in terms of a judge. To add a judge: add a line to the table, and a case to
// TestJudges; a judge that would serve one claim is not worth it.
// TestClaimsCanBeDecided generates tables that confirm and refute every part of every claim.
package claim
