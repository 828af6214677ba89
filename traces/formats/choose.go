package formats

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/chakra"
	"github.com/carousel-sim/carousel/traces/packed"
)

// Input is what an import reads.
type Input struct {
	Format Format
	Files  []string
	notes  []string // about files that are left out
	anyway bool
}

// Import reads the files.
func (in Input) Import(c traces.ImportConfig, to traces.Destination) (traces.Imported, error) {
	c.Anyway = c.Anyway || in.anyway
	return in.Format.Import(in.Files, c, func(m traces.Metadata) (*traces.Writer, error) {
		w, err := to(m)
		if err == nil {
			for _, note := range in.notes {
				w.Note(note)
			}
		}
		return w, err
	})
}

// Choose finds the format and the files of an import. name is the format's name, or "" to recognise
// it. A file that contradicts the format is refused, unless anyway is set.
func Choose(paths []string, name string, anyway bool) (Input, error) {
	in := Input{anyway: anyway}
	candidates := Table
	if name != "" {
		f, err := Find(name)
		if err != nil {
			return in, err
		}
		candidates = []Format{f}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
		case info.IsDir():
			err = in.folder(path, &candidates)
		case anyway && name != "":
			in.Files = append(in.Files, path)
		default:
			err = in.file(path, &candidates, name != "")
		}
		if err != nil {
			return in, err
		}
	}
	if len(paths) == 0 {
		return in, errors.New("no files given")
	}
	in.Format = candidates[0]
	return in, nil
}

// file adds a file of one of the candidates, which the format then is.
func (in *Input) file(path string, candidates *[]Format, named bool) error {
	f, err := recognise(path, *candidates, named)
	if err != nil {
		if !named && len(*candidates) > 1 {
			return err
		}
		if looks, other := recognise(path, Table, false); other == nil {
			err = fmt.Errorf("%w; the file looks like %s", err, looks.Name)
		}
		if named {
			err = fmt.Errorf("%w; --anyway imports it nevertheless", err)
		}
		return err
	}
	*candidates = []Format{f}
	in.Files = append(in.Files, path)
	for _, other := range Table {
		if named && len(in.Files) == 1 && other.Name != f.Name && try(other, path) == nil {
			in.notes = append(in.notes, fmt.Sprintf("%s can also be read as %s", filepath.Base(path), other.Name))
		}
	}
	return nil
}

// folder adds the files of a folder and of the folders below it.
func (in *Input) folder(path string, candidates *[]Format) error {
	all, err := packed.Walk(path)
	if err != nil {
		return err
	}
	var nearest error
	found, possible := map[string]bool{}, *candidates
	first := possible[0]
	for _, at := range all {
		f, err := recognise(at, append([]Format{first}, possible...), true)
		if err != nil {
			nearest = better(nearest, err)
			continue
		}
		if first = f; len(found) > 0 && f.Name != (*candidates)[0].Name {
			return fmt.Errorf("%s: %s is of format %s, and other files are of format %s; name the files or the format", path, filepath.Base(at), f.Name, (*candidates)[0].Name)
		}
		*candidates, found[at] = []Format{f}, true
	}
	// A file with a name of the format is never left out, unless it is known to be something else.
	damaged := func(f Format, at string) bool {
		if f.Named == nil || !f.Named(filepath.Base(at)) {
			return false
		}
		head, err := readHead(at)
		return err != nil || Other(head) == ""
	}
	if len(found) == 0 {
		i := slices.IndexFunc(*candidates, func(f Format) bool {
			return slices.ContainsFunc(all, func(at string) bool { return damaged(f, at) })
		})
		if i < 0 {
			return noRecordings(path, all, nearest)
		}
		*candidates = []Format{(*candidates)[i]}
	}
	var left []string
	for f, i := (*candidates)[0], 0; i < len(all); i++ {
		if at := all[i]; found[at] || damaged(f, at) {
			in.Files = append(in.Files, at)
		} else if f.Beside == "" || !strings.HasPrefix(filepath.Base(at), f.Beside) {
			left = append(left, filepath.Base(at))
		}
	}
	if len(left) > 0 {
		in.notes = append(in.notes, "files of the folder without records of this format, left out: "+packed.Few(left))
	}
	return nil
}

