package experiment

import (
	"fmt"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// Coverage says how many points the plan of a study has, how many of them have been measured, and
// how many ended with an error. The zero value stands for a study of which nothing is known, and is
// not complete.
type Coverage struct{ Points, Finished, Failed int }

// Complete reports whether every planned point has been measured.
func (c Coverage) Complete() bool { return c.Points > 0 && c.Finished == c.Points }

// Tried reports whether every planned point has been measured or has failed.
func (c Coverage) Tried() bool { return c.Points > 0 && c.Finished+c.Failed == c.Points }

// String returns a text such as "10 of 480 points".
func (c Coverage) String() string { return fmt.Sprintf("%d of %d points", c.Finished, c.Points) }

// Warning returns what an output of an incomplete study must say, and "" for a complete one.
func (c Coverage) Warning() string {
	if c.Complete() {
		return ""
	}
	text := "incomplete: " + c.String() + " are finished"
	if c.Failed > 0 {
		text += fmt.Sprintf(", %d failed", c.Failed)
	}
	return text
}

// Covered returns the coverage of a stored study. Manifests that do not state it belong to older
// versions; each point that did not finish then has one row that says so, and a point that did
// finish has at least one row.
func (m *Manifest) Covered(rows *tables.Rows) Coverage {
	if m.Points > 0 {
		return Coverage{m.Points, m.Finished, m.Failed}
	}
	finished, failed, interrupted := 0, 0, 0
	count := func(state string) {
		switch state {
		case tables.Finished:
			finished++
		case tables.Failed:
			failed++
		default:
			interrupted++
		}
	}
	for i := range rows.Runs {
		count(rows.Runs[i].ExitState)
	}
	for i := range rows.Traffic {
		count(rows.Traffic[i].ExitState)
	}
	c := Coverage{finished + failed + interrupted, finished, failed}
	if m.Plan != nil && m.Plan.Points > 0 {
		c.Points = m.Plan.Points
		c.Finished = max(0, min(finished, c.Points-failed-interrupted))
	}
	return c
}
