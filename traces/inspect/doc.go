// Package inspect describes the contents of a trace.
//
// A [Description] has the metadata of the file, counts of its records, and the sharing of its
// blocks of 64 bytes. All counts are exact. The pass that counts is [traces.File.Verify], and
// [Behave] finds how cores share blocks.
package inspect
