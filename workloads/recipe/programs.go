package recipe

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Transactions of each thread before the region, by which the compiler of the JVM has done most of its work, and
// more within than any recording takes.
const javaBefore, javaWithin = 5000, 10000000

func prepareJava(ctx context.Context, w *workshop) ([]string, error) {
	mark, err := w.compile(ctx, "region.c", "-shared", "-fPIC")
	if err != nil {
		return nil, err
	}
	if err := w.run(ctx, nil, "javac", "-d", w.folder, "Middleware.java"); err != nil {
		return nil, err
	}
	// One collector thread and one compiler: the threads of a virtual machine are not what the cores are for.
	return []string{"java", "-XX:+UseSerialGC", "-Xmx256m", "-Xmn128m", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-cp", w.folder, "Middleware",
		strconv.Itoa(w.cores), strconv.Itoa(javaBefore), strconv.Itoa(javaWithin), mark}, nil
}

func prepareFlow(ctx context.Context, w *workshop) ([]string, error) {
	path, err := w.compile(ctx, "mcf.c", "-static")
	return []string{path, "{}"}, err
}

// compiled are the C sources that gcc compiles, in the order of instances.
var compiled = []string{"bt.c", "sp.c", "lu.c", "mcf.c", "ft.c"}

// prepareSources runs the preprocessor natively, so that the compiler proper reads one file.
func prepareSources(ctx context.Context, w *workshop) ([]string, error) {
	if err := w.unpack(); err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "gcc", "-print-prog-name=cc1").Output()
	proper := strings.TrimSpace(string(out))
	if err != nil || !filepath.IsAbs(proper) {
		return nil, fmt.Errorf("gcc does not tell where its compiler proper cc1 is (%q, %v); is gcc another compiler?", proper, err)
	}
	for i := range w.cores {
		source := compiled[i%len(compiled)]
		if err := w.run(ctx, nil, "gcc", "-E", "-fopenmp", "-o", fmt.Sprintf("input%d.i", i), source); err != nil {
			return nil, err
		}
	}
	return []string{proper, "-fpreprocessed", "-quiet", "-fopenmp", "-O2", "-frandom-seed=1", "input{}.i", "-o", "output{}.s"}, nil
}
