package sheet

import (
	"bytes"
	"io"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestPublication: cells stand in Markdown and LaTeX as what they are, whatever characters they have.
func TestPublication(t *testing.T) {
	s := New("key_1", "ratio", "text")
	s.Add("a|b", Digits("0.98 ± 0.01"), "half: 50 % of <x> & more")
	s.Add("c", 1.5, "")
	var out bytes.Buffer
	must.Do(s.WriteMarkdown(&out))
	const markdown = "| key\\_1 | ratio | text |\n|:--|--:|:--|\n| a\\|b | 0.98 ± 0.01 | half: 50 % of &lt;x> & more |\n| c | 1.5 |  |\n"
	if out.String() != markdown {
		t.Errorf("Markdown:\n%s\nwant\n%s", out.String(), markdown)
	}
	out.Reset()
	must.Do(s.WriteLaTeX(&out))
	const latex = "\\begin{tabular}{lrl}\n\\toprule\nkey\\_1 & ratio & text \\\\\n\\midrule\na|b & 0.98 $\\pm$ 0.01 & half: 50 \\% of $<$x$>$ \\& more \\\\\n" +
		"c & 1.5 &  \\\\\n\\bottomrule\n\\end{tabular}\n"
	if out.String() != latex {
		t.Errorf("LaTeX:\n%s\nwant\n%s", out.String(), latex)
	}
}

// TestWarningsArePublished: what is missing and the warnings are part of a sheet, in its own language.
func TestWarningsArePublished(t *testing.T) {
	s := New("router")
	s.Add("mrr")
	s.Title, s.Incomplete, s.Warnings = "token", []string{"incomplete: 1 of 2"}, []string{"43 % of <x>", "second"}
	for want, write := range map[string]func(io.Writer) error{
		"> **Warning:** incomplete: 1 of 2\n>\n> **Warning:** 43 % of &lt;x>\n>\n> **Warning:** second\n\n**token**\n\n| router |\n|:--|\n| mrr |\n": s.WriteMarkdown,
		"% Warning: incomplete: 1 of 2\n% Warning: 43 \\% of $<$x$>$\n% Warning: second\n% token\n" +
			"\\begin{tabular}{l}\n\\toprule\nrouter \\\\\n\\midrule\nmrr \\\\\n\\bottomrule\n\\end{tabular}\n": s.WriteLaTeX,
		"incomplete: 1 of 2\nrouter\nmrr\nwarning: 43 % of <x>\nwarning: second\n": func(w io.Writer) error { return s.Write(w, 0) },
	} {
		var out bytes.Buffer
		if must.Do(write(&out)); out.String() != want {
			t.Errorf("%s\nwant\n%s", out.String(), want)
		}
	}
}
