// Package arguments writes the arguments of a program as one text, and reads it.
package arguments

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// blanks separate arguments.
const blanks = " \t\n\r\v\f"

// argument is one argument with the blanks behind it: in double quotes, with Go's escapes, or without blanks.
var argument = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|[^"\s\v][^\s\v]*)(?:[\s\v]+|$)`)

// Join writes the arguments of a program as one text.
func Join(list []string) string {
	quoted := make([]string, len(list))
	for i, a := range list {
		if quoted[i] = a; a == "" || a[0] == '"' || strings.ContainsAny(a, blanks) {
			quoted[i] = strconv.Quote(a)
		}
	}
	return strings.Join(quoted, " ")
}

// Split reads such a text.
func Split(text string) (list []string, err error) {
	for rest := strings.TrimLeft(text, blanks); rest != ""; {
		found := argument.FindString(rest)
		if found == "" {
			return nil, fmt.Errorf("is %s; an argument that begins with a double quote must end with one, before a blank", text)
		}
		rest = rest[len(found):]
		one := strings.TrimRight(found, blanks)
		if one[0] == '"' {
			if one, err = strconv.Unquote(one); err != nil {
				return nil, fmt.Errorf("has %s: %w", found, err)
			}
		}
		list = append(list, one)
	}
	return list, nil
}
