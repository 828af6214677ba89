// Package plans holds the plans of the papers' figures and tables, as carousel sweep takes them, and a
// file of pictures and claims for each paper, as package claim reads them.
package plans

import "embed"

// Files are the plans, by the names that entries give them, and the files of papers, such as mrr.claims.yaml.
//
//go:embed *.yaml
var Files embed.FS
