package printable

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostile are names with what they are printed as.
var hostile = map[string]string{
	"lu":                        "lu",
	"Größe ±1 × 2 …":            "Größe ±1 × 2 …",
	"\x1b]0;title\a":            `\x1b]0;title\a`,
	"\u009b31m":                 `\u009b31m`,
	"\x9b31m":                   `\x9b31m`,
	"a\u202eb":                  `a\u202eb`,
	"\u2066x\u2069\u200e\u061c": `\u2066x\u2069\u200e\u061c`,
	"\u2028\ufeff\x7f":          `\u2028\ufeff\x7f`,
	"back\b and \r over":        `back\b and \r over`,
	"\ufffd":                    "\ufffd",
	"half \xe2\x82":             `half \xe2\x82`,
}

func TestName(t *testing.T) {
	for text, want := range hostile {
		if got := Name(text); got != want {
			t.Errorf("%q is printed as %s; want %s", text, got, want)
		}
		if got := Text(text + "\n\t"); got != want+"\n\t" {
			t.Errorf("%q is printed as %s", text, got)
		}
	}
	if got := Name("two\nlines\tone"); got != `two\nlines\tone` {
		t.Error(got)
	}
}

// TestWriter writes texts whole and byte by byte: characters that come in parts stay whole.
func TestWriter(t *testing.T) {
	for text, want := range hostile {
		var whole, parts strings.Builder
		w, p := &Writer{To: &whole}, &Writer{To: &parts}
		w.Write([]byte(text))
		for i := range len(text) {
			if n, err := p.Write([]byte{text[i]}); n != 1 || err != nil {
				t.Errorf("%d, %v", n, err)
			}
		}
		w.Close()
		p.Close()
		if whole.String() != want || parts.String() != want {
			t.Errorf("%q is printed as %s, in parts as %s; want %s", text, whole.String(), parts.String(), want)
		}
	}
	var raw strings.Builder
	(&Writer{To: &raw, Raw: true}).Write([]byte("\x1b"))
	if raw.String() != "\x1b" {
		t.Errorf("%q", raw.String())
	}
}

// FuzzText: what is printed is valid UTF-8 without control characters, and printing it again changes
// nothing.
func FuzzText(f *testing.F) {
	for text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Text(text)
		control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
		if !utf8.ValidString(got) || strings.ContainsFunc(got, control) || Text(got) != got {
			t.Fatalf("%q is printed as %q", text, got)
		}
	})
}
