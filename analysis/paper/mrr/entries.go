// Package mrr holds the figures, tables and claims of the paper about the paper of the rotary
// routers: Abad, Puente and Gregorio, MRR: Enabling Fully Adaptive Multicast Routing for CMP
// Interconnection Networks.
//
// Each entry is a function that returns its plan, its charts and its claims. To add one: write such
// a function, as in fig7.go, and add it to [Entries].
package mrr

import "github.com/carousel-sim/carousel/analysis/paper/claim"

// MRR is the paper as the tables name it.
const MRR = "Abad, Puente, Gregorio: MRR: Enabling Fully Adaptive Multicast Routing for CMP Interconnection Networks"

// Entries lists the figures and tables in the order of the paper.
var Entries = []func() claim.Entry{Section1, Fig1, Fig6, Fig6Rules, Fig7, Fig7Rules, Fig8, Fig8Rules, Fig9, Fig9Rules, Fig10, Knee, Fig11, Sensitivity}
