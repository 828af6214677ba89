package recipe

import (
	"context"
	"errors"
	"fmt"
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
		return nil, fmt.Errorf("gcc does not print the path of cc1 (%q, %v); check that gcc is the GNU compiler", proper, err)
	}
	for i := range w.cores {
		source := compiled[i%len(compiled)]
		if err := w.run(ctx, nil, "gcc", "-E", "-fopenmp", "-o", fmt.Sprintf("input%d.i", i), source); err != nil {
			return nil, err
		}
	}
	return []string{proper, "-fpreprocessed", "-quiet", "-fopenmp", "-O2", "-frandom-seed=1", "input{}.i", "-o", "output{}.s"}, nil
}
