package record

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseMapping reads the cores of threads in order of appearance, such as "0,0,1,-", where - leaves
// a thread out. An empty text maps nothing.
func ParseMapping(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var list []int
	for _, part := range strings.Split(text, ",") {
		if part == "-" {
			list = append(list, LeaveOut)
			continue
		}
		core, err := strconv.Atoi(part)
		if err != nil || core < 0 {
			return nil, fmt.Errorf("%q is neither a core's number nor -", part)
		}
		list = append(list, core)
	}
	return list, nil
}

// OpenMP adds to an environment, where it does not say so, that OpenMP takes as many threads as
// there are cores, and lets waiting ones sleep: spinning is an artefact of the recording machine.
func OpenMP(environment []string, cores int) []string {
	list := append([]string(nil), environment...)
	for _, setting := range []string{"OMP_NUM_THREADS=" + strconv.Itoa(cores), "OMP_WAIT_POLICY=passive"} {
		name, _, _ := strings.Cut(setting, "=")
		known := false
		for _, entry := range environment {
			known = known || strings.HasPrefix(entry, name+"=")
		}
		if !known {
			list = append(list, setting)
		}
	}
	return list
}
