// Package result computes what a study says, from the observations in its tables.
//
// [Runs] are observations of one side: their [Runs.Mean], and their ratio to another side by
// [Runs.Over]; [Runs.By] sorts them into a [Group] for each combination of values. A [Comparison]
// says what a study compares, and with what: a [Ranking] has the rows under one setting, in each
// [Application] and over all. A [Curve] is values over positions: where its knee is, and between
// which positions a network saturates. A [Cell] has the series of a chart or a claim at one place,
// with their ratios and the means of these.
//
// Laws:
//
//   - Tables of means, pictures, rankings and claims group and estimate by these functions, so that one
//     comparison has one number.
//   - Windows and seeds are parts of one execution: ratios of its time, energy and ED2P are those of
//     the totals over matched runs. Of other measures each run is divided by the baseline's run of the
//     same seed, and the ratio is the mean.
//   - What was not measured is absent.
//
// Package metrics has the statistics. Nothing that shows or judges results calls them:
// see TestEstimatesAreMadeInFewPlaces.
package result
