package metrics

import (
	"math"
	"testing"
)

// Printed tables of Student's distribution, two-sided 5 %.
func TestStudentAgainstPrintedTables(t *testing.T) {
	for freedom, want := range map[float64]float64{1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 9: 2.262, 29: 2.045, 120: 1.980, 1e6: 1.960} {
		if got := studentT95(freedom); math.Abs(got-want) > 5e-4 {
			t.Errorf("%g degrees of freedom: %.4f, want %.3f", freedom, got, want)
		}
	}
}
