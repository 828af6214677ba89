package compare

import (
	"strings"
	"unicode"
)

// NotSaved stands for the directory of tables that could not be written.
const NotSaved = "not saved"

// Where says where the tables are, and what to do with them.
func Where(dir string) []string {
	where := []string{"tables: " + dir}
	if dir == NotSaved {
		return where
	}
	if strings.ContainsFunc(dir, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("'\"$&;()<>|*?", r) }) {
		dir = "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	}
	return append(where, "next: carousel report "+dir)
}
