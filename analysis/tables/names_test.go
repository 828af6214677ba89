package tables

import (
	"reflect"
	"strings"
	"testing"
)

// TestWrongNames: a name that no table has ends the program, whoever writes it down.
func TestWrongNames(t *testing.T) {
	for what, wrong := range map[string]func(){
		`no table has a column for the field MisLatencyMean of Col`: func() { columnNames[struct{ Router, MisLatencyMean Name }]() },
		`table runs has no column "cycels"`:                         func() { Runs.Named("router", "cycels") },
		`cycles has no part "L3"`:                                   func() { Cycles.Column("L3") },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, what) {
					t.Errorf("%s: the panic is %q", what, text)
				}
			}()
			wrong()
		}()
	}
}

// TestNamesOfFields: a field of Col is named after its column.
func TestNamesOfFields(t *testing.T) {
	for field, want := range map[string]string{"RunKey": "run_key", "L1Misses": "l1_misses", "IPC": "ipc", "ED2PJs2": "ed2p_js2", "ED2PPerPhit": "ed2p_per_phit",
		"LatencyP50": "latency_p50", "EnergyPJ": "energy_pj", "ArrivalCVHeader": "arrival_cv_header", "TechnologyNM": "technology_nm"} {
		if got := reflect.ValueOf(Col).FieldByName(field).Interface().(Name); got.String() != want {
			t.Errorf("Col.%s is %q, want %q", field, got, want)
		}
	}
}
