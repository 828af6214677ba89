package models

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/arguments"
	"github.com/carousel-sim/carousel/noc/leaf/wholefile"
	"github.com/carousel-sim/carousel/noc/program"
	"github.com/carousel-sim/carousel/noc/topology"
)

// ProgramSource has what the author of a network that is a program needs; see package program.
var ProgramSource = program.Source

// EndPrograms ends networks that are programs when a context ends.
var EndPrograms = program.EndWith

// isProgram reports whether a name is that of a network that is a program, program:FILE.
func isProgram(name string) bool { return strings.HasPrefix(name, program.Prefix) }

// Shown returns the name of a model in tables: that of a program without its folder.
func Shown(name string) string {
	if path, is := strings.CutPrefix(name, program.Prefix); is {
		return program.Prefix + program.Name(path)
	}
	return name
}

// programModel returns the model of the program in a file. What its network is shows when it is built.
func programModel(name string) (Model, error) {
	path := strings.TrimPrefix(name, program.Prefix)
	if path == "" {
		return Model{}, errors.New("program: names no file; write program:FILE, such as program:./bus")
	}
	build := func(o Options) (noc.Network, error) { return startProgram(path, o) }
	return Model{Name: Shown(name), Scheme: "program", Doc: "program " + path, Anywhere: true, New: build, Plain: build,
		SourceQueue: func(o Options) (int, string) { return o.Program.SourceQueue, "program.source_queue" },
		MaxPhits:    func(o Options) (int, string) { return o.Program.Longest, "program.longest" },
		MostPhits:   program.MaxPhits,
		Layout:      func(o Options) (topology.Layout, error) { return programLayout(path, o) },
		FiniteSinks: true}, nil
}

// startProgram starts a program as the network of some options.
func startProgram(path string, o Options) (noc.Network, error) {
	list, err := arguments.Split(o.Program.Arguments)
	if err != nil {
		return nil, fmt.Errorf("network.program.arguments %w", err)
	}
	s := program.Setup{Path: path, Arguments: list, Nodes: o.Places().Nodes(), Topology: o.Topology(), Classes: o.Classes,
		ClassPhits: o.ClassPhits, Seed: o.Seed, EveryCycle: o.EveryCycle, Config: o.Program}
	if o.Other == nil {
		s.Grid = &o.Grid
	}
	n, err := program.New(s)
	if err != nil {
		return nil, err // not a noc.Network that holds nil
	}
	layouts.Store(layoutKey(path, o), layoutOf(n.Wiring(), o))
	return n, nil
}

// layouts are the layouts of programs that have been started, so that they need not be started again for
// that.
var layouts sync.Map

func layoutKey(path string, o Options) string {
	return fmt.Sprintf("%q %q %q %d %s", path, o.Program.Arguments, o.Program.Options, o.Classes, o.Topology())
}

// programLayout returns the routers and links of a program.
func programLayout(path string, o Options) (topology.Layout, error) {
	l, known := layouts.Load(layoutKey(path, o))
	if !known {
		n, err := startProgram(path, o)
		if err != nil {
			return topology.Layout{}, err
		}
		noc.Close(n)
		l, _ = layouts.Load(layoutKey(path, o))
	}
	return l.(topology.Layout), nil
}

// layoutOf is the topology of the options if a program has its routers and links.
func layoutOf(w *topology.Wiring, o Options) topology.Layout {
	l, same := o.Layout(), func(a, b topology.Channel) bool {
		return a.From == b.From && a.To == b.To && a.Out == b.Out && a.In == b.In
	}
	if slices.EqualFunc(l.Wiring.Channels, w.Channels, same) && slices.Equal(l.Wiring.Entry, w.Entry) && slices.Equal(l.Wiring.Exit, w.Exit) {
		return l
	}
	return topology.Layout{Wiring: w}
}

// Identity tells what a router is, for the keys of points: its name or, of a program, also what is in its
// file and in those that its arguments name.
func (l List) Identity(name string, o Options) (string, error) {
	if !isProgram(name) {
		return name, nil
	}
	p, err := l.Program(name, o)
	return strings.Join(append([]string{p.Name, p.Digest}, p.Files...), " "), err
}

// digests are those of files, by name, size and time of change.
var digests sync.Map

// digest returns the SHA-256 of a file.
func digest(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	key := fmt.Sprint(path, info.Size(), info.ModTime())
	if sum, known := digests.Load(key); known {
		return sum.(string), nil
	}
	sum, err := wholefile.Digest(context.Background(), path)
	if err == nil {
		digests.Store(key, sum)
	}
	return sum, err
}

// Program describes a program in manifests.
type Program struct {
	Name      string   `json:"name"` // in tables
	Path      string   `json:"path"`
	Digest    string   `json:"sha256"`
	Arguments string   `json:"arguments,omitempty"`
	Options   string   `json:"options,omitempty"`
	Files     []string `json:"files,omitempty"` // digests of those that the arguments name
}

// Program describes the program of that name.
func (l List) Program(name string, o Options) (p Program, err error) {
	p = Program{Name: Shown(name), Path: strings.TrimPrefix(name, program.Prefix), Arguments: o.Program.Arguments, Options: o.Program.Options}
	file, err := exec.LookPath(p.Path)
	if err != nil {
		return p, program.ExplainStart(p.Path, err)
	}
	if p.Digest, err = digest(file); err != nil {
		return p, err
	}
	list, err := arguments.Split(o.Program.Arguments)
	for _, a := range list {
		if info, err := os.Stat(a); err == nil && info.Mode().IsRegular() {
			sum, err := digest(a)
			if err != nil {
				return p, err
			}
			p.Files = append(p.Files, sum)
		}
	}
	return p, err
}

// SchemeOf returns how a network that has been built serves a packet with several destinations. A network
// that is a program says so itself; that of others is usual.
func SchemeOf(network noc.Network, usual string) string {
	if n, says := network.(interface{ Scheme() string }); says {
		return n.Scheme()
	}
	return usual
}
