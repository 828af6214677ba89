package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/carousel-sim/carousel/analysis/experiment/silicon"
	"github.com/carousel-sim/carousel/analysis/figures"
	"github.com/carousel-sim/carousel/analysis/sheet"
	"github.com/carousel-sim/carousel/traces/ttmetal"
	"github.com/carousel-sim/carousel/traces/wholefile"
)

// siliconStudy replays recorded kernels on other networks, writes table and figure to a folder, and
// prints the table.
func (a *app) siliconStudy(ctx context.Context, traces []*ttmetal.Trace, folder string, jobs int) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	line := a.statusLine()
	s, err := silicon.RunStudy(ctx, traces, silicon.Default(), jobs, func(done, all int) {
		line.draw(false, func() string { return fmt.Sprintf("%d of %d replays", done, all) })
	})
	line.clear()
	if err != nil {
		return siliconFailure(err)
	}
	table, figure := studySheet(s), s.Figure()
	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{figure.Name + ".csv", func(w io.Writer) error {
			return csv.NewWriter(w).WriteAll(append([][]string{table.Header}, table.Rows...))
		}},
		{figure.Name + ".json", func(w io.Writer) error { return json.NewEncoder(w).Encode(s) }},
		{figure.Name + "." + figures.SVG, func(w io.Writer) error { return figure.Render(w, figures.SVG) }},
		{figure.Name + "." + figures.PNG, func(w io.Writer) error { return figure.Render(w, figures.PNG) }},
	}
	for _, f := range files {
		path := filepath.Join(folder, f.name)
		if err := wholefile.Write(path, f.write); err != nil {
			return err
		}
		table.After = append(table.After, "written: "+path)
	}
	return a.print(s, table)
}

// studySheet lists kernels and variants, and below them what the variants are.
func studySheet(s silicon.Study) *sheet.Sheet {
	t := sheet.New("group", "kernel", "readers per answer", "network", "cycles", "relative", "flit hops")
	for _, k := range s.Kernels {
		for i, v := range silicon.Variants {
			t.Add(k.Group, k.Name, strconv.FormatFloat(k.Readers, 'f', 1, 64), v.Name, strconv.FormatUint(k.Cycles[i], 10),
				strconv.FormatFloat(float64(k.Cycles[i])/float64(k.Cycles[0]), 'f', 2, 64), strconv.FormatUint(k.FlitHops[i], 10))
		}
	}
	t.After = append(t.After, "")
	for _, v := range silicon.Variants {
		t.After = append(t.After, fmt.Sprintf("%-13s %s", v.Name, v.Doc))
	}
	return t
}
