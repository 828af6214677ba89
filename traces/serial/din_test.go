package serial

import (
	"errors"
	"testing"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

func TestDin(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"fetches are instructions", "2 400000 first\n2 400004\n0 0x7f0010\n1 7f003e  a comment\n3 0\n2 400040\n4 0\n",
			"0 +1 fetch 0x0 64\n0 +1 load 0x1010 4\n0 +0 store 0x103e 2\n0 +0 store 0x1040 2\n0 +1 fetch 0x40 64\n0 +0 end 0x0 1\n"},
		{"without fetches every access is one", "0 10\n1 14\n", "0 +1 load 0x10 4\n0 +1 store 0x14 4\n0 +0 end 0x0 1\n"},
	} {
		file, _, err := tracetest.Import(t, Din, traces.ImportConfig{}, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := tracetest.Read(t, file).Lines(); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestBadLinesOfDin(t *testing.T) {
	for text, offset := range map[string]int64{"0 10\n5 10\n": 5, "0\n": 0, "0 xyz\n": 0, "0 ffffffffffffffff\n": 0, "00 10\n": 0} {
		_, _, err := tracetest.Import(t, Din, traces.ImportConfig{}, []byte(text))
		var e *traces.Error
		if !errors.Is(err, traces.ErrIllegal) || !errors.As(err, &e) || e.Offset != offset {
			t.Errorf("%q: %v", text, err)
		}
	}
}
