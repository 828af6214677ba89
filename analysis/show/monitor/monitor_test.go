package monitor

import (
	"encoding/json"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/carousel-sim/carousel/analysis/show/figures"
	"github.com/carousel-sim/carousel/noc/leaf/must"
)

// watch is a clock that stands until it is set.
type watch struct{ at time.Time }

func (w *watch) now() time.Time { return w.at }

func (w *watch) after(d time.Duration) { w.at = w.at.Add(d) }

// busy is a board in the middle of a computation: of six points one was finished earlier, one is
// finished, one failed and one is under way, after 90 s.
func busy() (*Board, *watch) {
	clock := &watch{time.Unix(1_000_000, 0)}
	b := NewBoard("Where do <routers> saturate?", "results/a&b", []string{"a", "b", "c <script>", "d", "e", "f"})
	b.now, b.started = clock.now, clock.at
	b.Update(Point{Index: 0, State: Finished, Earlier: true})
	b.Update(Point{Index: 1, State: Running})
	clock.after(40 * time.Second)
	b.Update(Point{Index: 1, State: Finished, Elapsed: 40})
	b.Update(Point{Index: 2, State: Failed, Elapsed: 30, Reason: "no & room\nat <cycle> 7"})
	b.Update(Point{Index: 3, State: Running})
	clock.after(40 * time.Second)
	b.Update(Point{Index: 3, State: Running, Share: 0.5, Elapsed: 40})
	clock.after(10 * time.Second)
	return b, clock
}

func near(p *float64, want float64) bool { return p != nil && math.Abs(*p-want) < 1e-9 }

func TestStatus(t *testing.T) {
	b, clock := busy()
	s := b.Status()
	if s.Points != 6 || s.Finished != 2 || s.Earlier != 1 || s.Failed != 1 || s.Running != 1 || s.Left != 2 || s.Interrupted != 0 || s.Ended != "" {
		t.Errorf("the counts are %+v", s)
	}
	// Two and a half of five points took 90 s.
	if s.Elapsed != 90 || !near(s.SecondsLeft, 90) {
		t.Errorf("%g s so far, %v s left", s.Elapsed, s.SecondsLeft)
	}
	// The running one had taken 40 s for its half, 10 s ago.
	if p := s.List[3]; p.Share != 0.5 || p.Elapsed != 50 || !near(p.SecondsLeft, 30) || p.Label != "d" {
		t.Errorf("the running point is %+v", p)
	}
	if p := s.List[1]; p.Share != 1 || p.Elapsed != 40 || p.State != Finished || s.List[4].State != Waiting {
		t.Errorf("a finished point is %+v, a waiting one %+v", p, s.List[4])
	}
	if len(s.Ends) != 2 || s.Ends[0].Index != 2 || s.Ends[1].Index != 1 || len(s.Errors) != 1 || s.Errors[0].Reason != "no & room\nat <cycle> 7" {
		t.Errorf("ended: %+v; errors: %+v", s.Ends, s.Errors)
	}
	b.Update(Point{Index: 3, State: Interrupted})
	b.Update(Point{Index: 4, State: Interrupted})
	b.End("interrupted")
	clock.after(time.Hour)
	if s = b.Status(); s.Ended != "interrupted" || s.Elapsed != 90 || s.SecondsLeft != nil || s.Interrupted != 2 || s.Running != 0 {
		t.Errorf("at the end: %+v", s)
	}
}

// TestNothingYet: there is no estimate from nothing.
func TestNothingYet(t *testing.T) {
	clock := &watch{time.Unix(0, 0)}
	b := NewBoard("t", "p", []string{"a", "b"})
	b.now, b.started = clock.now, clock.at
	clock.after(time.Minute)
	b.Update(Point{Index: 0, State: Finished, Earlier: true})
	b.Update(Point{Index: 1, State: Running})
	if s := b.Status(); s.SecondsLeft != nil || s.List[1].SecondsLeft != nil {
		t.Errorf("an estimate of %v s", s.SecondsLeft)
	}
}

