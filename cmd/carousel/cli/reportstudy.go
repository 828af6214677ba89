package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/report"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/power"
)

// storedStudy is a study as read from its directory.
type storedStudy struct {
	dir      string
	rows     tables.Rows
	manifest *experiment.Manifest
	entry    string // of the paper's figure that it is, or ""
	out      string // where it is written again
}

// repricing is what the keys of section power that are set change in a stored configuration; the text lists
// them, and is empty when there are none.
func repricing(c *config.Effective) (change func(power.Config) (power.Config, error), text string, err error) {
	var set config.Layer
	for _, s := range c.Settings() {
		name := s.Key.Name
		switch {
		case !s.Origin.Given() || name == "out" || name == "jobs" || name == "seed" || name == "parquet" || name == "csv" || name == "compression":
		case name == "power.clock_ghz":
			return nil, "", usagef("power.clock_ghz (given by %s) cannot change without simulating: the chip runs at the network's clock; use carousel run", s.Origin.Place())
		case strings.HasPrefix(name, "power."):
			set = append(set, s)
		case s.Origin.Kind >= config.FromSet:
			return nil, "", usagef("%s (given by %s) cannot change without simulating; a report prices energy again with keys of section power only", name, s.Origin.Place())
		}
	}
	var parts []string
	for _, s := range set {
		parts = append(parts, fmt.Sprintf("%s=%s", s.Key.Name, config.Text(s.Value)))
	}
	return func(old power.Config) (power.Config, error) {
		again := config.Config{Power: usual(old)}
		for _, s := range set {
			s.Key.Set(&again, s.Value)
		}
		if err := again.Power.Validate(); err != nil {
			return again.Power, fmt.Errorf("power.%w", err)
		}
		return again.Power.Effective(), nil
	}, strings.Join(parts, ", "), nil
}

// usual takes what follows from technology and profile out of a configuration, so that it follows new ones.
func usual(c power.Config) power.Config {
	plain := c
	plain.VoltageV, plain.FIFO = 0, power.FIFOUsual
	whole := plain.Effective()
	if whole.VoltageV == c.VoltageV {
		c.VoltageV = 0
	}
	if whole.FIFO == c.FIFO {
		c.FIFO = power.FIFOUsual
	}
	return c
}

// readStudy reads the tables of a directory.
func readStudy(dir string) (*storedStudy, error) {
	rows, manifest, err := tables.ReadRows(dir)
	if err != nil {
		return nil, err
	}
	s := &storedStudy{dir: dir, rows: rows, manifest: new(experiment.Manifest)}
	if err := json.Unmarshal([]byte(manifest), s.manifest); err != nil {
		return nil, fmt.Errorf("%s: the manifest in the tables is damaged: %w", dir, err)
	}
	path := filepath.Join(dir, tables.Claims.Name+".arrow")
	if _, err := os.Stat(path); err == nil {
		claims, _, err := tables.Claims.ReadArrow(path)
		if err != nil {
			return nil, err
		}
		if len(claims) > 0 {
			s.entry = claims[0].Entry
		}
	}
	return s, nil
}

// reprice prices a stored study again, and says so in its manifest.
func (s *storedStudy) reprice(change func(power.Config) (power.Config, error), repriced string, c *config.Effective) error {
	for _, a := range s.rows.Axes {
		if strings.HasPrefix(a.Key, "power.") && c.Given(a.Key) {
			return fmt.Errorf("the study varies %s itself; leave it out", a.Key)
		}
	}
	if err := experiment.Reprice(&s.rows, change); err != nil {
		return err
	}
	s.manifest.Repriced = repriced
	var prices string // of a finished run
	for i := range s.rows.Runs {
		if r := &s.rows.Runs[i]; r.Power.Known {
			prices = r.Power.Value
		}
	}
	for i := range s.rows.Traffic {
		if r := &s.rows.Traffic[i]; r.Power.Known {
			prices = r.Power.Value
		}
	}
	priced := *c
	if err := json.Unmarshal([]byte(prices), &priced.Power); err != nil {
		return err
	}
	values, _ := priced.Nested()
	if sections, ok := s.manifest.Configuration.(map[string]any); ok {
		sections["power"] = values["power"]
	}
	return nil
}

// takePlaces chooses a directory for each study that is written again, and claims it.
func takePlaces(out string, studies []storedStudy, force bool) (claims []*sweep.Claim, err error) {
	used := map[string]string{}
	for i := range studies {
		s := &studies[i]
		if s.out = out; len(studies) > 1 {
			name := filepath.Base(filepath.Clean(s.dir))
			if name == "quick" || name == "full" { // of a paper's figure
				name = filepath.Base(filepath.Dir(filepath.Clean(s.dir))) + "-" + name
			}
			if other, twice := used[name]; twice {
				return nil, usagef("--out %s: %s and %s would both be written to %s; write them one by one", out, other, s.dir, filepath.Join(out, name))
			}
			used[name], s.out = s.dir, filepath.Join(out, name)
		}
		claim, err := sweep.TakeDirectory(s.out, s.manifest, nil, sweep.Claiming{Force: force})
		if err != nil {
			return nil, outError(out, err)
		}
		claims = append(claims, claim)
	}
	return claims, nil
}

// saveStudies writes tables, and pictures in some formats.
func saveStudies(studies []storedStudy, parts []report.Study, formats tables.Formats, pictures []string) error {
	for i := range studies {
		if err := saveStudy(studies[i].out, &studies[i], &parts[i], formats, pictures); err != nil {
			return err
		}
	}
	return nil
}

func saveStudy(dir string, s *storedStudy, part *report.Study, formats tables.Formats, pictures []string) error {
	folder, err := tables.OpenFolder(dir)
	if err != nil {
		return err
	}
	defer folder.Discard()
	folder.Formats = formats
	for i := range part.Figures {
		figure := &part.Figures[i]
		for _, format := range pictures {
			if err := folder.Add(figure.Name+"."+format, func(w *os.File) error { return figure.Render(w, format) }); err != nil {
				return err
			}
		}
	}
	manifest, err := s.manifest.Text()
	if err != nil {
		return err
	}
	if err := tables.Put(folder, tables.FigurePoints, part.Points, manifest); err != nil {
		return err
	}
	if s.entry != "" {
		if err := tables.Put(folder, tables.Claims, part.Claims, manifest); err != nil {
			return err
		}
	}
	return saveTables(folder, formats, &s.rows, s.manifest)
}