func noRecordings(path string, all []string, nearest error) error {
	switch {
	case chakra.Is(path):
		return fmt.Errorf("%s: %s", path, ofChakra)
	case slices.ContainsFunc(all, isRaw):
		return fmt.Errorf("%s: raw DynamoRIO files: run drraw2trace -indir on the folder first", path)
	case nearest != nil:
		return fmt.Errorf("%s: the folder holds no recordings that are recognised; the nearest is %w", path, nearest)
	}
	return fmt.Errorf("%s: the folder holds no recordings that are recognised", path)
}

func isRaw(path string) bool { return strings.Contains(filepath.Base(path), ".raw") }

// unlike is the error of a file without a format: why, and how far its nearest reader came.
type unlike struct {
	path, text string
	far        int64
}

func (u *unlike) Error() string { return u.path + ": the format is not recognised" + u.text }

// better returns the error of the reader that came further.
func better(a, b error) error {
	var ua, ub *unlike
	if a == nil || errors.As(b, &ub) && errors.As(a, &ua) && ub.far > ua.far {
		return b
	}
	return a
}

// recognise finds the first candidate whose importer reads the head of a file. sure says that doubts
// do not matter.
func recognise(path string, candidates []Format, sure bool) (Format, error) {
	head, err := readHead(path)
	if err != nil {
		return Format{}, err
	}
	var nearest error
	for _, f := range candidates {
		err := try(f, path)
		if err == nil && !sure && f.Doubt != nil {
			if doubt := f.Doubt(head); doubt != "" {
				err = &unlike{path, fmt.Sprintf(": %s; name the format with --from", doubt), HeadBytes}
			}
		}
		if err == nil {
			return f, nil
		}
		nearest = better(nearest, err)
	}
	what := Other(head)
	if len(head) == 0 {
		what = "the file is empty"
	} else if isRaw(path) {
		what = "a raw DynamoRIO file; run drraw2trace -indir on its folder first"
	} else if chakra.Is(path) {
		what = ofChakra
	}
	line, _, _ := strings.Cut(string(head), "\n")
	text := !strings.ContainsFunc(line, func(c rune) bool { return c < ' ' && c != '\t' && c != '\r' })
	u := new(unlike)
	switch {
	case what != "":
		return Format{}, &unlike{path, ": " + what, 0}
	case len(candidates) == 1 || errors.As(nearest, &u) && u.far > 0:
		return Format{}, nearest
	case text && strings.Contains(line, ","):
		return Format{}, try(Table[0], path)
	case text && strings.Contains(line, ";"):
		return Format{}, &unlike{path, ": its first line has semicolons; csv has commas between fields", 0}
	}
	return Format{}, &unlike{path, "; name one of " + strings.Join(Names(), ", "), 0}
}

// try reads the head of a file as a format and says why this fails. A file whose reader made records
// up to the end of the head, or to a place where the file is cut off, has the format.
func try(f Format, path string) error {
	done, err := f.Import([]string{path}, traces.ImportConfig{Head: HeadBytes}, traces.ToStream(nowhere{}, traces.DefaultWriterConfig()))
	if done.Taken > 0 && (err == nil || errors.Is(err, traces.ErrHead) || errors.Is(err, traces.ErrTruncated)) {
		return nil
	}
	place := new(traces.Error)
	switch {
	case err == nil || errors.Is(err, traces.ErrHead):
		return &unlike{path, fmt.Sprintf(": as %s, there is no record", f.Name), 0}
	case !errors.As(err, &place):
		return &unlike{path, fmt.Sprintf(": as %s, %v", f.Name, err), 0}
	case place.Offset <= 0:
		return &unlike{path, fmt.Sprintf(": as %s, %s", f.Name, place.Problem), 0}
	}
	at := fmt.Sprintf("byte %d: ", place.Offset)
	if strings.HasPrefix(place.Problem, "line ") {
		at = ""
	}
	return &unlike{path, fmt.Sprintf(": %s as far as %s%s", f.Name, at, place.Problem), place.Offset}
}

type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
