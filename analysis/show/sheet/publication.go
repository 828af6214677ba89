package sheet

import (
	"io"
	"slices"
	"strings"
)

// markdown and latex write cells as texts of their languages.
var (
	markdown = strings.NewReplacer("|", `\|`, "\n", " ", `\`, `\\`, "*", `\*`, "_", `\_`, "<", "&lt;", "`", "\\`")
	latex    = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "\n", " ", "±", `$\pm$`, "<", `$<$`, ">", `$>$`, "µ", `$\mu$`, "×", `$\times$`)
)

// doubts writes warnings as lines with a mark in front of each and another line between them.
func doubts(list []string, escape *strings.Replacer, mark, between string) string {
	lines := make([]string, len(list))
	for i, text := range list {
		lines[i] = mark + escape.Replace(text) + "\n"
	}
	return strings.Join(lines, between)
}

// WriteMarkdown writes title, header and rows as a table of Markdown, below the warnings, which are a quoted block.
func (s *Sheet) WriteMarkdown(w io.Writer) error {
	rule := "|"
	for c := range s.Header {
		if s.Numeric(c) {
			rule += "--:|"
		} else {
			rule += ":--|"
		}
	}
	front := doubts(s.Doubts(), markdown, "> **Warning:** ", ">\n")
	if front != "" {
		front += "\n"
	}
	if s.Title != "" {
		front += "**" + markdown.Replace(s.Title) + "**\n\n"
	}
	return s.writeRows(w, markdown, front, "| ", " | ", " |\n", rule+"\n", "")
}

// WriteLaTeX writes header and rows as a tabular of LaTeX with the rules of the package booktabs,
// below title and warnings, which are comments. The text of the last column is wrapped if it is long.
func (s *Sheet) WriteLaTeX(w io.Writer) error {
	columns := ""
	for c := range s.Header {
		switch last := c == len(s.Header)-1; {
		case s.Numeric(c):
			columns += "r"
		case last && slices.ContainsFunc(s.Rows, func(row []string) bool { return len(row[c]) > 40 }):
			columns += `p{0.6\linewidth}`
		default:
			columns += "l"
		}
	}
	front := doubts(s.Doubts(), latex, "% Warning: ", "")
	if s.Title != "" {
		front += "% " + latex.Replace(s.Title) + "\n"
	}
	return s.writeRows(w, latex, front+`\begin{tabular}{`+columns+"}\n\\toprule\n", "", " & ", " \\\\\n", "\\midrule\n", "\\bottomrule\n\\end{tabular}\n")
}

// writeRows writes header and rows: what is in front of them, of a row before, between and behind
// its cells, below the header, and at the end.
func (s *Sheet) writeRows(w io.Writer, escape *strings.Replacer, front, before, between, behind, below, end string) error {
	var b strings.Builder
	b.WriteString(front)
	for i, row := range append([][]string{s.Header}, s.Rows...) {
		if i == 1 {
			b.WriteString(below)
		}
		b.WriteString(before)
		for c, cell := range row {
			if c > 0 {
				b.WriteString(between)
			}
			b.WriteString(escape.Replace(cell))
		}
		b.WriteString(behind)
	}
	b.WriteString(end)
	_, err := io.WriteString(w, b.String())
	return err
}
