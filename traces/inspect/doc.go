// Package inspect says what a trace holds.
//
// There is only one type of importance: a [Description] has what a file says of itself, what one
// pass over it counts, and how it behaves in caches: who shares blocks of 64 bytes, and which of
// them are hot. All counts are exact.
//
// Package profile finds how a trace behaves; the pass that counts is [traces.File.Verify].
package inspect
