package program

import "embed"

// Source has what a network in C or Python needs, and an example in each language.
//
//go:embed source
var Source embed.FS
