package tables

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Rows are the result tables of a study. A study of chips has runs with cores and epochs; one of
// networks alone has traffic; both have routers, links and latencies.
type Rows struct {
	Runs    []Run
	Traffic []Traffic
	Routers []Router
	Links   []Link
	Latency []Latency
	Cores   []Core
	Epochs  []Epoch
	// RouterEpochs are the routers of chips over time.
	RouterEpochs []RouterEpoch
	HotBlocks    []HotBlock
	Classes      []Class
	Batches      []Batch // of message passing studies, beside their traffic
	Axes         []Axis  // of a sweep

	// Mixed says that several commands have written the tables that were read.
	Mixed bool
	// Lacking names the files of tables that a study with these rows has, and that were not there.
	Lacking []string
}

// Append adds the rows of another part of the study.
func (r *Rows) Append(more *Rows) {
	added := more.parts(true)
	for i, p := range r.parts(true) {
		p.add(added[i])
	}
}

// DropHostTime leaves the time that the host took absent: the only thing in which two equal studies
// differ.
func (r *Rows) DropHostTime() {
	r.EachPoint(func(p Point) { *p.WallSeconds = Maybe[float64]{} })
}

// Point is what a run and a point of traffic have in common: cells of their rows, which can be
// changed.
type Point struct {
	RunKey, Router, Topology, Rules, ExitState *string
	Explanation, Power                         *Maybe[string]
	WallSeconds                                *Maybe[float64]
}

// EachPoint visits all runs and points of traffic, in the order of the plan.
func (r *Rows) EachPoint(visit func(Point)) {
	for i := range r.Runs {
		p := &r.Runs[i]
		visit(Point{&p.RunKey, &p.Router, &p.Topology, &p.Rules, &p.ExitState, &p.Explanation, &p.Power, &p.WallSeconds})
	}
	for i := range r.Traffic {
		p := &r.Traffic[i]
		visit(Point{&p.RunKey, &p.Router, &p.Topology, &p.Rules, &p.ExitState, &p.Explanation, &p.Power, &p.WallSeconds})
	}
}

// part is one table of a study and the slice that holds its rows.
type part interface {
	put(f *Folder, manifest string)
	read(file *arrowFile) error
	file() string // its name
	add(same part)
	divide(runs func(key string) part)
	keys(each func(*string))
	describe() Description
}

// slot joins a table with its rows.
type slot[R any] struct {
	table *Table[R]
	rows  *[]R
}

func (s slot[R]) file() string { return s.table.Name + ".arrow" }

func (s slot[R]) add(same part) { *s.rows = append(*s.rows, *same.(slot[R]).rows...) }

// divide adds neighbouring rows of one run to those of that run.
func (s slot[R]) divide(runs func(key string) part) {
	key := func(i int) string { return *s.table.Columns[0].Cell(&(*s.rows)[i]).(*string) }
	for from, to := 0, 0; from < len(*s.rows); from = to {
		for to = from + 1; to < len(*s.rows) && key(to) == key(from); to++ {
		}
		of := runs(key(from)).(slot[R])
		if own := (*s.rows)[from:to:to]; *of.rows == nil {
			*of.rows = own
		} else {
			*of.rows = append(*of.rows, own...)
		}
	}
}

func (s slot[R]) describe() Description { return s.table.Describe() }

// keys visits the run keys, which every table of a study has as its first column.
func (s slot[R]) keys(each func(*string)) {
	for i := range *s.rows {
		each(s.table.Columns[0].Cell(&(*s.rows)[i]).(*string))
	}
}

func (s slot[R]) put(f *Folder, manifest string) { Put(f, s.table, *s.rows, manifest) }

func (s slot[R]) read(file *arrowFile) (err error) {
	*s.rows, err = s.table.decode(file)
	return err
}

