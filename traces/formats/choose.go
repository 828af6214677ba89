package formats

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/traces"
	"github.com/carousel-sim/carousel/traces/chakra"
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
		if err != nil {
			return in, err
		}
		if info.IsDir() {
			err = in.folder(path, &candidates)
		} else if !anyway || name == "" {
			err = in.file(path, &candidates, name != "")
		} else {
			in.Files = append(in.Files, path)
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
		if named && other.Name != f.Name && try(other, path) == nil {
			in.notes = append(in.notes, fmt.Sprintf("%s can also be read as %s", filepath.Base(path), other.Name))
		}
	}
	return nil
}

// folder adds the files of a folder and of the folders below it.
func (in *Input) folder(path string, candidates *[]Format) error {
	var all, left []string
	err := filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
		if err != nil || strings.HasPrefix(e.Name(), ".") || e.IsDir() {
			return err
		}
		if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() { // also behind a link
			all = append(all, at)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var nearest error
	found, others := map[string]bool{}, map[string]bool{} // others have a format that no importer reads
	possible := *candidates
	first := possible[0]
	for _, at := range all {
		f, err := recognise(at, append([]Format{first}, possible...), true)
		if err != nil {
			nearest = better(nearest, err)
			if head, err := readHead(at); err == nil && Other(head) != "" {
				others[at] = true
			}
			continue
		}
		if first = f; len(found) > 0 && f.Name != (*candidates)[0].Name {
			return fmt.Errorf("%s: %s is of format %s, and other files are of format %s; name the files or the format", path, filepath.Base(at), f.Name, (*candidates)[0].Name)
		}
		*candidates, found[at] = []Format{f}, true
	}
	if len(found) == 0 {
		i := slices.IndexFunc(*candidates, func(f Format) bool {
			return f.Named != nil && slices.ContainsFunc(all, func(at string) bool { return !others[at] && f.Named(filepath.Base(at)) })
		})
		if i < 0 {
			return noRecordings(path, all, nearest)
		}
		*candidates = []Format{(*candidates)[i]}
	}
	for _, at := range all {
		if f := (*candidates)[0]; found[at] || f.Named != nil && f.Named(filepath.Base(at)) && !others[at] {
			in.Files = append(in.Files, at)
		} else if f.Beside == "" || !strings.HasPrefix(filepath.Base(at), f.Beside) {
			left = append(left, filepath.Base(at))
		}
	}
	if len(left) > 0 {
		if n := len(left); n > 3 {
			left = append(left[:3], fmt.Sprintf("%d more", n-3))
		}
		in.notes = append(in.notes, "files of the folder without records of this format, left out: "+strings.Join(left, ", "))
	}
	return nil
}

func noRecordings(path string, all []string, nearest error) error {
	if chakra.Is(path) {
		return fmt.Errorf("%s: %s", path, ofChakra)
	}
	for _, at := range all {
		if strings.Contains(filepath.Base(at), ".raw") {
			return fmt.Errorf("%s: raw DynamoRIO files: run drraw2trace -indir on the folder first", path)
		}
	}
	err := fmt.Errorf("%s: the folder holds no recordings that are recognised", path)
	if nearest != nil {
		err = fmt.Errorf("%w; the nearest is %w", err, nearest)
	}
	return err
}

// unlike is the error of a file without a format: the nearest format, and how far its reader came.
type unlike struct {
	text string
	far  int64
}

func (u *unlike) Error() string { return u.text }

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
				err = &unlike{fmt.Sprintf("%s: the format is not recognised: %s; name the format with --from", path, doubt), HeadBytes}
			}
		}
		if err == nil {
			return f, nil
		}
		nearest = better(nearest, err)
	}
	var text string
	if strings.Contains(filepath.Base(path), ".raw") {
		text = fmt.Sprintf("%s: the format is not recognised: a raw DynamoRIO file; run drraw2trace -indir on its folder first", path)
	} else if chakra.Is(path) {
		text = fmt.Sprintf("%s: the format is not recognised: %s", path, ofChakra)
	} else if what := Other(head); what != "" {
		text = fmt.Sprintf("%s: the format is not recognised: %s", path, what)
	} else if u := new(unlike); len(candidates) == 1 || errors.As(nearest, &u) && u.far > 0 {
		return Format{}, nearest
	} else if line, _, _ := strings.Cut(string(head), "\n"); strings.Contains(line, ",") && printableText(line) {
		return Format{}, try(Table[0], path)
	} else if strings.Contains(line, ";") && printableText(line) {
		text = fmt.Sprintf("%s: the format is not recognised: its first line has semicolons; csv has commas between fields", path)
	} else {
		text = fmt.Sprintf("%s: the format is not recognised; name one of %s", path, strings.Join(Names(), ", "))
	}
	return Format{}, &unlike{text, 0}
}

func printableText(line string) bool {
	return !strings.ContainsFunc(line, func(c rune) bool { return c < ' ' && c != '\t' && c != '\r' })
}

// try reads the head of a file as a format and says why this fails. A file whose reader made records
// up to the end of the head, or to a place where the file is cut off, has the format.
func try(f Format, path string) error {
	discard := traces.ToStream(nowhere{}, traces.DefaultWriterConfig())
	done, err := f.Import([]string{path}, traces.ImportConfig{Head: HeadBytes}, discard)
	if done.Taken > 0 && (err == nil || errors.Is(err, traces.ErrHead) || errors.Is(err, traces.ErrTruncated)) {
		return nil
	}
	u := &unlike{text: fmt.Sprintf("%s: the format is not recognised: as %s, there is no record", path, f.Name)}
	if place := new(traces.Error); errors.As(err, &place) && !errors.Is(err, traces.ErrHead) {
		u.far = max(0, place.Offset)
		u.text = fmt.Sprintf("%s: the format is not recognised: as %s, %s", path, f.Name, place.Problem)
		if u.far > 0 {
			u.text = fmt.Sprintf("%s: the format is not recognised: %s as far as byte %d: %s", path, f.Name, u.far, place.Problem)
			if strings.HasPrefix(place.Problem, "line ") {
				u.text = fmt.Sprintf("%s: the format is not recognised: %s as far as %s", path, f.Name, place.Problem)
			}
		}
	} else if err != nil && !errors.Is(err, traces.ErrHead) {
		u.text = fmt.Sprintf("%s: the format is not recognised: as %s, %v", path, f.Name, err)
	}
	return u
}

// nowhere drops what is written.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
