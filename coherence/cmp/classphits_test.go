package cmp

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/coherence"
	"github.com/carousel-sim/carousel/noc"
)

// TestClassPhits: the longest message of each class. In networks whose buffers are divided by it a
// longer one panics.
func TestClassPhits(t *testing.T) {
	const command, data = coherence.CommandPhits, coherence.DataPhits
	for protocol, want := range map[string][noc.MaxClasses]int{
		"token":     {command, command, command, data, data, data},
		"directory": {data, command, data, data, data, data},
		"msi":       {command, command, data, data, data, command},
	} {
		entry, err := LookupProtocol(protocol)
		if err != nil {
			t.Fatal(err)
		}
		if got := entry.ClassPhits(); got != want {
			t.Errorf("%s: %v, want %v", protocol, got, want)
		}
	}
}

// TestUnknownProtocol: a protocol without a row is an error that lists the rows.
func TestUnknownProtocol(t *testing.T) {
	_, err := LookupProtocol("mesi")
	if err == nil || !strings.Contains(err.Error(), `"mesi"`) || !strings.Contains(err.Error(), "token, directory") {
		t.Errorf("got %v", err)
	}
}
