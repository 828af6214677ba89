package results_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/plan"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/results"
	"github.com/carousel-sim/carousel/analysis/show/compare"
	"github.com/carousel-sim/carousel/analysis/show/report"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// A comparison of networks that is kept in a directory, as carousel traffic makes it, and a page
// about it, as carousel report does.
func Example() {
	dir := must.Get(os.MkdirTemp("", "carousel"))
	defer os.RemoveAll(dir)
	layer, _ := config.Assignments([]string{"topology=torus:4x4", "routers=base,mrr", "traffic.load=0.2", "traffic.cycles=3000", "traffic.warmup=1000"})
	c := must.Get(config.New(layer))
	study := must.Get(plan.NetworksAlone(c))
	points := must.Get(study.Points())
	m := experiment.Program()
	m.Kind, m.Command = experiment.Traffic, []string{"example"}
	study.Describe(&m)
	d := must.Get(results.Open(dir, &m, points, tables.Formats{}, sweep.Claiming{}))
	defer d.Close()
	d.Do = func(points []experiment.Point) ([]experiment.Outcome, error) {
		return experiment.Run(context.Background(), points, experiment.Options{Jobs: 2, Store: d.Store})
	}
	_, rows, err := d.Run(points, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := d.Finish(true); err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range compare.NewTraffic(study, &m, &rows, dir).Sheet(c, false).Rows {
		fmt.Println(strings.Join(row[:5], " "))
	}
	stored := must.Get(results.Read(dir))
	page := must.Get(report.Of(dir, &stored.Rows, stored.Bounds, stored.Manifest, stored.Entry))
	fmt.Println(page.Title, "in", len(page.Figures), "pictures")
	// Output:
	// base 0.2 1 no 0.207
	// mrr 0.2 1 no 0.207
	// uniform traffic on base and mrr in 5 pictures
}
