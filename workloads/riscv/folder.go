package riscv

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// folder is what a program can see of the folder of its files: what is there when the program is
// read.
type folder struct {
	root  *os.Root
	nodes map[string]*node // by path; "." is the folder itself
	list  []*node          // in the order of paths
}

// node is a file, a folder, a link, or something else that is in a folder.
type node struct {
	path   string
	mode   fs.FileMode // its type
	number uint64      // from 1, as numbers of inodes
	size   uint64      // of a file or a link's text
	link   string
	info   fs.FileInfo // of a file
}

// mostFiles is how many bytes the files of a folder may have together. A program does not have as
// many addresses, and to digest them takes seconds.
const mostFiles = 1 << spaceBits

// openFolder lists the folder of a program's files.
func openFolder(place string) (*folder, error) {
	info, err := os.Stat(place)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: place, Err: syscall.ENOTDIR}
	}
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(place)
	}
	if err != nil {
		return nil, fmt.Errorf("the folder of the program's files cannot be opened: %w", err)
	}
	f, total := &folder{root: root, nodes: map[string]*node{}}, uint64(0)
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		n := &node{path: name, mode: d.Type(), number: uint64(len(f.list) + 1)}
		switch {
		case n.mode.IsRegular():
			if n.info, err = d.Info(); err == nil {
				n.size = uint64(n.info.Size())
			}
			if total += n.size; total > mostFiles {
				return fmt.Errorf("%s and the files before it have %d bytes, and %d are allowed; name a folder that has only what the program reads", name, total, uint64(mostFiles))
			}
		case n.mode&fs.ModeSymlink != 0:
			n.link, err = root.Readlink(name)
			n.link = filepath.ToSlash(n.link)
			n.size = uint64(len(n.link))
		}
		f.nodes[name], f.list = n, append(f.list, n)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the folder of the program's files cannot be read: %w", err)
	}
	return f, nil
}

// digest gives everything that a program can see to note: names and types, texts of links, and
// digests of files.
func (f *folder) digest(note func([]byte)) error {
	for _, n := range f.list {
		note([]byte(n.mode.String() + " " + n.path))
		switch {
		case n.mode&fs.ModeSymlink != 0:
			note([]byte(n.link))
		case n.mode.IsRegular():
			file, err := f.root.Open(n.path)
			if err != nil {
				return fmt.Errorf("the folder of the program's files cannot be read: %w", err)
			}
			h := sha256.New()
			if n.info, err = file.Stat(); err == nil {
				_, err = io.Copy(h, io.LimitReader(file, mostFiles))
			}
			n.size = uint64(n.info.Size())
			if err = errors.Join(err, file.Close()); err != nil {
				return fmt.Errorf("the folder of the program's files cannot be read: %w", err)
			}
			note(h.Sum(nil))
		}
	}
	return nil
}

// read reads all of into from a file, or up to its end. A file that has changed since it was
// digested is an error: results would belong to another one.
func (f *folder) read(n *node, into []byte, at uint64) error {
	file, err := f.root.Open(n.path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && (!os.SameFile(info, n.info) || info.Size() != n.info.Size() || !info.ModTime().Equal(n.info.ModTime())) {
		err = errors.New("it has changed since the command started")
	}
	if err == nil {
		_, err = file.ReadAt(into, int64(at))
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// find returns what a path leads to, from a folder on, and an error of Linux otherwise. It follows
// links that stay in the folder, but for one at the end of the path if follow is false.
func (f *folder) find(from, text string, follow bool) (*node, int64) {
	if f == nil || text == "" {
		return nil, noEntry
	}
	if text[0] == '/' {
		from = "."
	}
	here, rest, links := f.nodes[from], strings.Split(text, "/"), 0
	own := len(rest) // parts that come from no link
	for len(rest) > 0 {
		part, linked := rest[0], len(rest) > own
		rest = rest[1:]
		own = min(own, len(rest))
		switch {
		case !here.mode.IsDir():
			return nil, noFolder
		case part == "" || part == ".":
			continue
		case part == "..":
			if linked && here.path == "." {
				return nil, noEntry // it leaves the folder
			}
			here = f.nodes[path.Dir(here.path)]
			continue
		case len(part) > 255:
			return nil, longName
		}
		next := f.nodes[path.Join(here.path, part)]
		switch {
		case next == nil:
			return nil, noEntry
		case next.mode&fs.ModeSymlink == 0 || len(rest) == 0 && !follow:
			here = next
		case strings.HasPrefix(next.link, "/") || next.link == "":
			return nil, noEntry // it leaves the folder
		default:
			if links++; links > 40 {
				return nil, tooManyLinks
			}
			rest = append(strings.Split(next.link, "/"), rest...)
		}
	}
	return here, 0
}
