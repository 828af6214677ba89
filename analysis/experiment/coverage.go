package experiment

import "fmt"

// Coverage says how many points the plan of a study has, how many of them have been measured, and
// how many ended with an error. The zero value stands for a study of which nothing is known, and is
// not complete.
type Coverage struct {
	Points   int `json:"points,omitempty"`
	Finished int `json:"finished,omitempty"`
	Failed   int `json:"failed,omitempty"`
	Earlier  int `json:"-"` // of those finished, before this command
}

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
