package program

import "embed"

// Source has what a network in C, Python or SystemVerilog needs, and an example in each language.
//
//go:embed source
var Source embed.FS
