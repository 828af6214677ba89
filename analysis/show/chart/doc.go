// Package chart makes pictures and tables of means from results, as functions of them.
//
// [Ranked] draws chips as the tables rank them, and [Networks] the points of networks alone; [MeansOf] is a
// table of means, and [Rows] are the values of a picture. For the claims of papers, [Data] has the
// observations of each finished run or point with each requested energy model, a [Chart] says which [Measure]
// a picture shows along which [Axis], and a [Cell] holds the samples of each series at one [Place] of it.
//
// Laws:
//
//   - Package result groups and estimates.
//   - A value is a mean over seeds with its 95 % interval, or over the windows of a trace of the mean
//     over seeds of each.
//   - What was not measured is left out, and [Data.Warning] says so in every picture and table.
//
// Package figures draws the pictures.
package chart
