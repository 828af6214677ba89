package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/config"
	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/experiment/sweep"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/show/report"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/power"
)

// Stored is a study as read from its directory.
type Stored struct {
	Dir      string
	Rows     tables.Rows
	Bounds   []tables.Run // on a network without contention, beside the others
	Manifest *experiment.Manifest
	Entry    string     // of the paper's figure that it is, or ""
	out      *Directory // where it is written again
}

// Prices are the settings of section power with which the energy of a stored study is computed
// again.
type Prices struct{ set config.Layer }

// PricesOf takes the prices out of a configuration. Other keys that are set would change
// what the chip does, and are refused.
func PricesOf(c *config.Effective) (p Prices, err error) {
	elsewhere := []string{"out", "jobs", "seed", "parquet", "csv", "compression"}
	for _, s := range c.Settings() {
		name := s.Key.Name
		switch {
		case slices.Contains(elsewhere, name):
		case strings.HasPrefix(name, "power."):
			p.set = append(p.set, s)
		case s.Origin.Kind >= config.FromSet:
			return p, fmt.Errorf("%s (given by %s) cannot change without simulating; a report accepts only keys of section power", name, s.Origin)
		}
	}
	return p, nil
}

// differences lists the settings that are not those of all finished runs of a study. The clock must be that of
// the study.
func (p Prices) differences(rows *tables.Rows) (list []string, err error) {
	for _, s := range p.set {
		value, differs := config.Text(s.Value), false
		rows.EachPoint(func(point tables.Point) {
			var old config.Config
			if point.Power.Known {
				err = errors.Join(err, json.Unmarshal([]byte(point.Power.Value), &old.Power))
				differs = differs || config.Text(s.Key.Value(old)) != value
			}
		})
		if differs && s.Key.Name == "power.clock_ghz" {
			err = fmt.Errorf("power.clock_ghz (given by %s) cannot change without simulating: the chip runs at the network's clock; use carousel run", s.Origin)
		}
		if differs {
			list = append(list, s.Key.Name+"="+value)
		}
	}
	return list, err
}

// change returns the new prices for old ones.
func (p Prices) change(old power.Config) (power.Config, error) {
	again := config.Config{Power: old.Usual()}
	for _, s := range p.set {
		s.Key.Set(&again, s.Value)
	}
	again.Power = again.Power.Follow(func(key string) bool {
		return slices.ContainsFunc(p.set, func(s config.Setting) bool { return s.Key.Name == "power."+key })
	})
	if err := again.Power.Validate(); err != nil {
		return again.Power, fmt.Errorf("power.%w", err)
	}
	return again.Power.Effective(), nil
}

// ReadAll reads the studies of directories. One that holds no study itself stands for those up to
// two levels below it: carousel paper run writes such directories.
func ReadAll(dirs []string) (list []*Stored, err error) {
	for _, dir := range dirs {
		found := below(dir, 2)
		if len(found) == 0 {
			if at, err := os.Stat(dir); err != nil {
				return nil, fmt.Errorf("cannot read the study: %w", err)
			} else if !at.IsDir() {
				return nil, fmt.Errorf("cannot read the study: %s is a file; give the directory of a study", dir)
			}
			return nil, fmt.Errorf("neither %s nor a directory in it holds a study: there is no %s.arrow and no %s.arrow", dir, tables.Runs.Name, tables.TrafficPoints.Name)
		}
		for _, dir := range found {
			s, err := Read(dir)
			if err != nil {
				return nil, err
			}
			list = append(list, s)
		}
	}
	return list, nil
}

