package config

import (
	"fmt"
	"strconv"
	"strings"
)

// JoinArguments writes the arguments of a program as one value of program.arguments.
func JoinArguments(list []string) string {
	quoted := make([]string, len(list))
	for i, a := range list {
		quoted[i] = a
		if a == "" || a[0] == '"' || strings.ContainsAny(a, " \t\n\r\v\f") {
			quoted[i] = strconv.Quote(a)
		}
	}
	return strings.Join(quoted, " ")
}

// ArgumentList splits the arguments of the program.
func (p *Program) ArgumentList() (list []string, err error) {
	for rest := strings.TrimLeft(p.Arguments, " \t\n\r\v\f"); rest != ""; rest = strings.TrimLeft(rest, " \t\n\r\v\f") {
		end := strings.IndexAny(rest, " \t\n\r\v\f")
		if end < 0 {
			end = len(rest)
		}
		if rest[0] != '"' {
			list, rest = append(list, rest[:end]), rest[end:]
			continue
		}
		prefix, err := strconv.QuotedPrefix(rest)
		if err != nil || len(prefix) < len(rest) && !strings.ContainsRune(" \t\n\r\v\f", rune(rest[len(prefix)])) {
			return nil, fmt.Errorf("arguments is %s; an argument that begins with a double quote must end with one, before a blank", p.Arguments)
		}
		text, err := strconv.Unquote(prefix)
		if err != nil {
			return nil, fmt.Errorf("arguments: %s: %w", prefix, err)
		}
		list, rest = append(list, text), rest[len(prefix):]
	}
	return list, nil
}
