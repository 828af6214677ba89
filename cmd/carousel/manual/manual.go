// Package manual holds the pages of the manual that are written by hand, as Markdown. Package cli
// shows them and makes man pages of them.
package manual

import "embed"

// Pages has a file TOPIC.md for each page.
//
//go:embed *.md
var Pages embed.FS