// below lists the directories that hold studies, so many levels down.
func below(dir string, levels int) (list []string) {
	for _, name := range []string{tables.Runs.Name, tables.TrafficPoints.Name} {
		if _, err := os.Stat(filepath.Join(dir, name+".arrow")); err == nil {
			return []string{dir}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || levels == 0 {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() && !slices.Contains([]string{sweep.PointsName, sweep.Bound, sweep.Band}, e.Name()) && !strings.HasPrefix(e.Name(), ".") {
			list = append(list, below(filepath.Join(dir, e.Name()), levels-1)...)
		}
	}
	return list
}

// Read reads the tables of a directory.
func Read(dir string) (*Stored, error) {
	rows, manifest, err := tables.ReadRows(dir)
	if err != nil {
		return nil, withCure(err)
	}
	if rows.Mixed {
		return nil, fmt.Errorf("%s: several commands have written the tables; give the command of the study again, which writes all of them from finished points", dir)
	}
	s := &Stored{Dir: dir, Rows: rows}
	if s.Manifest, err = experiment.ParseManifest([]byte(manifest)); err != nil {
		return nil, fmt.Errorf("%s: the manifest in the tables is damaged: %w", dir, err)
	}
	if _, err := os.Stat(filepath.Join(dir, sweep.Bound)); err == nil {
		beside, _, err := tables.ReadRows(filepath.Join(dir, sweep.Bound))
		if err != nil {
			return nil, withCure(err)
		}
		s.Bounds = beside.Runs
	}
	path := filepath.Join(dir, tables.Claims.Name+".arrow")
	if _, err := os.Stat(path); err == nil {
		claims, _, err := tables.Claims.ReadArrow(path)
		if err != nil {
			return nil, withCure(err)
		}
		if len(claims) > 0 {
			s.Entry = claims[0].Entry
		}
	}
	return s, nil
}

// withCure says what to do about a damaged table.
func withCure(err error) error {
	if errors.Is(err, wholefile.ErrChecksum) {
		return fmt.Errorf("%w; give the command of the study again, which writes its tables again from finished points", err)
	}
	return err
}

// Reprice prices a study again, without simulating, and says so in its manifest, unless it has these prices
// already. The configuration is the one that the prices come from.
func (s *Stored) Reprice(p Prices, c *config.Effective) error {
	differences, err := p.differences(&s.Rows)
	if err != nil || differences == nil {
		return err
	}
	for _, a := range s.Rows.Axes {
		if strings.HasPrefix(a.Key, "power.") && c.Given(a.Key) {
			return fmt.Errorf("the study varies %s, so it cannot be set; leave it out", a.Key)
		}
	}
	if err := experiment.Reprice(&s.Rows, p.change); err != nil {
		return err
	}
	s.Manifest.Repriced = strings.Join(differences, ", ")
	var prices string // of a finished run
	s.Rows.EachPoint(func(p tables.Point) {
		if p.Power.Known {
			prices = p.Power.Value
		}
	})
	priced := *c
	if err := json.Unmarshal([]byte(prices), &priced.Power); err != nil {
		return err
	}
	values, _ := priced.Nested()
	if sections, ok := s.Manifest.Configuration.(map[string]any); ok {
		sections["power"] = values["power"]
	}
	return nil
}

// Save writes each study again, with the pictures of its part of a report, into a directory that it claims.
func Save(out string, studies []*Stored, parts []report.Study, pictures []string, formats tables.Formats, force bool) error {
	used := map[string]string{}
	for i, s := range studies {
		to := out
		if len(studies) > 1 {
			name := filepath.Base(filepath.Clean(s.Dir))
			if name == "quick" || name == "full" { // of a paper's figure
				name = filepath.Base(filepath.Dir(filepath.Clean(s.Dir))) + "-" + name
			}
			if other, twice := used[name]; twice {
				return &sweep.Occupied{Text: fmt.Sprintf("%s and %s would both be written to %s; write them one by one", other, s.Dir, filepath.Join(out, name))}
			}
			used[name], to = s.Dir, filepath.Join(out, name)
		}
		claiming := sweep.Claiming{Force: force}
		for _, figure := range parts[i].Figures {
			for _, format := range pictures {
				claiming.Pictures = append(claiming.Pictures, figure.Name+"."+format)
			}
		}
		var err error
		if s.out, err = take(to, s.Manifest, nil, formats, claiming); err != nil {
			return err
		}
	}
	for i, s := range studies {
		shown := claim.Result{Figures: parts[i].Figures, Points: parts[i].Points}
		if s.Entry != "" {
			shown.Claims = parts[i].Claims
		}
		if _, err := s.out.write("", &s.Rows, shown, pictures...); err != nil {
			return err
		}
	}
	return nil
}

// Release ends the claim of a study that has been saved.
func (s *Stored) Release() error {
	_, err := s.out.Finish(true)
	return err
}
