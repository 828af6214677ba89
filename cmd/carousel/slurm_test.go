package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// clusterPrograms are those of a whole Slurm: Debian's slurm-wlm and munge.
var clusterPrograms = []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo"}

// haveCluster reports whether a Slurm of one node can be started here.
func haveCluster() bool {
	for _, name := range clusterPrograms {
		if _, err := exec.LookPath(name); err != nil {
			return false
		}
	}
	return os.Geteuid() == 0
}

// startCluster starts a Slurm of one node with two processors, for the script that asks for it.
// What sbatch and squeue have to know is in SLURM_CONF.
func startCluster(ts *testscript.TestScript, _ bool, _ []string) {
	dir, err := os.MkdirTemp("", "cluster") // paths of sockets must be short
	ts.Check(err)
	ts.Defer(func() { os.RemoveAll(dir) })
	ts.Check(os.Chmod(dir, 0o711)) // munged and slurmctld refuse directories that others may write to
	host, err := os.Hostname()
	ts.Check(err)
	host, _, _ = strings.Cut(host, ".")
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"state", "spool", "munge"} {
		ts.Check(os.Mkdir(at(name), 0o711))
	}
	ts.Check(os.WriteFile(at("munge/key"), []byte(strings.Repeat("a key for one test, on one computer; ", 4)), 0o400))
	ts.Check(os.WriteFile(at("slurm.conf"), []byte(strings.NewReplacer("HOST", host, "DIR", dir,
		"PORT1", freePort(ts), "PORT2", freePort(ts)).Replace(clusterConfiguration)), 0o600))
	ts.Setenv("SLURM_CONF", at("slurm.conf"))

	inBackground(ts, dir, "munged", "--foreground", "--force", "--socket="+at("munge/socket"), "--key-file="+at("munge/key"),
		"--pid-file="+at("munge/pid"), "--seed-file="+at("munge/seed"), "--log-file="+at("munge/log"))
	awaitFor(ts, "munged", func() bool { _, err := os.Stat(at("munge/socket")); return err == nil })
	inBackground(ts, dir, "slurmctld", "-D")
	inBackground(ts, dir, "slurmd", "-D")
	awaitFor(ts, "a node", func() bool {
		out, err := clusterCommand(dir, "sinfo", "-h", "-o", "%T").Output()
		return err == nil && strings.TrimSpace(string(out)) == "idle"
	})
}

// awaitJobs waits until no job is left.
func awaitJobs(ts *testscript.TestScript, _ bool, _ []string) {
	dir := filepath.Dir(ts.Getenv("SLURM_CONF"))
	awaitFor(ts, "the jobs", func() bool {
		out, err := clusterCommand(dir, "squeue", "-h").Output()
		return err == nil && len(strings.TrimSpace(string(out))) == 0
	})
}

// clusterCommand is a command of the Slurm in a directory.
func clusterCommand(dir, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "SLURM_CONF="+filepath.Join(dir, "slurm.conf"))
	return c
}

// inBackground starts a daemon that the script's end stops.
func inBackground(ts *testscript.TestScript, dir, name string, args ...string) {
	c := clusterCommand(dir, name, args...)
	ts.Check(c.Start())
	ts.Defer(func() {
		c.Process.Signal(syscall.SIGTERM)
		c.Wait()
	})
}

// awaitFor waits for something that takes seconds, or, on a busy computer, a minute or two.
func awaitFor(ts *testscript.TestScript, what string, done func() bool) {
	for range 2000 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("waited for %s in vain", what)
}

// freePort is a port of this computer that nobody uses.
func freePort(ts *testscript.TestScript) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}

const clusterConfiguration = `ClusterName=test
SlurmctldHost=HOST(127.0.0.1)
SlurmctldPort=PORT1
SlurmdPort=PORT2
AuthType=auth/munge
AuthInfo=socket=DIR/munge/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmUser=root
StateSaveLocation=DIR/state
SlurmdSpoolDir=DIR/spool
SlurmctldPidFile=DIR/slurmctld.pid
SlurmdPidFile=DIR/slurmd.pid
SlurmctldLogFile=DIR/slurmctld.log
SlurmdLogFile=DIR/slurmd.log
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
NodeName=HOST NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes=HOST Default=YES MaxTime=INFINITE State=UP
`
