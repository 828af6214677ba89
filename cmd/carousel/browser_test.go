package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// frames shows a page in the width of a desk and of a phone, and writes into its own title how wide the page
// would be in each, how many pictures have no text, what was asked of others, and how many folds
// without pictures and long tables print leaves closed.
const frames = `<!doctype html><iframe src="PAGE" width="1400" height="900"></iframe><iframe src="PAGE" width="390" height="844"></iframe>
<script>onload = () => {
	const pages = [...document.querySelectorAll("iframe")].map(f => f.contentDocument)
	const mute = p => !(p.getAttribute("alt") || p.getAttribute("aria-label") || p.getAttribute("aria-hidden") || p.querySelector("title, text"))
	const asked = [...document.querySelectorAll("iframe")].flatMap(f => f.contentWindow.performance.getEntriesByType("resource"))
		.map(e => e.name).filter(name => !name.startsWith(location.origin))
	const widths = pages.map(p => p.documentElement.scrollWidth).join(" ")
	for (const sheet of pages[0].styleSheets) for (const rule of sheet.cssRules) if (rule.media?.mediaText == "print") rule.media.mediaText = "all"
	const folded = [...pages[0].querySelectorAll("details > :not(summary)")].filter(e =>
		getComputedStyle(e).display != "none" && !e.checkVisibility() && !e.closest("details:has(figure, tr:nth-child(25))"))
	document.title = "widths " + widths +
		" mute " + [...pages[0].querySelectorAll("svg, img, canvas")].filter(mute).length + " of " + pages[0].querySelectorAll("svg, img").length + " asked " + asked.length +
		" folded " + folded.length + " " + asked
}</script>`

// browse opens a page in Chromium, in light and dark, as wide as a desk's screen and as a phone's:
//
//	browse FILE|ADDRESS PICTURES
//
// It fails if the page asks other hosts for something, writes to the console, is wider than the screen, has
// a picture without a text, has fewer pictures than given, or prints without the folds that have neither pictures nor long
// tables.
func browse(ts *testscript.TestScript, _ bool, args []string) {
	page := "/page"
	var serve http.Handler
	if address, remote := strings.CutPrefix(args[0], "http://"); remote {
		page = "/"
		proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
		proxy.ModifyResponse = func(r *http.Response) error { // the frames are the test's own
			const policy = "Content-Security-Policy"
			r.Header.Set(policy, strings.Replace(r.Header.Get(policy), "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
			return nil
		}
		serve = proxy
	} else {
		text := []byte(ts.ReadFile(args[0]))
		serve = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != page {
				http.NotFound(w, r) // the console tells
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(text)
		})
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/frames":
			fmt.Fprint(w, strings.ReplaceAll(frames, "PAGE", page))
		case "/favicon.ico": // the browser asks for it by itself
		default:
			serve.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	for scheme, name := range []string{"dark", "light"} {
		dom, console := chromium(ts, server.URL+"/frames", scheme)
		if strings.Contains(console, "CONSOLE") {
			ts.Fatalf("%s, %s: the console says %s", args[0], name, console)
		}
		least, err := strconv.Atoi(args[1])
		ts.Check(err)
		var desk, phone, mute, pictures, asked, folded int
		found := regexp.MustCompile(`<title>(widths [^<]*)</title>`).FindStringSubmatch(dom)
		if found == nil {
			ts.Fatalf("%s, %s: the page did not load", args[0], name)
		}
		_, err = fmt.Sscanf(found[1], "widths %d %d mute %d of %d asked %d folded %d", &desk, &phone, &mute, &pictures, &asked, &folded)
		ts.Check(err)
		if desk > 1400 || phone > 390 || mute > 0 || pictures < least || asked > 0 || folded > 0 {
			ts.Fatalf("%s, %s: %s; want at most 1400 390, 0 of at least %d, 0 and 0", args[0], name, found[1], least)
		}
	}
}

// chromium opens a page, and returns what has become of it and what the browser says.
func chromium(ts *testscript.TestScript, page string, scheme int) (dom, said string) {
	home, err := os.MkdirTemp("", "carousel-browser-")
	ts.Check(err)
	defer os.RemoveAll(home)
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	command := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+home, "--enable-logging=stderr",
		"--disable-background-networking", "--no-first-run", fmt.Sprintf("--blink-settings=preferredColorScheme=%d", scheme),
		"--virtual-time-budget=5000", "--dump-dom", page)
	var errors strings.Builder
	command.Stderr = &errors
	output, err := command.Output()
	ts.Check(err)
	return string(output), errors.String()
}
