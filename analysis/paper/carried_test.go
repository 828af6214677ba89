package paper

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/paper/plans"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// TestCarried does points of the quick plans of figures 15 to 23 of the paper about tree worms,
// with batches of the plan's length and of twice that. What a network carries must not depend on
// the length, and one that delivers less than 0.95 of what arises does not carry it. Points that
// both lengths leave in doubt are repeated with the same long batches, and agree for that reason.
// CAROUSEL_LONG=N does every N-th point.
func TestCarried(t *testing.T) {
	every, err := strconv.Atoi(os.Getenv("CAROUSEL_LONG"))
	if err != nil || every < 1 {
		t.Skip("half an hour of processors; set CAROUSEL_LONG=1, or N for every N-th point")
	}
	n := 0
	for _, e := range Entries() {
		if !strings.HasPrefix(e.Plan, "atbm.") || e.ID == "atbm.fig14" {
			continue
		}
		usual, twice := stagePoints(t, e.Plan, 1), stagePoints(t, e.Plan, 2)
		if len(usual) != len(twice) {
			t.Fatalf("%s: %d and %d points", e.Plan, len(usual), len(twice))
		}
		for i, p := range usual {
			if n++; n%every != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s %s", e.ID, p.Label), func(t *testing.T) {
				t.Parallel()
				a, b := carried(t, p), carried(t, twice[i])
				if a != b {
					t.Errorf("carried %v, with batches of twice the length %v", a, b)
				}
			})
		}
	}
}

// stagePoints makes the points of a plan with batches of so many times their length.
func stagePoints(t *testing.T, name string, times int) []experiment.Point {
	text := must.Get(plans.Files.ReadFile(name))
	longer := regexp.MustCompile(`batch_messages: \d+`).ReplaceAllStringFunc(string(text), func(s string) string {
		length, _ := strconv.Atoi(strings.TrimPrefix(s, "batch_messages: "))
		return fmt.Sprint("batch_messages: ", times*length)
	})
	p := must.Get(plan.Parse(name, []byte(longer), true))
	x := must.Get(p.Expand(nil, nil))
	return x.Points
}

// carried does a point and reports whether the network carries the load.
func carried(t *testing.T, p experiment.Point) bool {
	rows := must.Get(p.Run(context.Background(), func(experiment.Progress) {}))
	r := rows.Traffic[0]
	if r.Saturated.Value != tables.Unsaturated {
		return false
	}
	if share := r.Accepted.Value / r.Generated.Value; !(share >= 0.95) {
		t.Errorf("counts as carried, and delivers %.3f of what arises", share)
	}
	return true
}
