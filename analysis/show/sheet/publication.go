package sheet

import (
	"io"
	"strings"
)

// markdown and latex write cells as texts of their languages.
var (
	markdown = strings.NewReplacer("|", `\|`, "\n", " ", `\`, `\\`, "*", `\*`, "_", `\_`, "<", "&lt;", "`", "\\`")
	latex    = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "\n", " ", "±", `$\pm$`, "<", `$<$`, ">", `$>$`, "µ", `$\mu$`, "×", `$\times$`)
)

// WriteMarkdown writes header and rows as a table of Markdown, without the notes.
func (s *Sheet) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + markdown.Replace(c) + " ")
		}
		b.WriteString("|\n")
	}
	line(s.Header)
	for c := range s.Header {
		if s.Numeric(c) {
			b.WriteString("|--:")
		} else {
			b.WriteString("|:--")
		}
	}
	b.WriteString("|\n")
	for _, row := range s.Rows {
		line(row)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteLaTeX writes header and rows as a tabular of LaTeX with the rules of the package booktabs,
// without the notes. The text of the last column is wrapped if it is long.
func (s *Sheet) WriteLaTeX(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`\begin{tabular}{`)
	for c := range s.Header {
		switch last := c == len(s.Header)-1; {
		case s.Numeric(c):
			b.WriteByte('r')
		case last && s.longest(c) > 40:
			b.WriteString(`p{0.6\linewidth}`)
		default:
			b.WriteByte('l')
		}
	}
	b.WriteString("}\n\\toprule\n")
	line := func(cells []string) {
		for c, cell := range cells {
			if c > 0 {
				b.WriteString(" & ")
			}
			b.WriteString(latex.Replace(cell))
		}
		b.WriteString(" \\\\\n")
	}
	line(s.Header)
	b.WriteString("\\midrule\n")
	for _, row := range s.Rows {
		line(row)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// longest returns the length in bytes of a column's longest text.
func (s *Sheet) longest(column int) (n int) {
	for _, row := range s.Rows {
		n = max(n, len(row[column]))
	}
	return n
}
