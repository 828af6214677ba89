// Package plans holds the plans of the papers' figures and tables, as carousel sweep takes them.
package plans

import "embed"

// Files are the plans, by the names that entries give them.
//
//go:embed *.yaml
var Files embed.FS
