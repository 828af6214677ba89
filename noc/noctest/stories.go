package noctest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
)

// Stories plays the text files of a folder: what a header does, cycle by cycle. The first line of
// a file is for build, which makes the network; then come offers, "offer CYCLE SOURCE
// DESTINATION,... PHITS", and after a line of dashes the timeline that must come out. With
// CAROUSEL_UPDATE set, files are written instead.
func Stories(t *testing.T, folder string, build func(line string) (noc.Network, error)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories in %s: %v", folder, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			story, want, _ := strings.Cut(string(text), "----\n")
			lines := strings.Split(strings.TrimSpace(story), "\n")
			n, err := build(lines[0])
			if err != nil {
				t.Fatal(err)
			}
			got := timeline(t, n, lines[1:])
			if os.Getenv("CAROUSEL_UPDATE") != "" {
				if err := os.WriteFile(file, []byte(story+"----\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("%s:\n%s\nwant\n%s", file, got, want)
			}
		})
	}
}

// timeline plays offers and tells which links carry phits and what arrives, for each cycle in which something does.
func timeline(t *testing.T, n noc.Network, offers []string) string {
	t.Helper()
	var out strings.Builder
	before := n.Links(nil)
	for played := 0; played < len(offers) || n.InFlight() > 0; {
		now := n.Now()
		for ; played < len(offers); played++ {
			p, at := parseOffer(t, n, offers[played], noc.Tag(played))
			if at > now {
				break
			}
			if !n.Offer(p) {
				t.Fatalf("cycle %d: no room for packet %d", now, played)
			}
		}
		n.Step(now + 1)
		var events []string
		after := n.Links(nil)
		for i, l := range after {
			if sent := l.Phits - before[i].Phits; sent > 0 {
				events = append(events, fmt.Sprintf("%d-%d +%d", l.From, l.To, sent))
			}
		}
		before = after
		if len(events) > 0 {
			fmt.Fprintf(&out, "cycle %d: %s\n", now, strings.Join(events, ", "))
		}
		for _, d := range n.Deliveries() {
			fmt.Fprintf(&out, "cycle %d: node %d has packet %d of node %d\n", d.Arrived, d.At, d.Tag, d.Src)
		}
		if n.Now() > 10_000 {
			t.Fatalf("nothing arrives: %v", n.Explain())
		}
	}
	return out.String()
}

// parseOffer reads a line of a story.
func parseOffer(t *testing.T, n noc.Network, line string, tag noc.Tag) (p noc.Packet, at noc.Cycle) {
	t.Helper()
	var to string
	if _, err := fmt.Sscanf(line, "offer %d %d %s %d", &at, &p.Src, &to, &p.Phits); err != nil {
		t.Fatalf("%q: %v; write offer CYCLE SOURCE DESTINATION,... PHITS", line, err)
	}
	p.Tag, p.Dst = tag, noc.NewNodeSet(n.Nodes())
	for _, word := range strings.Split(to, ",") {
		var d noc.NodeID
		if _, err := fmt.Sscan(word, &d); err != nil {
			t.Fatalf("%q: destination %q: %v", line, word, err)
		}
		p.Dst.Add(d)
	}
	return p, at
}
