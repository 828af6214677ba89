// Package suggest finds the name that a misspelled name probably stands for.
//
// There are two functions: [Nearest] returns the name, [Text] the end of an error message with it.
//
// The package imports the standard library only, so every package of the module may use it.
package suggest

import (
	"fmt"
	"slices"
	"strings"
)

// Text returns "; did you mean X?" for the allowed name nearest to what was written, and "" when
// none is near. Of a name that others use it says so.
func Text(written string, allowed []string) string {
	near := Nearest(written, allowed)
	switch {
	case near == "":
		return ""
	case near == alsoCalled[strings.ToLower(written)]:
		return fmt.Sprintf("; did you mean %q? This is the name of %s here", near, written)
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// alsoCalled has our names of what others call otherwise: the directory protocol is MESI.
var alsoCalled = map[string]string{"mesi": "directory", "tokenb": "token", "tokencmp": "token",
	"compare": "run", "simulate": "run", "replay": "run", "plot": "report", "show": "report", "convert": "import"}

// Nearest returns the allowed name with the smallest edit distance to the one written, if that is
// within a third of its length, and "" otherwise. The only name that starts with three or more
// letters which were written is near, too, and of dotted keys one with the same last part.
func Nearest(written string, allowed []string) string {
	written = strings.ToLower(written)
	if other := alsoCalled[written]; slices.Contains(allowed, other) {
		return other
	}
	best, limit := "", max(1, min(len(written)/3, 4))+1
	for _, name := range allowed {
		if d := distance(written, strings.ToLower(name)); d < limit {
			best, limit = name, d
		}
	}
	if best != "" || written == "" {
		return best
	}
	starts := func(name string) bool { return strings.HasPrefix(strings.ToLower(name), written) }
	if i := slices.IndexFunc(allowed, starts); i >= 0 && len(written) > 2 && !slices.ContainsFunc(allowed[i+1:], starts) {
		return allowed[i]
	}
	last := written[strings.LastIndexByte(written, '.')+1:]
	for _, name := range allowed {
		if strings.HasSuffix(name, "."+last) {
			return name
		}
	}
	return ""
}

// distance returns the number of letters to insert, remove, replace or swap with a neighbour to
// turn one word into another.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
