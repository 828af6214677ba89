// Package printable makes texts from outside safe to print: a name in a file may hold sequences that a
// terminal obeys, or that show the text around them in another order.
//
// [Name] is for names when they enter the program. A [Writer] is for everything that the program prints.
// Both write what is no graphic character of Unicode as an escape of Go, such as \x1b or \u202e.
//
// The package imports the standard library only, so every package of the module may use it.
package printable

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name escapes what is not graphic, line breaks included.
func Name(text string) string { return escape(text, "") }

// Text escapes what is not graphic but for line breaks and tabs.
func Text(text string) string { return escape(text, "\n\t") }

// escape escapes what is neither graphic nor among some characters.
func escape(text, except string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r == utf8.RuneError || mustEscape(r, except) }) < 0 {
		return text
	}
	var b strings.Builder
	for i, n := 0, 0; i < len(text); i += n {
		var r rune
		switch r, n = utf8.DecodeRuneInString(text[i:]); {
		case r == utf8.RuneError && n == 1: // no UTF-8
			b.WriteString(`\x` + strconv.FormatUint(0x100|uint64(text[i]), 16)[1:])
		case mustEscape(r, except):
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func mustEscape(r rune, except string) bool {
	return !unicode.IsGraphic(r) && !strings.ContainsRune(except, r)
}

// Writer writes texts, which pass through [Text].
type Writer struct {
	To io.Writer
	// Raw lets everything through.
	Raw bool

	begun []byte // of a character, until the rest of it comes
}

// Write implements io.Writer.
func (w *Writer) Write(b []byte) (int, error) {
	if w.Raw {
		return w.To.Write(b)
	}
	whole := append(w.begun, b...)
	end := len(whole)
	for n := 1; n < utf8.UTFMax && n <= len(whole); n++ {
		if last := whole[len(whole)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				end -= n
			}
			break
		}
	}
	w.begun = append([]byte(nil), whole[end:]...)
	if _, err := io.WriteString(w.To, Text(string(whole[:end]))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Close writes a character of which only a part has come. It leaves To open.
func (w *Writer) Close() error {
	_, err := io.WriteString(w.To, Text(string(w.begun)))
	w.begun = nil
	return err
}
