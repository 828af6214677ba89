package random

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestNumbers holds the numbers themselves: every digest of a simulation depends on them. Those of
// seed 0 are the published ones of splitmix64.
func TestNumbers(t *testing.T) {
	var s Stream
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := s.Uint64(); got != want {
			t.Errorf("number %d is %#x, want %#x", i, got, want)
		}
	}
	numbered, named := Numbered(1, 3), Named(1, "purpose", 3)
	if a, b := numbered.Uint64(), named.Uint64(); a != 0xc678ee17decd9a13 || b != 0x72c0ed599fa1d69b {
		t.Errorf("the first numbers of derived streams are %#x and %#x", a, b)
	}
}

// TestRanges holds every way of drawing below n to its range, and shows that it reaches all of it.
func TestRanges(t *testing.T) {
	s := Stream(1)
	for n := 1; n < 20; n++ {
		below, remainder := make([]bool, n), make([]bool, n)
		for range 100 * n {
			below[s.Below(n)], remainder[s.Remainder(n)] = true, true
			if f := s.Float64(); f < 0 || f >= 1 {
				t.Fatalf("Float64 returns %v", f)
			}
		}
		for i := range n {
			if !below[i] || !remainder[i] {
				t.Errorf("%d of %d is never drawn", i, n)
			}
		}
	}
}

// TestDerivedStreamsDiffer: seed, purpose, node and number each make another stream.
func TestDerivedStreamsDiffer(t *testing.T) {
	seen := map[Stream]bool{}
	for seed := range uint64(4) {
		for number := range 300 {
			seen[Numbered(seed, number)] = true
			for _, purpose := range []string{"one", "another"} {
				seen[Named(seed, purpose, number)] = true
			}
		}
	}
	if len(seen) != 4*300*3 {
		t.Errorf("%d streams, want %d", len(seen), 4*300*3)
	}
}

var _ rand.Source = new(Stream)

// TestExponential: mean and deviation of the drawn times are the mean, and a share of 1/e is
// longer.
func TestExponential(t *testing.T) {
	source := rand.NewPCG(1, 2)
	const n, mean = 200_000, 640_000
	sum, squares, longer := 0.0, 0.0, 0
	for range n {
		v := float64(Exponential(source, mean))
		sum, squares = sum+v, squares+v*v
		if v > mean {
			longer++
		}
	}
	m := sum / n
	deviation := math.Sqrt(squares/n - m*m)
	for what, ratio := range map[string]float64{"mean": m / mean, "deviation": deviation / mean, "share above the mean": float64(longer) / n * math.E} {
		if math.Abs(ratio-1) > 0.01 {
			t.Errorf("%s over its value is %.4f", what, ratio)
		}
	}
}

// TestNormal: the drawn numbers have the mean, the deviation and the kurtosis of the normal
// distribution, and as many of them are beyond one and two deviations.
func TestNormal(t *testing.T) {
	source := rand.NewPCG(7, 8)
	const n = 200_000
	sum, squares, fourth, one, two := 0.0, 0.0, 0.0, 0.0, 0.0
	for range n {
		whole, fraction, negative := Normal(source)
		v := float64(whole) + float64(fraction)/(1<<32)/(1<<32)
		if v > 1 {
			one++
		}
		if v > 2 {
			two++
		}
		if negative {
			v = -v
		}
		sum, squares, fourth = sum+v, squares+v*v, fourth+v*v*v*v
	}
	for what, pair := range map[string][2]float64{"mean": {1 + sum/n, 1}, "variance": {squares / n, 1}, "fourth moment": {fourth / n, 3},
		"beyond 1": {one / n, math.Erfc(math.Sqrt(0.5))}, "beyond 2": {two / n, math.Erfc(math.Sqrt(2))}} {
		if math.Abs(pair[0]/pair[1]-1) > 0.02 {
			t.Errorf("%s is %.4f, want %.4f", what, pair[0], pair[1])
		}
	}
}
