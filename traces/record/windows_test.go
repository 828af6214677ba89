package record

import (
	"bytes"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/tracetest"
)

// TestWindows: of a recording only windows are written, each with what comes before it as
// timestamps.
func TestWindows(t *testing.T) {
	c := config(2)
	c.Program, c.Cache = []string{compile(t, "counts.S", "-nostdlib", "-static")}, cache
	c.Windows, c.WindowRecords = 2, 200
	var out bytes.Buffer
	result := must.Get(Run(t.Context(), c, traces.ToStream(&out, traces.DefaultWriterConfig())))
	f := tracetest.Open(t, out.Bytes())
	if f.Windows() != 2 || result.Status != "exit status 7" {
		t.Errorf("%d windows, %q", f.Windows(), result.Status)
	}
	w := must.Get(f.Window(1))
	if have, _, err := w.ReadTimestamps(); err != nil || len(have.Entries) == 0 {
		t.Errorf("%v, no timestamps", err)
	}
	if n := w.Totals()[0].Records; n < 10 || n > 2000 { // windows are equally long in time, not in records
		t.Errorf("%d records", n)
	}
	if lead, measured := w.Measured(); lead == 0 || measured == 0 || lead > 2*measured {
		t.Errorf("%d records warm up, %d are measured", lead, measured)
	}
}

func TestWindowsValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"windows is -1":                 func(c *Config) { c.Windows = -1 },
		"at least 2, one for each core": func(c *Config) { c.WindowRecords = 0 },
		"2 windows of 200 records together may have at most 50": func(c *Config) { c.WindowRecords = 60 },
	} {
		c := config(2)
		c.Records, c.Windows, c.WindowRecords = 200, 2, 20
		must.Do(c.Validate())
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}
