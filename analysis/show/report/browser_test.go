package report

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/analysis/tables"
)

// frames shows a page in the width of a desk and of a phone, and writes into its own title how wide
// the page would be.
const frames = `<!doctype html><iframe src="/page" width="1280" height="800"></iframe><iframe src="/page" width="390" height="800"></iframe>
<script>onload = () => { document.title = "widths " + [...document.querySelectorAll("iframe")].map(f => f.contentDocument.documentElement.scrollWidth).join(" ") }</script>`

// TestPageInABrowser opens a page in Chromium, in the dark: it asks for nothing, writes nothing to
// the console, and is not wider than the screen.
func TestPageInABrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium")
	}
	m := manifest()
	one, err := Of("chips", chips(3), m, "", "")
	if err != nil {
		t.Fatal(err)
	}
	two, err := Of("nets", nets(0.1, 0.2, 0.3), m, "", "")
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := (&Page{Studies: []Study{one, two}}).Write(&page); err != nil {
		t.Fatal(err)
	}
	var mutex sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, frames)
		case "/page":
			_, _ = w.Write(page.Bytes())
		case "/favicon.ico": // the browser asks for it by itself
		default:
			mutex.Lock()
			defer mutex.Unlock()
			asked = append(asked, r.URL.String())
		}
	}))
	defer server.Close()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	command := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--enable-logging=stderr",
		"--blink-settings=preferredColorScheme=0", "--virtual-time-budget=5000", "--dump-dom", server.URL)
	var said bytes.Buffer
	command.Stderr = &said
	dom, err := command.Output()
	if err != nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	if strings.Contains(said.String(), "CONSOLE") {
		t.Errorf("the console says %s", said.String())
	}
	if len(asked) > 0 {
		t.Errorf("the page asks for %v", asked)
	}
	if found := regexp.MustCompile(`<title>widths (\d+) (\d+)</title>`).FindStringSubmatch(string(dom)); found == nil || wider(found[1], 1280) || wider(found[2], 390) {
		t.Errorf("the page is as wide as %v on screens of 1280 and 390", found)
	}
}

// wider reports whether a page is wider than a screen.
func wider(page string, screen int) bool {
	width, err := strconv.Atoi(page)
	return err != nil || width > screen
}

// TestLargeStudiesStaySmall: the page of 12 workloads by 4 routers by 5 seeds on 8x8 tori has less
// than 5 MB.
func TestLargeStudiesStaySmall(t *testing.T) {
	rows := new(tables.Rows)
	for workload := range 12 {
		for r, router := range []string{"base", "base-mc", "rr", "mrr"} {
			for seed := range uint64(5) {
				key := fmt.Sprint(workload, router, seed)
				rows.Runs = append(rows.Runs, tables.Run{RunKey: key, Workload: fmt.Sprint("workload", workload), Router: router, Protocol: "token", Topology: "torus:8x8", Seed: seed,
					ExitState: tables.Finished, Cycles: tables.Some(320 + seed + uint64(r*workload)), Energy: tables.Some(float64(r + 1)), EnergyED2P: tables.Some(float64(r + 1))})
				for node := range uint64(64) {
					one := tables.Router{RunKey: key}
					one.Node, one.Cycles, one.LinkPhits, one.Parts.Clock, one.Parts.Link = node, 320, 13*node%97, 0.01, 0.003
					rows.Routers = append(rows.Routers, one)
					x, y := node%8, node/8
					for port, to := range []uint64{(y+7)%8*8 + x, y*8 + (x+1)%8, (y+1)%8*8 + x, y*8 + (x+7)%8} {
						rows.Links = append(rows.Links, tables.Link{RunKey: key, From: tables.Place{Node: node}, To: tables.Place{Node: to}, Phits: 7*node%89 + uint64(port), Utilisation: tables.Some(float64(7*node%89) / 100)})
					}
				}
				for i := range uint64(32 * 64) {
					node, epoch := i%64, i/64
					rows.RouterEpochs = append(rows.RouterEpochs, tables.RouterEpoch{RunKey: key, Node: node, Cycle: 10 * (epoch + 1), Phits: node * epoch * 31 % 101})
				}
				rows.Classes = append(rows.Classes, tables.Class{RunKey: key, Class: "class0", Unicast: 10})
				for core := range uint64(16) {
					rows.Cores = append(rows.Cores, tables.Core{RunKey: key, Core: core, FinishCycle: 320, Retiring: 100, Flight: 120, Memory: 100})
				}
				for class := range 6 {
					for bucket := range 10 {
						rows.Latency = append(rows.Latency, tables.Latency{RunKey: key, Class: fmt.Sprint("class", class), Cast: "unicast", Low: 1 << bucket, High: 2<<bucket - 1, Count: uint64(bucket + r)})
					}
				}
			}
		}
	}
	s, err := Of("large", rows, manifest(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := (&Page{Studies: []Study{s}}).Write(&page); err != nil {
		t.Fatal(err)
	}
	if page.Len() > 5_200_000 || len(s.Groups) != 12 {
		t.Errorf("the page of %d workloads has %d bytes", len(s.Groups), page.Len())
	}
}
