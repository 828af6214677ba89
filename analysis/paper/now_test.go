package paper

import (
	"testing"

	"github.com/carousel-sim/carousel/analysis/paper/now"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// nowStudy is figure 3 with a part for the network that has a share per step and one that grows
// with the destinations.
func nowStudy(step, each float64, destinations ...uint64) *study {
	var s study
	for _, d := range destinations {
		startups, steps := now.Bound(float64(d))
		s.add("lattice:64:1", now.Postorder, d, 0, latency(startups+step*steps+each*float64(d)))
	}
	return &s
}

// TestNowFigure3: a small part per step confirms the claims; a large one, one that grows with the
// destinations, and none at all refute what they contradict.
func TestNowFigure3(t *testing.T) {
	small := nowStudy(150, 0, 1, 3, 7, 31, 63)
	expect(t, "small", now.Fig3(), small, map[string]string{"S3-09": tables.Confirmed, "S3-10": tables.Confirmed, "S3-12": tables.NotConfirmed})
	for i := range small.Traffic {
		small.Traffic[i].Topology = "lattice:256:1"
	}
	expect(t, "small, 256 nodes", now.Fig3(), small, map[string]string{"S3-10": tables.Open, "S3-11": tables.Confirmed})
	expect(t, "large", now.Fig3(), nowStudy(400, 0, 1, 3, 63), map[string]string{"S3-10": tables.NotConfirmed})
	expect(t, "growing", now.Fig3(), nowStudy(100, 10, 1, 3, 63), map[string]string{"S3-12": tables.NotConfirmed})
	var constant study // a part that is the same for all
	for _, d := range []uint64{1, 3, 63} {
		startups, _ := now.Bound(float64(d))
		constant.add("lattice:64:1", now.Postorder, d, 0, latency(startups+150))
	}
	expect(t, "constant", now.Fig3(), &constant, map[string]string{"S3-12": tables.Confirmed})
	expect(t, "below the bound", now.Fig3(), nowStudy(-50, 0, 1, 3), map[string]string{"S3-10": tables.NotConfirmed})
	expect(t, "nothing", now.Fig3(), &study{}, map[string]string{"S3-09": tables.Open, "S3-10": tables.Open, "S3-12": tables.Open})
	noisy := nowStudy(150, 0, 1, 3)
	for i := range noisy.Batches {
		noisy.Batches[i].MulticastLatencyMean.Value *= 1 + 0.3*float64(i%2)
	}
	expect(t, "noisy", now.Fig3(), noisy, map[string]string{"S3-09": tables.NotConfirmed})
}

// TestNowMultiple: a straight line confirms, a steep curve or a falling line does not, and two
// loads decide nothing.
func TestNowMultiple(t *testing.T) {
	curve := func(of func(load float64) float64, loads ...float64) *study {
		var s study
		for _, load := range loads {
			s.add("lattice:64:1", now.Postorder, 7, load, latency(of(load)))
		}
		return &s
	}
	loads := []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}
	straightLine := func(x float64) float64 { return 3000 + 1000*x }
	for name, c := range map[string]struct {
		s    *study
		want string
	}{
		"straight": {curve(straightLine, loads...), tables.Confirmed},
		"square":   {curve(func(x float64) float64 { return 3000 + 4000*x*x }, loads...), tables.NotConfirmed},
		"queue":    {curve(func(x float64) float64 { return 3000 / (1 - x) }, loads...), tables.NotConfirmed},
		"flat":     {curve(func(x float64) float64 { return 3000 + 1000*min(x, 0.4) }, loads...), tables.NotConfirmed},
		"steep":    {curve(func(x float64) float64 { return 3000 + 1e6*x*x*x*x*x*x }, loads...), tables.NotConfirmed},
		"falling":  {curve(func(x float64) float64 { return 3000 - 1000*x }, loads...), tables.NotConfirmed},
		"short":    {curve(straightLine, 0.1, 0.2), tables.Open},
		"nothing":  {&study{}, tables.Open},
	} {
		expect(t, name, now.Multiple(), c.s, map[string]string{"S3-13": c.want})
	}
}