// parts lists the tables in the order in which they are written: those of chips, or those of
// networks alone when there is traffic; the axes only when a sweep has any.
func (r *Rows) parts(all bool) []part {
	var list []part
	if all || len(r.Traffic) == 0 {
		list = append(list, slot[Run]{Runs, &r.Runs})
	}
	if all || len(r.Traffic) > 0 {
		list = append(list, slot[Traffic]{TrafficPoints, &r.Traffic})
	}
	list = append(list, slot[Router]{Routers, &r.Routers}, slot[Link]{Links, &r.Links}, slot[Latency]{Latencies, &r.Latency})
	if all || len(r.Traffic) == 0 {
		list = append(list, slot[Core]{Cores, &r.Cores}, slot[Epoch]{Epochs, &r.Epochs}, slot[RouterEpoch]{RouterEpochs, &r.RouterEpochs}, slot[Class]{Classes, &r.Classes}, slot[HotBlock]{HotBlocks, &r.HotBlocks})
	}
	if all || len(r.Batches) > 0 {
		list = append(list, slot[Batch]{Batches, &r.Batches})
	}
	if all || len(r.Axes) > 0 {
		list = append(list, slot[Axis]{Axes, &r.Axes})
	}
	return list
}

// ByRun divides the rows by their run keys, and lists these in the order of the plan. The rows of a run that are
// neighbours stay where they are.
func (r *Rows) ByRun() ([]string, map[string]*Rows) {
	var keys []string
	runs, parts := map[string]*Rows{}, map[string][]part{}
	for i, p := range r.parts(true) {
		p.divide(func(key string) part {
			if runs[key] == nil {
				keys, runs[key] = append(keys, key), &Rows{}
				parts[key] = runs[key].parts(true)
			}
			return parts[key][i]
		})
	}
	return keys, runs
}

// EachKey visits the run key of every row of every table.
func (r *Rows) EachKey(each func(key *string)) {
	for _, p := range r.parts(true) {
		p.keys(each)
	}
}

// Put adds the tables to a folder.
func (r *Rows) Put(f *Folder, manifest string) {
	for _, p := range r.parts(false) {
		p.put(f, manifest)
	}
}

// ReadRows reads the tables of a study that are in a directory, and its manifest. A directory
// without runs and without traffic holds no study; other tables may be absent.
func ReadRows(dir string) (rows Rows, manifest string, err error) {
	if _, err := os.Stat(dir); err != nil {
		return Rows{}, "", fmt.Errorf("cannot read the study: %w", err)
	}
	found, err := rows.read(dir)
	if err != nil {
		return Rows{}, "", err
	}
	chips, networks := found[Runs.Name+".arrow"], found[TrafficPoints.Name+".arrow"]
	switch {
	case chips == nil && networks == nil:
		return Rows{}, "", fmt.Errorf("%s holds no study: there is neither %s.arrow nor %s.arrow", dir, Runs.Name, TrafficPoints.Name)
	case chips != nil && networks != nil:
		return Rows{}, "", fmt.Errorf("%s holds both %s.arrow and %s.arrow, which two studies have written; move one of them away", dir, Runs.Name, TrafficPoints.Name)
	case chips == nil:
		chips = networks
	}
	manifest = chips.metadata[manifestKey]
	for _, file := range found {
		rows.Mixed = rows.Mixed || file.metadata[manifestKey] != manifest
	}
	for _, p := range rows.parts(false) {
		if found[p.file()] == nil {
			rows.Lacking = append(rows.Lacking, p.file())
		}
	}
	return rows, manifest, nil
}

// read reads the tables that a directory has, and returns their files by name.
func (r *Rows) read(dir string) (map[string]*arrowFile, error) {
	found := map[string]*arrowFile{}
	for _, p := range r.parts(true) {
		file, err := openArrow(filepath.Join(dir, p.file()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = p.read(file)
		}
		if err != nil {
			return nil, err
		}
		found[p.file()] = file
	}
	return found, nil
}

// RuleText returns which rules the routers of a study follow, where options switch rules on and
// off, such as "router rules: live on rr, mrr"; several rule sets are separated by semicolons. It is ""
// where no router has such rules.
func (r *Rows) RuleText() string {
	type follower struct{ router, rules string }
	var list []follower
	r.EachPoint(func(p Point) {
		if *p.Rules != "" {
			list = append(list, follower{*p.Router, *p.Rules})
		}
	})
	var texts []string
	for _, set := range GroupBy(list, func(f *follower) string { return f.rules }) {
		routers := Keys(GroupBy(set.Records, func(f *follower) string { return f.router }))
		texts = append(texts, set.Key+" on "+strings.Join(routers, ", "))
	}
	if texts == nil {
		return ""
	}
	return "router rules: " + strings.Join(texts, "; ")
}
