// Package results keeps the results of a study in a directory, reads them again, and computes their
// energy with other energy models.
//
// A [Directory] is claimed for one study, keeps each point as it
// finishes, and takes the tables of all of them; [Stored] is a study as read from such a directory.
//
// Laws:
//
//   - Nothing that is finished is done again: a study that was stopped continues in its directory.
//   - Measurements are returned even if they could not be saved; [Directory.Finish] then returns
//     the reason.
//
// How points are done is the caller's choice, see Directory.Do. Package sweep has the rules of directories,
// package compare says what the tables show. To let a study do further points beside its own,
// follow Bound or Band in rounds.go.
package results
