package collective

import (
	"math/bits"
	"strings"
	"testing"
)

// known follows messages: by whose data each member's state is decided, as bits. It also holds every message to
// the law that it comes after those that it waits for, and that its sender has got these.
func known(t *testing.T, name string, members int, list []Message) []uint64 {
	has := make([]uint64, members)
	for i := range has {
		has[i] = 1 << i
	}
	carries := make([]uint64, len(list))
	for i, m := range list {
		carries[i] = 1 << m.From
		for _, a := range m.After {
			if a >= i || !contains(list[a].To, m.From) {
				t.Fatalf("%s: message %d from %d waits for message %d, %+v", name, i, m.From, a, list[a])
			}
			carries[i] |= carries[a]
		}
		for _, to := range m.To {
			if to == m.From || to < 0 || to >= members {
				t.Fatalf("%s: message %d goes from %d to %d", name, i, m.From, to)
			}
			has[to] |= carries[i]
		}
	}
	return has
}

func contains(list []int, v int) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// TestEveryMemberGetsAll: in each form of each operation each member ends with something of every member (of
// member 0 in a broadcast), and as many bytes cross links as the form needs.
func TestEveryMemberGetsAll(t *testing.T) {
	const piece = 24
	seen := map[string]bool{}
	for _, name := range Operations() {
		operation, form, _ := strings.Cut(name, ":")
		for _, n := range []int{1, 2, 3, 4, 7, 16, 33} {
			bytes := uint64(piece * n)
			list, err := Make(name, n, bytes)
			if err != nil {
				t.Fatal(err)
			}
			all := uint64(1)<<n - 1
			for i, has := range known(t, name, n, list) {
				if operation == "broadcast" && has&1 == 0 || operation != "broadcast" && has != all {
					t.Errorf("%s, %d members: member %d has data of %d", name, n, i, bits.OnesCount64(has))
				}
			}
			var sent, copies uint64
			for _, m := range list {
				sent += m.Bytes
				copies += m.Bytes * uint64(len(m.To))
			}
			k := uint64(n)
			want, ok := map[string]uint64{
				"all-reduce:ring": 2 * (k - 1) * k * piece, "all-reduce:tree": 2 * (k - 1) * bytes, "all-reduce:multicast": (k-1)*k*piece + k*piece*min(k-1, 1),
				"reduce-scatter:ring": (k - 1) * k * piece, "reduce-scatter:direct": (k - 1) * k * piece,
				"all-gather:ring": (k - 1) * k * piece, "all-gather:multicast": k * piece * min(k-1, 1), "all-gather:direct": (k - 1) * k * piece,
				"all-to-all:ring": (k - 1) * k * piece, "all-to-all:direct": (k - 1) * k * piece,
				"broadcast:ring": (k - 1) * bytes, "broadcast:tree": (k - 1) * bytes, "broadcast:multicast": bytes * min(k-1, 1),
				"barrier:ring": 0, "barrier:tree": 0, "barrier:multicast": 0,
			}[name]
			if ok && sent != want {
				t.Errorf("%s, %d members: %d bytes are sent, want %d", name, n, sent, want)
			}
			if form != "multicast" && sent != copies {
				t.Errorf("%s has multicasts", name)
			}
			seen[name] = ok
		}
	}
	for _, name := range []string{"reduce-scatter:tree", "all-gather:tree"} { // 4 members: 3 pieces in the tree below the root, one of them twice
		list, err := Make(name, 4, 4*piece)
		var sent uint64
		for _, m := range list {
			sent += m.Bytes
		}
		if want := uint64(3*4*piece + (2+1+1)*piece); err != nil || sent != want {
			t.Errorf("%s: %d bytes, want %d (%v)", name, sent, want, err)
		}
	}
}

// TestWrongNames: what is not known is refused with what there is.
func TestWrongNames(t *testing.T) {
	for name, want := range map[string]string{"all-reduse": `"all-reduse" is not known; there are all-reduce:ring,`, "all-to-all:tree": `all-to-all has no form "tree"; there are all-to-all:ring, all-to-all:direct`} {
		if _, err := Make(name, 4, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
