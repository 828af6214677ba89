package power

import (
	"slices"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestShares: the network's share of chips that can be modelled is within a factor of 2 of the
// published one; of the others a reason is given.
func TestShares(t *testing.T) {
	modelled := 0
	for _, s := range must.Get(Compare(strings.NewReader(small(t, "", "")))).Shares {
		t.Logf("%+v", s)
		switch {
		case s.Reason == "" && s.Outside() || s.Reason != "" && s.Factor != 0:
			t.Errorf("%s: factor %g, reason %q", s.Name, s.Factor, s.Reason)
		case !s.Outside():
			modelled++
		}
	}
	if modelled < 3 {
		t.Errorf("only %d chips are modelled", modelled)
	}
	if far := (Share{Factor: 2.5}); !far.Outside() {
		t.Error("a factor of 2.5 is within 2")
	}
}

// TestOwnChips: the chips of a file are compared before those that the program knows, and rows that both have
// are compared once. A chip that cannot be priced is outside, with the reason. A damaged row is an error.
func TestOwnChips(t *testing.T) {
	lines := strings.Split(publishedFile, "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "chip,") })
	file := func(old, new string) string {
		text := strings.Join(lines[at:], "\n")
		if !strings.Contains(text, old) {
			t.Fatalf("the file has no %q", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	known := must.Get(Compare(strings.NewReader(small(t, "", ""))))
	own := must.Get(Compare(strings.NewReader(file("Niagara,share,0.08,0.08", "Mine,share,0.5,0.5"))))
	if len(own.Chips) != len(known.Chips) || len(own.Shares) != len(known.Shares)+1 || len(own.Groups) != 0 {
		t.Errorf("%d chips and %d shares", len(own.Chips), len(own.Shares))
	}
	if s := own.Shares[2]; s.Name != "Mine" || !s.Outside() || s.ModelHigh != known.Shares[2].ModelHigh {
		t.Errorf("%+v", s)
	}
	old := must.Get(Compare(strings.NewReader(file("example of McPAT 1.3,,90", "example of McPAT 1.3,,180"))))
	if s := old.Shares[2]; s.Reason != "there are no prices of chips at 180 nm" {
		t.Errorf("%+v", s)
	}
	small := must.Get(Compare(strings.NewReader(file("example of McPAT 1.3,,90,1.2", "example of McPAT 1.3,,7,0.7"))))
	if s := small.Shares[2]; s.Reason != "" || !(s.ModelLow > 0 && s.ModelLow < s.ModelHigh) {
		t.Errorf("at 7 nm, which profile O lacks: %+v", s)
	}
	for wrong, want := range map[string]string{
		"JSC 2011,yes,45,1.1,2":   "",
		"JSSC 2011,yes,45,high,2": `line 2, column "voltage_v": "high" is not a number above 0`,
		"JSSC 2011,yes,45,9,2":    "line 2: voltage_v is 9",
	} {
		_, err := Compare(strings.NewReader(file("\"JSSC 2011\",yes,45,1.1,2", wrong)))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v", wrong, err)
		}
	}
	if _, err := Compare(strings.NewReader("chip,published_low\nMine,1\n")); err == nil || !strings.Contains(err.Error(), `column "quantity" is missing`) {
		t.Errorf("missing columns give %v", err)
	}
}
