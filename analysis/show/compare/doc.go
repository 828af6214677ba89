// Package compare summarises the results of a study, as a document for programs and as a sheet for
// people.
//
// A [Finding] is a sentence about a [result.Ranking], the same on the command line, on the report page
// and in JSON; [Study], [Traffic] and [Packets] are what the commands print.
//
// Everything is made of the result tables, so a document of a stored study equals that of the
// command that made it, and studies of the same runs by several commands say the same numbers.
// Package metrics estimates; package results does the points and keeps the tables.
//
// An interval of a ratio of times covers which windows were drawn, or, without windows, the seeds. It
// does not cover what the chip assumes, of which a [Band] shows the largest parts one at a time; the
// input of the program; or the order that the recording has fixed.
package compare
