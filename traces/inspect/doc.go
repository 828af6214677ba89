// Package inspect describes the contents of a trace.
//
// A [Description] has the metadata of the file, counts of its records, and the sharing of its
// blocks of 64 bytes. All counts are exact. [traces.File.VerifyBy] reads the trace and shows its
// records; a [Behaviour] is how cores share blocks.
package inspect
