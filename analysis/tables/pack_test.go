package tables

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestPack: tables come back from one file as they were, and no flipped bit or cut changes them unnoticed.
func TestPack(t *testing.T) {
	rows := Rows{Runs: []Run{{RunKey: "a", Cycles: Some(uint64(7)), ExitState: Finished}}, Links: []Link{{RunKey: "a", Phits: 3, Utilisation: Some(0.1)}}}
	content := must.Get(rows.Pack())
	path := filepath.Join(t.TempDir(), "a.zip")
	must.Do(os.WriteFile(path, content, 0o644))
	if again, err := Unpack(path); err != nil || !reflect.DeepEqual(again, rows) {
		t.Errorf("%+v, %v", again, err)
	}
	refused := 0
	for at := 0; at < len(content); at += 97 {
		flipped := bytes.Clone(content)
		flipped[at] ^= 4
		for _, damaged := range [][]byte{flipped, content[:at]} {
			must.Do(os.WriteFile(path, damaged, 0o644))
			again, err := Unpack(path)
			if err != nil && !strings.Contains(err.Error(), path) || err == nil && !reflect.DeepEqual(again, rows) {
				t.Fatalf("byte %d: %+v, %v", at, again, err)
			}
			if err != nil {
				refused++
			}
		}
	}
	if refused < len(content)/97 {
		t.Errorf("%d of %d damaged files were refused", refused, 2*len(content)/97)
	}
}
