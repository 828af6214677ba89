package recipe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/carousel-sim/carousel/traces/record"
)

// Servers are recorded with the machine that they run on: Linux, the server and its clients, which
// share the cores. In the machine all files of a recipe are in one folder, whatever the workshop is
// called, so that a machine's kept state can be used again.
const (
	served = "/server"
	port   = "8080"
)

// pages are what the web servers serve: sizes in bytes, as small as most files of web sites are.
var pages = []int{1600, 4000, 10000, 25000, 2500, 7000, 1000, 50000}

// makePages writes the files below www.
func (w *workshop) makePages() error {
	random := rand.New(rand.NewPCG(1, 2))
	if err := os.MkdirAll(w.path("server/www"), 0o755); err != nil {
		return err
	}
	for i, size := range pages {
		var text strings.Builder
		for text.Len() < size {
			fmt.Fprintf(&text, "<p>%016x</p>\n", random.Uint64())
		}
		if err := w.write(filepath.Join("server/www", strconv.Itoa(i)+".html"), text.String()); err != nil {
			return err
		}
	}
	return nil
}

// machine describes a machine that does its setup, and whose region of interest begins when its
// load has run for a while. It returns the command that the machine runs. Servers give up their
// rights for those of nobody.
func (w *workshop) machine(setup, load string, files ...string) ([]string, error) {
	err := errors.Join(
		w.write("server/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"),
		w.write("server/group", "root:x:0:\nnogroup:x:65534:\n"),
		w.write("server/load", load))
	system := record.DefaultSystem()
	system.Setup = setup
	system.Files = append([]string{w.path("server") + "=" + served, w.path("server/passwd") + "=/etc/passwd", w.path("server/group") + "=/etc/group"}, files...)
	w.system = &system
	return []string{"busybox", "sh", served + "/load"}, err
}

// fetches is a load of ApacheBench: a process with four clients per core, each for one page.
func (w *workshop) fetches() string {
	return fmt.Sprintf("i=0\nwhile [ $i -lt %d ]; do\n\tab -q -r -c 4 -n 100000 http://127.0.0.1:%s/$((i %% %d)).html &\n\ti=$((i + 1))\ndone\n"+
		"sleep 0.3\nregion-begin\nsleep 100000\n", w.cores, port, len(pages))
}

// fetched warms a server up, and fails with the server's log where a page does not come.
func fetched(start string) string {
	return fmt.Sprintf("%s && sleep 2 && for i in $(seq 0 %d); do busybox wget -q -O /dev/null http://127.0.0.1:%s/$i.html && ab -q -n 64 -c 16 http://127.0.0.1:%s/$i.html >/dev/null || { cat %s/log; exit 1; }; done",
		start, len(pages)-1, port, port, served)
}

func prepareApache(_ context.Context, w *workshop) ([]string, error) {
	const modules = "/usr/lib/apache2/modules/"
	text := fmt.Sprintf("ServerRoot %[1]s\nServerName localhost\nPidFile %[1]s/pid\nErrorLog %[1]s/log\nDocumentRoot %[1]s/www\n"+
		"Listen 127.0.0.1:%[2]s\nLoadModule mpm_event_module "+modules+"mod_mpm_event.so\n"+
		"LoadModule authz_core_module "+modules+"mod_authz_core.so\n"+
		"StartServers 1\nServerLimit 1\nThreadsPerChild %[3]d\nThreadLimit %[3]d\nMaxRequestWorkers %[3]d\n"+
		"MinSpareThreads 1\nMaxSpareThreads %[3]d\nUser nobody\nGroup nogroup\n", served, port, w.cores)
	if err := errors.Join(w.makePages(), w.write("server/apache.conf", text)); err != nil {
		return nil, err
	}
	return w.machine(fetched("/usr/sbin/apache2 -f "+served+"/apache.conf"), w.fetches(),
		"/usr/sbin/apache2", "/usr/bin/ab", modules+"mod_mpm_event.so", modules+"mod_authz_core.so")
}

func prepareEvents(_ context.Context, w *workshop) ([]string, error) {
	text := fmt.Sprintf("user nobody nogroup;\npid %[1]s/pid;\nerror_log %[1]s/log warn;\nworker_processes %[3]d;\nworker_cpu_affinity auto;\n"+
		"events { use epoll; worker_connections 256; accept_mutex off; }\n"+
		"http {\n\taccess_log off; sendfile on; tcp_nopush on; keepalive_timeout 30;\n"+
		"\topen_file_cache max=512 inactive=60s;\n\tdefault_type text/html;\n"+
		"\tclient_body_temp_path /tmp/b; proxy_temp_path /tmp/p; fastcgi_temp_path /tmp/f; uwsgi_temp_path /tmp/u; scgi_temp_path /tmp/s;\n"+
		"\tserver { listen 127.0.0.1:%[2]s reuseport backlog=1024; root %[1]s/www; }\n}\n", served, port, w.cores)
	if err := errors.Join(w.makePages(), w.write("server/nginx.conf", text)); err != nil {
		return nil, err
	}
	return w.machine(fetched("mkdir -p /var/log/nginx /var/lib/nginx && /usr/sbin/nginx -c "+served+"/nginx.conf"), w.fetches(), "/usr/sbin/nginx", "/usr/bin/ab")
}
