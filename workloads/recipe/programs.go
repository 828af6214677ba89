package recipe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Transactions of each thread before the region, by which the compiler of the JVM has done most of
// its work, and more within than any recording takes.
const javaBefore, javaWithin = 3000, 10000000

// prepareJava records the virtual machine and the kernel below it.
func prepareJava(ctx context.Context, w *workshop) ([]string, error) {
	java, err := exec.LookPath("java")
	if err == nil {
		java, err = filepath.EvalSymlinks(java)
	}
	if err != nil {
		return nil, err
	}
	mark, err := w.compile(ctx, "region.c", "-shared", "-fPIC")
	if err != nil {
		return nil, err
	}
	classes := w.path("server")
	if err := errors.Join(os.MkdirAll(classes, 0o755), w.run(ctx, nil, "javac", "-d", classes, "Middleware.java"), os.Rename(mark, filepath.Join(classes, "region.so"))); err != nil {
		return nil, err
	}
	// One collector thread and one compiler: the threads of a virtual machine are not what the
	// cores are for.
	home := filepath.Dir(filepath.Dir(java))
	files := []string{java, filepath.Join(home, "lib"), filepath.Join(home, "conf")}
	if settings, err := filepath.Glob("/etc/java-*"); err == nil {
		files = append(files, settings...)
	}
	command, err := w.machine("", fmt.Sprintf("exec %s -XX:+UseSerialGC -Xmx256m -Xmn128m -XX:-UsePerfData -XX:TieredStopAtLevel=1 -cp %s Middleware %d %d %d %s/region.so\n",
		java, served, w.cores, javaBefore, javaWithin, served), files...)
	w.system.Memory = 2048
	return command, err
}

func prepareFlow(ctx context.Context, w *workshop) ([]string, error) {
	path, err := w.compile(ctx, "mcf.c", "-static")
	return []string{path, "{}"}, err
}

// prepareSources runs the preprocessor natively, so that the compiler proper reads one file.
func prepareSources(ctx context.Context, w *workshop) ([]string, error) {
	if err := w.unpack(); err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "gcc", "-print-prog-name=cc1").Output()
	proper := strings.TrimSpace(string(out))
	if err != nil || !filepath.IsAbs(proper) {
		return nil, fmt.Errorf("gcc does not print the path of cc1 (%q, %v); check that gcc is the GNU compiler", proper, err)
	}
	for i := range w.cores {
		if err := w.run(ctx, nil, "gcc", "-E", fmt.Sprintf("-DSEED=%d", i), "-o", fmt.Sprintf("input%d.i", i), "steps.c"); err != nil {
			return nil, err
		}
	}
	return []string{proper, "-fpreprocessed", "-quiet", "-O2", "-frandom-seed=1", "input{}.i", "-o", "output{}.s"}, nil
}

// The placer is a part of graywolf that is not in the path; graywolf itself starts all its parts.
const graywolf, placer = "/usr/bin/graywolf", "/usr/lib/graywolf/bin/TimberWolfSC"

// Sizes of the netlists, in cells, and in the unit of the layout.
const (
	cells, pads        = 100, 24
	pitch, rowHeight   = 200, 2000
	padWidth, padDepth = 160, 200
)

// netlist is a standard-cell circuit in which each cell drives a net, which mostly nearby cells
// read.
type netlist struct {
	inputs [][]int // per cell, the nets that it reads: cells first, then pads that are inputs
	pads   []int   // per pad, its net
}

// newNetlist makes the circuit of an instance.
func newNetlist(instance int) netlist {
	random := rand.New(rand.NewPCG(uint64(instance), 20))
	n := netlist{inputs: make([][]int, cells), pads: make([]int, pads)}
	for i := range n.inputs {
		count, taken := 1+random.IntN(4), map[int]bool{}
		for len(n.inputs[i]) < count {
			// Distances follow a power law: wires of real circuits are mostly short.
			net := i + int(math.Pow(random.Float64(), -1.4))*(1-2*random.IntN(2))
			if net < 0 || net >= cells {
				net = cells + random.IntN(pads/2)
			}
			if net != i && !taken[net] {
				taken[net] = true
				n.inputs[i] = append(n.inputs[i], net)
			}
		}
	}
	for p := range n.pads {
		n.pads[p] = random.IntN(cells)
		if p < pads/2 {
			n.pads[p] = cells + p
		}
	}
	return n
}

// text writes the circuit in the placer's language.
func (n netlist) text(instance int) string {
	random := rand.New(rand.NewPCG(uint64(instance), 21))
	var b strings.Builder
	for i, inputs := range n.inputs {
		nets := append(append([]int(nil), inputs...), i)
		width := (len(nets) + 1) * pitch
		fmt.Fprintf(&b, "cell %d gate%d_%d\nleft %d right %d bottom %d top %d\n", i+1, len(inputs), i, -width/2, width/2, -rowHeight/2, rowHeight/2)
		for k, net := range nets {
			fmt.Fprintf(&b, "pin name P%d signal net%d layer 1 %d %d\n", k, net, -width/2+pitch/2+k*pitch, (random.IntN(4)-2)*400+200)
		}
		b.WriteByte('\n')
	}
	for p, net := range n.pads {
		fmt.Fprintf(&b, "pad %d name pad%d\ncorners 4 %d %d %d %d %d %d %d %d\npin name pad%d signal net%d layer 1 0 0\n\n", cells+p+1, p,
			-padWidth/2, -padDepth/2, -padWidth/2, padDepth/2, padWidth/2, padDepth/2, padWidth/2, -padDepth/2, p, net)
	}
	return b.String()
}

// prepareNetlists makes the circuits, and lets graywolf go through its flow natively: the placer
// reads what the steps before it leave.
func prepareNetlists(ctx context.Context, w *workshop) ([]string, error) {
	if _, err := exec.LookPath(placer); err != nil {
		return nil, fmt.Errorf("graywolf is installed without %s: %w", placer, err)
	}
	for i := range w.cores {
		name := fmt.Sprintf("circuit%d", i)
		if err := w.write(name+".cel", newNetlist(i).text(i)); err != nil {
			return nil, err
		}
		if err := w.configure(name+".par", "netlist.par", pitch, 1+i); err != nil {
			return nil, err
		}
		if err := w.run(ctx, nil, graywolf, "-n", name); err != nil {
			return nil, err
		}
	}
	return []string{placer, "-n", "circuit{}"}, nil
}
