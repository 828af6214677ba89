// Package collective makes the messages of collective operations: what each member of a group sends to which
// others, and which messages must have arrived before.
//
// [Make] makes the [Message]s of an operation in one of its forms; [Operations] lists both. A vector of some
// bytes is divided into as many pieces as there are members:
//
//	all-reduce      every member has a vector, and then the sum of all
//	reduce-scatter  every member has a vector, and then one piece of the sum
//	all-gather      every member has a piece, and then the vector
//	all-to-all      every member has a vector, and sends a piece to each other member
//	broadcast       member 0 has a vector, and then all have it
//	barrier         no member goes on before all have come
//
// The forms say along which paths:
//
//	ring       each member sends to the next one only; all-to-all goes in rounds, in each of which a
//	           member sends to one that is one place further
//	tree       up and down a binary tree of the members, with member 0 at its root
//	multicast  one message with several destinations wherever several members get the same
//	direct     each member sends to each other one at once
//
// Laws: a message comes after those that it waits for. Sums take no time.
package collective

import (
	"fmt"
	"slices"
	"strings"
)

// Message is one message between members, which are numbered from 0. It is sent when its sender has begun and
// the messages After, by their index, have arrived.
type Message struct {
	From  int
	To    []int
	Bytes uint64
	After []int
}

// Operation is a collective operation.
type Operation struct {
	Name  string
	forms []form
}

// form makes the messages of an operation.
type form struct {
	name string
	make func(p *plan)
}

// plan is an operation that is being planned.
type plan struct {
	members      int
	bytes, piece uint64
	list         []Message
}

// operations are all of them. Their first form is the usual one.
var operations = []Operation{
	{"all-reduce", []form{{"ring", func(p *plan) { p.ring(2*(p.members-1), p.piece) }}, {"tree", func(p *plan) { p.down(p.up(p.whole), p.whole) }},
		{"multicast", func(p *plan) { p.spread(p.exchange(false)) }}}},
	{"reduce-scatter", []form{{"ring", func(p *plan) { p.ring(p.members-1, p.piece) }}, {"tree", func(p *plan) { p.down(p.up(p.whole), p.below) }},
		{"direct", func(p *plan) { p.exchange(false) }}}},
	{"all-gather", []form{{"ring", func(p *plan) { p.ring(p.members-1, p.piece) }}, {"tree", func(p *plan) { p.down(p.up(p.below), p.whole) }},
		{"multicast", func(p *plan) { p.spread(nil) }}, {"direct", func(p *plan) { p.exchange(false) }}}},
	{"all-to-all", []form{{"ring", func(p *plan) { p.exchange(true) }}, {"direct", func(p *plan) { p.exchange(false) }}}},
	{"broadcast", []form{{"ring", (*plan).chain}, {"tree", func(p *plan) { p.down(nil, p.whole) }},
		{"multicast", func(p *plan) { p.send(0, p.others(0), p.bytes) }}}},
	{"barrier", []form{{"tree", func(p *plan) { p.down(p.up(p.nothing), p.nothing) }}, {"ring", func(p *plan) { p.ring(p.members-1, 0) }},
		{"multicast", func(p *plan) { p.meet() }}}},
}

// Operations lists operations and their forms, such as all-reduce:ring.
func Operations() (list []string) {
	for _, o := range operations {
		for _, f := range o.forms {
			list = append(list, o.Name+":"+f.name)
		}
	}
	return list
}

// Make makes the messages of an operation among so many members. The form may be left out.
func Make(name string, members int, bytes uint64) ([]Message, error) {
	operation, wanted, given := strings.Cut(name, ":")
	at := slices.IndexFunc(operations, func(o Operation) bool { return o.Name == operation })
	if at < 0 {
		return nil, fmt.Errorf("collective operation %q is not known; there are %s", name, strings.Join(Operations(), ", "))
	}
	if members < 1 {
		return nil, fmt.Errorf("collective operation %s has no members", name)
	}
	p := &plan{members: members, bytes: bytes, piece: (bytes + uint64(members) - 1) / uint64(members)}
	for _, f := range operations[at].forms {
		if !given || f.name == wanted {
			f.make(p)
			return p.list, nil
		}
	}
	return nil, fmt.Errorf("%s has no form %q; there are %s", operation, wanted, strings.Join(slices.DeleteFunc(Operations(), func(s string) bool {
		return !strings.HasPrefix(s, operation+":")
	}), ", "))
}

