package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/analysis/experiment"
	"github.com/carousel-sim/carousel/analysis/tables"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
)

// planName is the file that lists the points of a directory's sweep.
const planName = "plan.json"

// listing is the content of that file.
type listing struct {
	Study  string             `json:"study"` // digest of the keys
	Builds Builds             `json:"builds"`
	Points []experiment.Point `json:"points"`
}

// Describe writes the plan into the directory of its points, for the merge of shards, with the builds whose
// points the sweep reuses.
func (s *Store) Describe(plan []experiment.Point) error {
	content, err := wholefile.SealedJSON(listing{experiment.KeyOf(plan), s.builds, plan})
	if err != nil {
		return err
	}
	return wholefile.WriteBytes(filepath.Join(s.dir, planName), content)
}

func readListing(dir string) (*listing, error) {
	path := filepath.Join(dir, planName)
	content, _, err := wholefile.ReadSealed(path, listingBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no sweep: there is no %s", dir, planName)
	}
	l := new(listing)
	if err == nil {
		if err = json.Unmarshal(content, l); err != nil {
			err = fmt.Errorf("%s is damaged: %w", path, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w; give the command of the sweep again, which writes the file again", err)
	}
	return l, nil
}

// ErrIncomplete is wrapped by the error about points that are in none of the merged directories.
var ErrIncomplete = errors.New("the sweep is not finished")

// Merge puts the tables of a sweep together from the points that several directories keep, which
// are shards of one plan. It gives the plan's digest and the number of its points, too.
func Merge(dirs []string) (rows tables.Rows, study string, points int, err error) {
	var plan *listing
	for _, dir := range dirs {
		l, err := readListing(dir)
		if err != nil {
			return rows, "", 0, err
		}
		if plan == nil {
			plan = l
		} else if l.Study != plan.Study {
			return rows, "", 0, fmt.Errorf("%s and %s hold different plans (studies %.10s and %.10s); merge the shards of one plan",
				dirs[0], dir, plan.Study, l.Study)
		} else if l.Builds.Own != plan.Builds.Own && !l.Builds.Any && !plan.Builds.Any {
			return rows, "", 0, fmt.Errorf("%s and %s were simulated by different builds of carousel; simulate both with one build, or with --reuse-builds", dirs[0], dir)
		}
	}
	all, err := readFinished(dirs...)
	if err != nil {
		return rows, "", 0, err
	}
	var missing []experiment.Point
	for _, p := range plan.Points {
		at := plan.Builds.find(all[p.Key])
		if at == "" {
			missing = append(missing, p)
			continue
		}
		part, err := get(at)
		if err != nil {
			return rows, "", 0, err
		}
		experiment.AppendPoint(&rows, &part, p.Axes)
	}
	if len(missing) > 0 {
		return tables.Rows{}, "", 0, fmt.Errorf("%w: %d of %d points are missing in the directories, first %q; simulate them with --resume and merge again",
			ErrIncomplete, len(missing), len(plan.Points), missing[0].Label)
	}
	experiment.FillBreakEven(&rows)
	rows.DropHostTime()
	return rows, plan.Study, len(plan.Points), nil
}

// Shard is a part of a plan: every Of-th point, beginning with the Number-th, from 1.
type Shard struct{ Number, Of int }

// Points are the shard's points. Neighbours in a plan take similar time, so shards take every n-th.
func (s Shard) Points(plan []experiment.Point) []experiment.Point {
	var list []experiment.Point
	for i := s.Number - 1; i < len(plan); i += s.Of {
		list = append(list, plan[i])
	}
	return list
}

// ParseShard reads a part of so many points as NUMBER/OF, such as 1/4. No text stands for all points.
func ParseShard(text string, points int) (Shard, error) {
	if text == "" {
		return Shard{1, 1}, nil
	}
	number, of, ok := strings.Cut(text, "/")
	n, err1 := strconv.Atoi(number)
	m, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil {
		return Shard{}, errors.New("write NUMBER/OF, such as 1/4")
	}
	s := Shard{Number: n, Of: m}
	switch {
	case m < 1 || n < 1 || n > m:
		return s, fmt.Errorf("shard %d/%d does not exist; use 1/%d to %d/%d", n, m, max(1, m), max(1, m), max(1, m))
	case m > points:
		return s, fmt.Errorf("the plan has %d points; use at most that many shards, not %d", points, m)
	}
	return s, nil
}
