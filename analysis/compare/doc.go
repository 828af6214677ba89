// Package compare says what a study has measured: as a document for programs, and as a sheet for
// people.
//
// There are only a few types: [Runs] compares routers that replayed a workload, [Traffic] networks
// under synthetic traffic, [Packets] replays of recorded packets, and [Sweep] lists the points of a
// plan. Each is what the command of that name prints with --format json; its Sheet is what people
// see, its Spreadsheet what --format csv prints.
//
// Everything is made of the result tables, so a document of a stored study equals that of the
// command that made it. Means come from package chart; package results does the points and keeps
// the tables.
//
// What an interval of a ratio of times covers: which windows were drawn and how they end, see
// metrics.TotalRatios; or, without windows, the seeds. It does not cover what the chip assumes, of
// which a [Band] shows the largest parts one at a time; the input of the program; or the order that
// the recording has fixed.
package compare