// send adds a message and returns its index.
func (p *plan) send(from int, to []int, bytes uint64, after ...int) int {
	if len(to) > 0 {
		p.list = append(p.list, Message{from, to, bytes, after})
	}
	return len(p.list) - 1
}

// others are all members but one.
func (p *plan) others(but int) (list []int) {
	for i := range p.members {
		if i != but {
			list = append(list, i)
		}
	}
	return list
}

// ring sends from each member to the next one, in steps: what a member sends is what it has got in the step
// before, with its own part added where there is a sum.
func (p *plan) ring(steps int, bytes uint64) {
	n := p.members
	for step := range steps {
		for i := range n {
			if step == 0 {
				p.send(i, []int{(i + 1) % n}, bytes)
			} else {
				p.send(i, []int{(i + 1) % n}, bytes, (step-1)*n+(i+n-1)%n)
			}
		}
	}
}

// chain passes the pieces of member 0 on from member to member.
func (p *plan) chain() {
	for range p.members {
		last := -1
		for i := range p.members - 1 {
			if i == 0 {
				last = p.send(0, []int{1}, p.piece)
			} else {
				last = p.send(i, []int{i + 1}, p.piece, last)
			}
		}
	}
}

// exchange sends a piece from each member to each other one: at once, or in rounds, of which a member begins
// the next one when it has got the message of the one before. It returns the messages that each member gets.
func (p *plan) exchange(rounds bool) [][]int {
	n := p.members
	got := make([][]int, n)
	for round := 1; round < n; round++ {
		for i := range n {
			var after []int
			if rounds && round > 1 {
				after = got[i][round-2 : round-1]
			}
			to := (i + round) % n
			got[to] = append(got[to], p.send(i, []int{to}, p.piece, after...))
		}
	}
	return got
}

// spread sends a piece from each member to all others, after what it has got.
func (p *plan) spread(got [][]int) {
	for i := range p.members {
		var after []int
		if got != nil {
			after = got[i]
		}
		p.send(i, p.others(i), p.piece, after...)
	}
}

// meet tells member 0 of all others, and then all others.
func (p *plan) meet() {
	var got []int
	for _, i := range p.others(0) {
		got = append(got, p.send(i, []int{0}, 0))
	}
	p.send(0, p.others(0), 0, got...)
}

// whole, below and nothing are what a tree carries on the link above a member: the vector, the pieces of the
// members below the link, or a signal.
func (p *plan) whole(int) uint64   { return p.bytes }
func (p *plan) nothing(int) uint64 { return 0 }

func (p *plan) below(member int) uint64 { return p.piece * uint64(p.size(member)) }

// size is how many members there are in the tree below a member, itself included.
func (p *plan) size(member int) int {
	if member >= p.members {
		return 0
	}
	return 1 + p.size(2*member+1) + p.size(2*member+2)
}

// up sends from the leaves of the tree to its root. It returns what the root gets.
func (p *plan) up(bytes func(member int) uint64) []int {
	got := make([][]int, p.members)
	for i := p.members - 1; i > 0; i-- {
		parent := (i - 1) / 2
		got[parent] = append(got[parent], p.send(i, []int{parent}, bytes(i), got[i]...))
	}
	return got[0]
}

// down sends from the root of the tree, after what that has got, to its leaves.
func (p *plan) down(got []int, bytes func(member int) uint64) {
	came := make([][]int, p.members)
	came[0] = got
	for i := 1; i < p.members; i++ {
		parent := (i - 1) / 2
		came[i] = []int{p.send(parent, []int{i}, bytes(i), came[parent]...)}
	}
}
