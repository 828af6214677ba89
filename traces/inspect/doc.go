// Package inspect says what a trace holds.
//
// There is only one type of importance: a [Description] has what a file says of itself, what one
// pass over it counts, and how it behaves in caches: who shares blocks of 64 bytes. All counts are
// exact. The pass that counts is [traces.File.Verify], and [Behave] finds who shares.
package inspect
