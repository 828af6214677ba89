// Package chart turns result tables into pictures and into tables of means.
//
// [Data] is what a study has measured, a [Record] for each finished
// run or point, at each of the prices of energy that were asked for; a [Chart] names the columns
// that a picture shows; a [Cell] holds the samples of each series at one place of it; an
// [Estimate] is their mean with its confidence.
//
// Laws:
//
//   - A value is a mean over seeds with its 95 % interval. With a baseline each run is divided by
//     the baseline's run of the same seed first, so what both share cancels out. Of several windows
//     of a trace a value is the mean over them, of the mean over seeds of each.
//   - The windows of a trace are parts of one execution: ratios of its time, energy and ED2P are
//     those of the sums over windows, see metrics.TotalRatios.
//   - What was not measured is left out, and [Data.Warning] says so in every picture and table.
//
// The grouping is Cells in data.go; the pictures themselves are drawn by package figures.
package chart
