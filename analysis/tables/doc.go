// Package tables defines the result tables, and writes and reads them.
//
// There is a row type for each table ([Run], [Router], [Link], [Latency], [Core],
// [Epoch], [Traffic], [Batch], [Axis], [Summary], [Claim], [FigurePoint]), plain structs without
// any storage format; [Rows], all tables of a study; a [Table], which names the columns of a row
// type with unit and meaning; [Maybe], a cell that may be absent; and a [Folder], a set of files
// that appear together or not at all. An [Observation] is a run, point or batch with the axes
// of its sweep; it has a value for the [Name] of a column, of an axis, or of one of the [Parts] of its
// time and energy. [GroupBy] sorts rows.
//
// Laws:
//
//   - Absent is null, never zero. Cells that a run may not have are a Maybe.
//   - A column's name, unit and meaning are written once, in the tags of its field. Every file carries
//     them as field metadata, and the manifest of the study as schema metadata.
//   - How people see a column, and in which [View], is written once, in views.go.
//   - Columns hold plain strings, integers and floating-point numbers: no dictionaries, which many
//     readers cannot follow from batch to batch.
//   - A file is complete or absent: it is written under a temporary name, forced to the disk and
//     renamed.
//   - A file names its checksum, and a file that does not match it is refused.
//   - Only this package imports Arrow. It reads files with a limit of memory, and refuses damaged ones.
//
// To add a table: write a row type with tags in one file (see measures.go), and have the runner put
// it into the folder. A new column goes at the end of its table; renaming or moving one changes
// [SchemaVersion]. CONTRIBUTING.md follows a column from its field to what people see of it. The parts of
// a router's energy are columns that power.Breakdown brings; a new one is a field there, and joins a row
// of [Energies].
package tables
