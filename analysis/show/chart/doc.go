// Package chart groups, averages and draws the results of a study.
//
// [Data] has a [tables.Record] for each finished run or point, with each requested energy model;
// [Data.Means] is a table of means; a [Chart] says which [Measure] a picture shows along which
// [Axis], and a [Cell] holds the samples of each series at one [Place] of it.
//
// Laws:
//
//   - Pictures, tables of means and comparisons group and estimate by the same functions, so that one
//     comparison has one number.
//   - A value is a mean over seeds with its 95 % interval, or over the windows of a trace of the mean
//     over seeds of each.
//   - Windows and seeds are parts of one execution: ratios of its time, energy and ED2P are those of
//     the totals over matched runs. Of other measures each run is divided by the baseline's run of the
//     same seed, and the ratio is the mean.
//   - What was not measured is left out, and [Data.Warning] says so in every picture and table.
//
// [tables.GroupBy] is the only grouping, and [tables.RatioOf] the ratio of two sides. Package figures
// draws the pictures.
package chart
