package tables

import (
	"encoding/json"
	"testing"
)

// TestObjects: every column is there by its name and in its order, absent cells are null, and some
// may be left out.
func TestObjects(t *testing.T) {
	row := Class{RunKey: "k", Class: `a"b`, Unicast: 1 << 60}
	o := Classes.Object(&row, Classes.Named("packets_local")...)
	o.Set("more", nil)
	o.Set("phits", 1.5)
	text, err := json.Marshal(o)
	want := `{"run_key":"k","class":"a\"b","packets_unicast":1152921504606846976,"packets_multicast":0,"packets_broadcast":0,"phits":1.5,"more":null}`
	if err != nil || string(text) != want {
		t.Errorf("the object is %s (%v); want %s", text, err, want)
	}
	if o.Text("phits") != "1.5" || o.Text("more") != "" || o.Text("nothing") != "" || o.Text("packets_unicast") != "1152921504606846976" {
		t.Errorf("texts of %s", text)
	}
	run := Run{Cycles: Some[uint64](7)}
	if o := Runs.Object(&run); o.Get("cycles") != uint64(7) || o.Get("seconds") != nil || len(o) != len(Runs.Columns) {
		t.Errorf("a run is %v", o)
	}
}
