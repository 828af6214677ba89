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
	if err := errors.Join(w.makePages(), w.configure("server/apache.conf", "apache.conf", served, port, w.cores)); err != nil {
		return nil, err
	}
	return w.machine(fetched("/usr/sbin/apache2 -f "+served+"/apache.conf"), w.fetches(),
		"/usr/sbin/apache2", "/usr/bin/ab", modules+"mod_mpm_event.so", modules+"mod_authz_core.so")
}

func prepareEvents(_ context.Context, w *workshop) ([]string, error) {
	if err := errors.Join(w.makePages(), w.configure("server/nginx.conf", "nginx.conf", served, port, w.cores)); err != nil {
		return nil, err
	}
	return w.machine(fetched("mkdir -p /var/log/nginx /var/lib/nginx && /usr/sbin/nginx -c "+served+"/nginx.conf"), w.fetches(), "/usr/sbin/nginx", "/usr/bin/ab")
}

// transaction is that of TPC-B, section 1.2 of its specification, statement by statement, as a
// client sends them. The branch is that of the teller.
const transaction = `SET @account = CAST(FLOOR(RAND() * %[1]d) AS INT), @teller = CAST(FLOOR(RAND() * %[2]d) AS INT), @amount = CAST(FLOOR(RAND() * 2000) - 1000 AS INT);` +
	`START TRANSACTION;` +
	`UPDATE bank.accounts SET balance = balance + @amount WHERE id = @account;` +
	`SELECT balance FROM bank.accounts WHERE id = @account;` +
	`UPDATE bank.tellers SET balance = balance + @amount WHERE id = @teller;` +
	`UPDATE bank.branches SET balance = balance + @amount WHERE id = @teller DIV %[3]d;` +
	`INSERT INTO bank.history (teller, branch, account, amount) VALUES (@teller, @teller DIV %[3]d, @account, @amount);` +
	`COMMIT`

// Sizes: TPC-B has ten tellers and 100,000 accounts per branch; there are fewer accounts, so that
// loading them takes seconds.
const (
	branches          = 64
	tellersPerBranch  = 10
	accountsPerBranch = 1000
)

// database returns the server's command line. Its tables need not survive. The virtual memory that
// newer versions set aside for a growing buffer pool, 8 TB, would keep the emulator busy for hours.
func (w *workshop) database(folder string) []string {
	return []string{"/usr/sbin/mariadbd", "--no-defaults", "--user=root", "--datadir=" + folder + "/data", "--socket=" + folder + "/socket",
		"--pid-file=" + folder + "/pid", "--skip-networking", "--skip-grant-tables", "--skip-log-bin", "--performance-schema=0",
		"--innodb-use-native-aio=0", "--innodb-buffer-pool-size=64M", "--loose-innodb-buffer-pool-size-max=64M",
		"--innodb-log-file-size=32M", "--innodb-flush-log-at-trx-commit=0", "--loose-innodb-flush-method=nosync",
		"--max-connections=" + strconv.Itoa(w.cores+8), "--table-open-cache=100", "--open-files-limit=1000"}
}

// prepareDatabase loads the tables natively, for the server in the machine. Its clients, one per
// core, are threads of one process.
func prepareDatabase(ctx context.Context, w *workshop) ([]string, error) {
	if err := os.MkdirAll(w.path("server/data"), 0o700); err != nil {
		return nil, err
	}
	var load strings.Builder
	load.WriteString("CREATE DATABASE bank;\n")
	for _, t := range []struct {
		name string
		rows int
	}{{"branches", branches}, {"tellers", branches * tellersPerBranch}, {"accounts", branches * accountsPerBranch}} {
		fmt.Fprintf(&load, "CREATE TABLE bank.%s (id INT PRIMARY KEY, balance INT, filler CHAR(84)) ENGINE=InnoDB;\n", t.name)
		for from := 0; from < t.rows; from += 1000 {
			fmt.Fprintf(&load, "INSERT INTO bank.%s VALUES ", t.name)
			for i := from; i < min(from+1000, t.rows); i++ {
				if i > from {
					load.WriteByte(',')
				}
				fmt.Fprintf(&load, "(%d,0,'')", i)
			}
			load.WriteString(";\n")
		}
	}
	load.WriteString("CREATE TABLE bank.history (id BIGINT AUTO_INCREMENT PRIMARY KEY, teller INT, branch INT, account INT, amount INT, at TIMESTAMP) ENGINE=InnoDB;\n")
	native := w.database(w.path("server"))
	if err := w.run(ctx, strings.NewReader(load.String()), native[0], append(native[1:], "--bootstrap")...); err != nil {
		return nil, err
	}
	statements := fmt.Sprintf(transaction, branches*accountsPerBranch, branches*tellersPerBranch, tellersPerBranch)
	call := func(queries int) string {
		return fmt.Sprintf("mariadb-slap --no-defaults --socket=%s/socket --create-schema=bank --concurrency=%d --iterations=1 --number-of-queries=%d '--delimiter=;' --query='%s'",
			served, w.cores, queries, statements)
	}
	wait := "for i in $(seq 100); do [ -S " + served + "/socket ] && break; sleep 0.5; done"
	return w.machine(strings.Join(w.database(served), " ")+" >/dev/null 2>&1 & "+wait+"; "+call(60*w.cores)+" >/dev/null",
		call(100000000)+" &\nsleep 0.5\nregion-begin\nsleep 100000\n",
		"/usr/sbin/mariadbd", "/usr/bin/mariadb-slap", "/usr/share/mysql/english", "/usr/share/mysql/charsets")
}
