package tables

import (
	"fmt"
	"strings"
)

// ManualPage is the manual's page about the result tables, in Markdown.
func ManualPage() string {
	var b strings.Builder
	b.WriteString("# Result tables\n\nOne Arrow file per table. Cells that may be absent are null, never zero. ")
	b.WriteString("`carousel tables DIR` lists the tables of a folder.\n")
	for _, t := range Descriptions() {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", t.Name, strings.TrimSuffix(t.Doc, "."))
		for _, c := range t.Columns {
			kind := c.Type
			if c.Null {
				kind += " or null"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, kind, c.Unit, c.Doc)
		}
	}
	return b.String()
}