// TestLastErrors: only the last ones are repeated, the newest first.
func TestLastErrors(t *testing.T) {
	b := NewBoard("t", "p", make([]string, 30))
	for i := range 30 {
		b.Update(Point{Index: 29 - i, State: Failed, Reason: "r"})
	}
	s := b.Status()
	if len(s.Errors) != lastErrors || len(s.Ends) != lastEnds || s.Errors[0].Index != 0 || s.Errors[9].Index != 9 || s.Failed != 30 {
		t.Errorf("%d errors, first %+v", len(s.Errors), s.Errors[0])
	}
}

// ask asks a board or a server for a path.
func ask(h http.Handler, method, path, host string, headers map[string]string) (string, *http.Response) {
	request, answer := httptest.NewRequest(method, path, nil), httptest.NewRecorder()
	request.Host = host
	for k, v := range headers {
		request.Header.Set(k, v)
	}
	h.ServeHTTP(answer, request)
	return answer.Body.String(), answer.Result()
}

func TestPage(t *testing.T) {
	b, _ := busy()
	page, answer := ask(b, http.MethodGet, "/", "", nil)
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/html; charset=utf-8" ||
		answer.Header.Get("Cache-Control") != "no-store" || !strings.Contains(answer.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%s, %v", answer.Status, answer.Header)
	}
	for _, want := range []string{
		"<title>50 % Where do &lt;routers&gt; saturate?</title>", "results: results/a&amp;b", "<b>1</b> finished earlier", "<b>1</b> failed", "<b>2</b> left", "of <b>6</b> points",
		"1m30s so far, about <b>1m30s</b> left", "<td>d</td><td>running</td>", ">50</td>", ">50s<", ">30s<", "<b>c &lt;script&gt; failed:</b> no &amp; room\nat &lt;cycle&gt; 7", "<td>a</td><td>earlier</td>", `http-equiv="refresh"`, `href="status.json"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "http://") || strings.Contains(page, "https://") || strings.Contains(page, "c <script>") {
		t.Error("the page refers to something elsewhere, or shows a label unescaped")
	}
	if n := strings.Count(page, "<script>"); n != 1 || strings.Count(page, "</main>") != 1 {
		t.Errorf("%d scripts", n)
	}
}

func TestDocument(t *testing.T) {
	b, _ := busy()
	text, answer := ask(b, http.MethodGet, "/status.json", "", nil)
	var s Status
	if err := json.Unmarshal([]byte(text), &s); err != nil || answer.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%v: %s", err, text)
	}
	if s.Finished != 2 || !near(s.SecondsLeft, 90) || len(s.List) != 6 || s.List[2].Label != "c <script>" {
		t.Errorf("the document says %+v", s)
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(text), &fields); err != nil || fields["last_errors"] == nil || fields["seconds_left"] == nil || fields["finished_earlier"] != 1.0 {
		t.Errorf("the fields are %v", fields)
	}
	if _, answer := ask(b, http.MethodGet, "/nothing", "", nil); answer.StatusCode != http.StatusNotFound {
		t.Errorf("a page that there is not: %s", answer.Status)
	}
	if _, answer := ask(b, http.MethodPost, "/", "", nil); answer.StatusCode != http.StatusMethodNotAllowed || answer.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("a change: %s", answer.Status)
	}
}

// TestManyPoints: a page of very many points stays small, the document has all.
func TestManyPoints(t *testing.T) {
	b := NewBoard("t", "p", make([]string, 2*shownPoints))
	s := b.Status()
	if page := string(s.page()); strings.Count(page, "<td>waiting</td>") != shownPoints || !strings.Contains(page, "100 more are in") || len(s.List) != 2*shownPoints {
		t.Errorf("%d of %d points are on the page", strings.Count(page, "<td>waiting</td>"), len(s.List))
	}
}

// serve listens at a free port of this machine and shows a board.
func serve(t *testing.T) *Server {
	t.Helper()
	s := must.Get(Listen("127.0.0.1:0"))
	t.Cleanup(s.Close)
	b, _ := busy()
	s.Show(b)
	return s
}

func TestServer(t *testing.T) {
	if _, err := Listen("nowhere.invalid:80"); err == nil {
		t.Error("listening at an address that does not exist")
	}
	first := serve(t)
	if _, err := Listen(first.listener.Addr().String()); err == nil {
		t.Error("two servers listen at one address")
	}
	answer := must.Get(http.Get(first.URL()))
	if page, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(page), "saturate") {
		t.Errorf("%s answers %q, %v", first.URL(), page, err)
	}
	answer.Body.Close()
	first.Close()
	if _, err := http.Get(first.URL()); err == nil {
		t.Error("it answers after Close")
	}
	for address, want := range map[string]string{":0": "http://(127\\.0\\.0\\.1|\\[::1\\]):", "0": "http://(127\\.0\\.0\\.1|\\[::1\\]):", "0.0.0.0:0": "http://localhost:"} {
		s := must.Get(Listen(address))
		if !regexp.MustCompile("^"+want).MatchString(s.URL()) || s.Exposed() != (address == "0.0.0.0:0") {
			t.Errorf("%s listens at %s, open to other machines: %v", address, s.URL(), s.Exposed())
		}
		if _, answer := ask(s, http.MethodGet, "/", "localhost", nil); answer.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("before anything has begun: %s", answer.Status)
		}
		s.Close() // without a board
	}
}

// TestConnectionsAreLimited: idle connections take no more file descriptors than the limit, and
// when one ends, another is answered.
func TestConnectionsAreLimited(t *testing.T) {
	s := serve(t)
	var idle []net.Conn
	for range connections {
		c := must.Get(net.Dial("tcp", s.listener.Addr().String()))
		defer c.Close()
		idle = append(idle, c)
	}
	answered := make(chan error)
	go func() {
		r, err := http.Get(s.URL())
		if err == nil {
			r.Body.Close()
		}
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Errorf("one connection more than %d was answered (%v)", connections, err)
	case <-time.After(100 * time.Millisecond):
		idle[0].Close()
		if err := <-answered; err != nil {
			t.Error(err)
		}
	}
}

// TestOtherSites: a page of another site learns nothing, neither by asking from there nor under a
// name of its own that was made to lead here.
func TestOtherSites(t *testing.T) {
	s := serve(t)
	own := strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), "/")
	_, port, _ := net.SplitHostPort(own)
	for _, c := range []struct {
		host    string
		headers map[string]string
		want    int
	}{
		{own, nil, http.StatusOK},
		{"localhost:" + port, nil, http.StatusOK},
		{"[::1]:" + port, nil, http.StatusOK},
		{"evil.example", nil, http.StatusForbidden},
		{"evil.example:" + port, nil, http.StatusForbidden},
		{"localhost.evil.example:" + port, nil, http.StatusForbidden},
		{"127.0.0.1.evil.example:" + port, nil, http.StatusForbidden},
		{own, map[string]string{"Origin": "http://" + own}, http.StatusOK},
		{own, map[string]string{"Origin": "http://evil.example"}, http.StatusForbidden},
		{own, map[string]string{"Origin": "null"}, http.StatusForbidden},
		{own, map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, http.StatusForbidden},
		{own, map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, http.StatusOK},
	} {
		for _, path := range []string{"/", "/status.json"} {
			content, answer := ask(s, http.MethodGet, path, c.host, c.headers)
			if answer.StatusCode != c.want || (c.want != http.StatusOK) == strings.Contains(content, "saturate") {
				t.Errorf("host %s with %v: %s", c.host, c.headers, answer.Status)
			}
		}
	}
}

// TestNetworksUnderWay: the page has a map of what moved since the look before, and says what a
// network that delivers nothing waits for.
func TestNetworksUnderWay(t *testing.T) {
	b, clock := busy()
	look := func(cycle, delivered uint64, phits float64) Look {
		return Look{Cycle: cycle, InFlight: 1234, Delivered: delivered, Phits: figures.Grid{Columns: 2, Rows: 1, Nodes: []float64{phits, 2 * phits},
			Links: []figures.GridLink{{From: 0, To: 1, Value: phits}, {From: 1, To: 0}}}, Waits: func() []string { return []string{"packet <7> waits for a slot"} }}
	}
	if !b.Due(3) {
		t.Error("nobody has looked, and no look is due")
	}
	b.Look(3, look(1000, 10, 500))
	if b.Due(3) {
		t.Error("a look is due at once again")
	}
	clock.after(2 * time.Second)
	b.Look(3, look(2000, 20, 1300))
	s := b.Status()
	if n := s.Networks[0]; len(s.Networks) != 1 || n.Routers[0] != 0.8 || n.Routers[1] != 1.6 || n.Links[0] != 0.8 || n.Stalled != 0 || n.Cycle != 2000 {
		t.Errorf("the network is %+v", s.Networks)
	}
	page := string(s.page())
	for _, want := range []string{"d: 1234 copies in flight at cycle 2000", "router (1,0): 1.6", "(0,0) to (1,0): 0.8"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	b.Look(3, look(6000, 20, 1300))
	if s = b.Status(); s.Networks[0].Stalled != 4000 || !strings.Contains(string(s.page()), "<li>packet &lt;7&gt; waits for a slot</li>") {
		t.Errorf("the network stands: %+v", s.Networks[0])
	}
	b.Update(Point{Index: 3, State: Finished})
	if s = b.Status(); len(s.Networks) != 0 {
		t.Errorf("a finished point has the network %+v", s.Networks)
	}
}

// TestResultsSoFar: what is known so far is on the page and in the document.
func TestResultsSoFar(t *testing.T) {
	b, _ := busy()
	b.Results = func() Results {
		return Results{Header: []string{"router", "latency"}, Rows: [][]string{{"<mrr>", "37.3 ± 0.8"}}, Report: "<p>mrr is fastest.</p>"}
	}
	s := b.Status()
	page := string(s.page())
	if !strings.Contains(page, "<p>mrr is fastest.</p>") {
		t.Error("the page has no results")
	}
	if text, err := json.Marshal(s); err != nil || !strings.Contains(string(text), `"results_so_far":{"header":["router","latency"],"rows":[["\u003cmrr\u003e","37.3 ± 0.8"]]}`) {
		t.Errorf("%v: %s", err, text)
	}
}

func TestClock(t *testing.T) {
	for s, want := range map[float64]string{0: "0s", 4.46: "4.5s", 9.96: "10s", 59.6: "59.6s", 3600: "1h0m0s", 90061: "25h1m1s"} {
		if got := clock(s); got != want {
			t.Errorf("%g s are %s, want %s", s, got, want)
		}
	}
}

// TestUpdatesDuringRequests: while points end, every answer adds up. With the race detector it also
// shows that updates and requests do not meet. That results are the same with a page is a matter of the
// script sweepmonitor.
func TestUpdatesDuringRequests(t *testing.T) {
	const points = 40
	b := NewBoard("study", "results", make([]string, points))
	var workers sync.WaitGroup
	for worker := range 4 {
		workers.Go(func() {
			for i := worker; i < points; i += 4 {
				b.Update(Point{Index: i, State: Running, Share: 0.5})
				b.Look(i, Look{Cycle: uint64(i), InFlight: 1})
				b.Update(Point{Index: i, State: map[bool]State{true: Failed, false: Finished}[i%7 == 3], Reason: "broken"})
			}
		})
	}
	for range 10 {
		if page, _ := ask(b, http.MethodGet, "/", "", nil); !strings.Contains(page, "</html>") {
			t.Error("a page is not whole")
		}
		var s Status
		text, _ := ask(b, http.MethodGet, "/status.json", "", nil)
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.Finished+s.Failed+s.Running+s.Left+s.Interrupted != points {
			t.Errorf("%v: %d points: %s", err, points, text)
		}
	}
	workers.Wait()
	if s := b.Status(); s.Finished != 34 || s.Failed != 6 || s.Left != 0 || s.Running != 0 || len(s.Errors) != 6 || s.Errors[0].Reason != "broken" {
		t.Errorf("at the end the board says %+v", s)
	}
}
