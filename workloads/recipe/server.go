package recipe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// pages are what the web servers serve: sizes in bytes, as small as most files of web sites are.
var pages = []int{1600, 4000, 10000, 25000}

// clientsPerPage is how many requests a client has under way.
const clientsPerPage = 4

// makePages writes the files below www. Servers read them when they have given up their privileges, whatever the user
// keeps from others.
func (w *workshop) makePages() error {
	random := rand.New(rand.NewPCG(1, 2))
	if err := errors.Join(os.Mkdir(w.path("www"), 0o755), os.Chmod(w.path("www"), 0o755)); err != nil {
		return err
	}
	for i, size := range pages {
		var text strings.Builder
		for text.Len() < size {
			fmt.Fprintf(&text, "<p>%016x</p>\n", random.Uint64())
		}
		name := filepath.Join("www", strconv.Itoa(i)+".html")
		if err := errors.Join(w.write(name, text.String()), os.Chmod(w.path(name), 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// choosePort finds a free port of the loopback interface.
func (w *workshop) choosePort() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	w.port = l.Addr().(*net.TCPAddr).Port
	return nil
}

// asNobody returns a line of a server's configuration with the user whose rights are enough, where the server starts
// as root and would refuse to go on as such.
func asNobody(line string) string {
	if os.Geteuid() != 0 {
		return ""
	}
	return line + "\n"
}

func prepareApache(_ context.Context, w *workshop) ([]string, error) {
	if err := errors.Join(w.choosePort(), w.makePages()); err != nil {
		return nil, err
	}
	// One core is left for the thread that listens; the one that starts all others sleeps in the region.
	threads := max(1, w.cores-1)
	const modules = "/usr/lib/apache2/modules/"
	text := fmt.Sprintf("ServerRoot %[1]s\nServerName localhost\nPidFile %[1]s/pid\nErrorLog %[1]s/log\nDocumentRoot %[1]s/www\n"+
		"Listen 127.0.0.1:%[2]d\nLoadModule mpm_event_module "+modules+"mod_mpm_event.so\n"+
		"LoadModule authz_core_module "+modules+"mod_authz_core.so\n"+
		"StartServers 1\nServerLimit 1\nThreadsPerChild %[3]d\nThreadLimit %[3]d\nMaxRequestWorkers %[3]d\n"+
		"MinSpareThreads 1\nMaxSpareThreads %[3]d\n%[4]s", w.folder, w.port, threads, asNobody("User nobody\nGroup nogroup"))
	return []string{"/usr/sbin/apache2", "-X", "-f", w.path("apache.conf")}, w.write("apache.conf", text)
}

func prepareEvents(_ context.Context, w *workshop) ([]string, error) {
	if err := errors.Join(w.choosePort(), w.makePages()); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("num-threads: %d\nlisten:\n  host: 127.0.0.1\n  port: %d\n%s"+
		"hosts:\n  \"default\":\n    paths:\n      \"/\":\n        file.dir: %s\n", w.cores, w.port, asNobody("user: nobody"), w.path("www"))
	return []string{"h2o", "-c", w.path("h2o.conf")}, w.write("h2o.conf", text)
}

// fetchPages keeps one ApacheBench per page busy until the context ends, after a look at each page: ApacheBench is
// content with error messages.
func fetchPages(ctx context.Context, w *workshop) error {
	if err := waitFor(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(w.port)); err != nil {
		return err
	}
	return together(len(pages), func(i int) error {
		page := fmt.Sprintf("http://127.0.0.1:%d/%d.html", w.port, i)
		if err := look(ctx, page, pages[i]); err != nil {
			return err
		}
		return w.run(ctx, nil, "ab", "-q", "-r", "-c", strconv.Itoa(clientsPerPage), "-n", "100000000", page)
	})
}

// look fetches a page, which must be of at least the given size.
func look(ctx context.Context, page string, size int) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if n, err := io.Copy(io.Discard, answer.Body); err != nil || n < int64(size) || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s with %d bytes, and the page has at least %d (%v)", page, answer.Status, n, size, err)
	}
	return nil
}

// waitFor waits until somebody listens.
func waitFor(ctx context.Context, network, address string) error {
	for {
		c, err := net.Dial(network, address)
		if err == nil {
			return c.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server did not begin to listen: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// together runs parts side by side and joins their errors.
func together(count int, part func(i int) error) error {
	failed := make([]error, count)
	var group sync.WaitGroup
	for i := range count {
		group.Go(func() { failed[i] = part(i) })
	}
	group.Wait()
	return errors.Join(failed...)
}
