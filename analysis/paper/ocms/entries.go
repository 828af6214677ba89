// Package ocms holds the figures, tables and claims of the paper about optimal path-based
// multicasts on meshes: Bouchitté, Cohen and Fleury, Optimal Deadlock-free Path-based Multicast
// Algorithms in Meshes.
//
// Each entry is a function that returns its plan, its charts and its claims. To add one: write such
// a function, as in ocms.go, and add it to [Entries].
package ocms

import "github.com/carousel-sim/carousel/analysis/paper/claim"

// OCMS is the paper as the tables name it.
const OCMS = "Bouchitté, Cohen, Fleury: Optimal Deadlock-free Path-based Multicast Algorithms in Meshes"

// Entries lists the figures and tables in the order of the paper.
var Entries = []func() claim.Entry{Paths, Load}
