package recipe

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// transaction is that of TPC-B, section 1.2 of its specification, statement by statement, as a client sends them. The
// branch is that of the teller.
const transaction = `SET @account = CAST(FLOOR(RAND() * %[1]d) AS INT), @teller = CAST(FLOOR(RAND() * %[2]d) AS INT), @amount = CAST(FLOOR(RAND() * 2000) - 1000 AS INT);` +
	`START TRANSACTION;` +
	`UPDATE bank.accounts SET balance = balance + @amount WHERE id = @account;` +
	`SELECT balance FROM bank.accounts WHERE id = @account;` +
	`UPDATE bank.tellers SET balance = balance + @amount WHERE id = @teller;` +
	`UPDATE bank.branches SET balance = balance + @amount WHERE id = @teller DIV %[3]d;` +
	`INSERT INTO bank.history (teller, branch, account, amount) VALUES (@teller, @teller DIV %[3]d, @account, @amount);` +
	`COMMIT`

// Sizes: TPC-B has ten tellers and 100,000 accounts per branch; there are fewer accounts, so that loading them
// takes seconds.
const (
	branches          = 16
	tellersPerBranch  = 10
	accountsPerBranch = 1000
)

func (w *workshop) socket() string { return w.path("socket") }

// database returns the server's command line. Its tables live in the workshop and need not survive. The virtual
// memory that newer versions set aside for a growing buffer pool, 8 TB, would keep the emulator busy for hours.
func (w *workshop) database() []string {
	list := []string{"/usr/sbin/mariadbd", "--no-defaults", "--datadir=" + w.path("data"), "--socket=" + w.socket(),
		"--pid-file=" + w.path("pid"), "--skip-networking", "--skip-grant-tables", "--skip-log-bin", "--performance-schema=0",
		"--innodb-use-native-aio=0", "--innodb-buffer-pool-size=64M", "--loose-innodb-buffer-pool-size-max=64M",
		"--innodb-log-file-size=32M", "--innodb-flush-log-at-trx-commit=0", "--loose-innodb-flush-method=nosync",
		"--max-connections=" + strconv.Itoa(w.cores+8), "--table-open-cache=100", "--open-files-limit=1000"}
	if os.Geteuid() == 0 {
		list = append(list, "--user=root")
	}
	return list
}

// prepareDatabase loads the tables natively and records the server that comes after.
func prepareDatabase(ctx context.Context, w *workshop) ([]string, error) {
	if err := os.Mkdir(w.path("data"), 0o700); err != nil {
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
	server := w.database()
	if err := w.run(ctx, strings.NewReader(load.String()), server[0], append(server[1:], "--bootstrap")...); err != nil {
		return nil, err
	}
	return server, nil
}

// callTransactions keeps one client per core busy until the context ends.
func callTransactions(ctx context.Context, w *workshop) error {
	if err := waitFor(ctx, "unix", w.socket()); err != nil {
		return err
	}
	statements := fmt.Sprintf(transaction, branches*accountsPerBranch, branches*tellersPerBranch, tellersPerBranch)
	return w.run(ctx, nil, "mariadb-slap", "--no-defaults", "--socket="+w.socket(), "--create-schema=bank", "--concurrency="+strconv.Itoa(w.cores),
		"--iterations=1", "--number-of-queries=100000000", "--delimiter=;", "--query="+statements)
}
