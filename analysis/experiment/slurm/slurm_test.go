package slurm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc/leaf/must"
)

var study = Study{Name: "carousel-plan", Work: "/home/an architect", Out: "study", Environment: []string{"CAROUSEL_SEED=3", "CAROUSEL_LOG=it's"},
	Sweep: []string{"/opt/carousel", "sweep", "plan.yaml", "--set=traffic.load=0.1 "}, Merge: []string{"/opt/carousel", "merge"}, Tasks: 2, Processors: 4}

// TestScripts: what a cluster gets to see.
func TestScripts(t *testing.T) {
	const head = "#!/bin/sh\n#SBATCH --job-name=\"carousel-plan\"\n#SBATCH --output=\"/home/an architect/study/slurm/"
	const work = "export CAROUSEL_SEED=3\nexport CAROUSEL_LOG='it'\"'\"'s'\ncd '/home/an architect' && exec /opt/carousel "
	for got, want := range map[string]string{
		study.Array(): head + "task-%a.log\"\n#SBATCH --array=1-2\n#SBATCH --cpus-per-task=4\n" + work +
			"sweep plan.yaml '--set=traffic.load=0.1 ' --shard \"$SLURM_ARRAY_TASK_ID\"/2 --jobs 4 --resume --out study/shards/\"$SLURM_ARRAY_TASK_ID\"\n",
		study.Join(): head + "merge.log\"\n" + work + "merge study/shards/1 study/shards/2 --out study\n",
	} {
		if got != want {
			t.Errorf("the script is\n%s\nand should be\n%s", got, want)
		}
	}
}

// TestSubmit: what sbatch may answer.
func TestSubmit(t *testing.T) {
	t.Setenv("PATH", "")
	if _, _, err := study.Submit(context.Background()); !errors.Is(err, ErrNoSlurm) {
		t.Errorf("without sbatch: %v", err)
	}
	dir := t.TempDir()
	for answer, want := range map[string]string{
		"echo 12":                           "",
		"echo '12;cluster'":                 "",
		"echo no":                           "instead of a job number",
		"echo 'no partition' >&2; exit 1":   "no partition",
		"[ $# = 2 ] || { exit 3; }; echo 7": "job 7 is submitted, but the job that joins",
		"[ $# = 2 ] || [ $2 = " + dep + " ] && echo 5": "",
	} {
		must.Do(os.WriteFile(filepath.Join(dir, "sbatch"), []byte("#!/bin/sh\n"+answer+"\n"), 0o755))
		t.Setenv("PATH", dir)
		array, merge, err := study.Submit(context.Background())
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", answer, err)
		}
		if err == nil && (array == "" || merge != array) {
			t.Errorf("%s: jobs %q and %q", answer, array, merge)
		}
	}
}

// dep is the second argument of the second submission.
const dep = "--dependency=afterok:5"
