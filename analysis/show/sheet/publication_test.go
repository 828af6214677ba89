package sheet

import (
	"bytes"
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
