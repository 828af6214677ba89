package tables

import (
	"slices"
	"testing"
)

// filesOnly are the columns that people see in no view: they are in the files, in JSON, or in the facts
// about a study.
var filesOnly = slices.Concat(Runs.Named("run_key", "trace_digest", "instructions", "loads", "stores", "fetches", "l1_hits", "l2_hits", "l2_misses",
	"memory_reads", "memory_writes", "invalidations", "upgrades", "cache_transfers", "energy_dynamic_j", "energy_static_j", "ed_js", "wall_seconds", "atomics", "drain_cycles", "orphans",
	"migrations", "replays", "packets_local", "deliveries", "delivered_phits", "peak_reorder", "peak_interface", "power_profile",
	"technology_nm", "explanation", "hardware", "power", "simulation_key", "workload_source", "start", "cycles_middle", "warm_up_cycles",
	"memory_reads_first_third", "memory_reads_last_third", "misses_first_third", "misses_last_third", "repeated_misses_first_third",
	"repeated_misses_last_third", "persistent_misses_first_third", "persistent_misses_last_third", "replays_evicted", "timeout_cycles", "program_output", "program_end", "chip", "chip_cores_j",
	"chip_l1_j", "chip_l2_j", "chip_state_j", "chip_controllers_j", "memory_j", "chip_ed_js", "fastest_router", "breakeven_ed_fixed_w",
	"breakeven_ed_static_w", "breakeven_ed2p_fixed_w", "breakeven_ed2p_static_w", "synchronisation", "recorded_order", "run_limit", "classes_per_channel", "packet_idle_mean", "barriers"),
	TrafficPoints.Named("classes", "warmup", "multicast_copy_latency_mean", "packets_generated", "packets_delayed", "delay_mean",
		"cycles_recorded", "waiting_growth", "oldest_waiting", "energy_dynamic_pj", "energy_static_pj"), Batches.Named("batch", "multicasts",
		"multicast_latency_max", "additional_traffic", "token_wait_mean"))

// TestColumnsAreShownOrNamed fails for a column that has neither a row of shown nor a place in a list of
// exceptions.
func TestColumnsAreShownOrNamed(t *testing.T) {
	seen := map[Name]bool{}
	for _, s := range shown {
		seen[s.Column] = true
	}
	for _, p := range Pictures {
		seen[p.Column] = true
	}
	for _, d := range []Description{Runs.Describe(), TrafficPoints.Describe(), Batches.Describe()} {
		for _, c := range d.Columns {
			if name := (Name{c.Name}); !seen[name] && !slices.Contains(filesOnly, name) {
				t.Errorf("people see the column %s of the table %s in no view: give it a row of shown in views.go, or add it to filesOnly in views_test.go", c.Name, d.Name)
			}
		}
	}
	for _, name := range filesOnly {
		if seen[name] {
			t.Errorf("people see the column %s; take it from filesOnly", name)
		}
	}
}

// TestShownOnce: a view has each column once, and all views call it the same.
func TestShownOnce(t *testing.T) {
	views, first := map[Name]View{}, map[Name]Shown{}
	for _, s := range shown {
		if s.Views == 0 || s.Views&views[s.Column] != 0 {
			t.Errorf("a row of %s has no view, or one of an earlier row", s.Column)
		}
		views[s.Column] |= s.Views
		if f := first[s.Column]; s.Title != "" && f.Title != "" && (s.Title != f.Title || s.Scale != f.Scale || s.Protocol != f.Protocol) {
			t.Errorf("%s is shown as %q and as %q", s.Column, f.Title, s.Title)
		}
		if first[s.Column].Title == "" {
			first[s.Column] = s
		}
	}
}
