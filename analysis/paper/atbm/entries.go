// Package atbm holds the figures, tables and claims of the paper about asynchronous tree-based
// multicasting: Varavithya and Mohapatra, Asynchronous Tree-Based Multicasting in Wormhole-Switched
// MINs.
//
// Each entry is a function that returns its plan, its charts and its claims. To add one: write such
// a function, as in fig14.go, and add it to [Entries].
package atbm

import "github.com/carousel-sim/carousel/analysis/paper/claim"

// ATBM is the paper as the tables name it.
const ATBM = "Varavithya, Mohapatra: Asynchronous Tree-Based Multicasting in Wormhole-Switched MINs"

// Entries lists the figures and tables in the order of the paper.
var Entries = []func() claim.Entry{Fig14, Fig15, Fig16, Fig17, Switches, TokenTime, Fig18, Fig19, Fig21, Fig22, Fig23}
