package monitor

import (
	"context"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"
)

// policy lets the page load and run nothing but what it brings itself.
const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// answer writes a page or a document.
func answer(w http.ResponseWriter, kind string, content []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(content) // a closed connection does not affect the computation
}

// Server listens for requests, and shows one board after another.
type Server struct {
	listener net.Listener
	http     http.Server
	served   chan struct{}
	board    atomic.Pointer[Board]
	name     string // the host of the address, which requests may call it by
}

// Listen takes an address, such as localhost:8080, and answers requests about the board that is
// shown. Without a host, as in 8080 or :8080, only this machine reaches it; 0.0.0.0 stands for
// everybody. Port 0 is a free one; URL tells which.
func Listen(address string) (*Server, error) {
	if !strings.Contains(address, ":") {
		if _, err := strconv.ParseUint(address, 10, 16); err == nil {
			address = ":" + address
		}
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if host == "" {
		host = "localhost"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	listener = netutil.LimitListener(listener, connections)
	s := &Server{listener: listener, served: make(chan struct{}), name: host}
	s.http.Handler = s
	s.http.ReadTimeout, s.http.WriteTimeout, s.http.IdleTimeout = 10*time.Second, 30*time.Second, time.Minute
	go func() {
		defer close(s.served)
		_ = s.http.Serve(listener) // a monitor that fails must not stop what it watches
	}()
	return s, nil
}

// connections is how many there are at a time. Others wait until one has ended or timed out, so
// that the monitor does not take the file descriptors that the study needs.
const connections = 64

// Exposed reports whether other machines may reach the page.
func (s *Server) Exposed() bool { return !s.listener.Addr().(*net.TCPAddr).IP.IsLoopback() }

// Show makes the server answer for a board from now on.
func (s *Server) Show(b *Board) { s.board.Store(b) }

// ServeHTTP refuses what another site asks for, and leaves the rest to the board. A page elsewhere
// whose name was made to lead here (DNS rebinding) calls this machine by that name.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case !s.known(r.Host):
		http.Error(w, "unknown host; use the address itself, or localhost", http.StatusForbidden)
	case origin != "" && origin != "http://"+r.Host, site == "cross-site" && r.Header.Get("Sec-Fetch-Mode") != "navigate":
		http.Error(w, "cross-site request refused", http.StatusForbidden)
	case s.board.Load() == nil:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "nothing has started", http.StatusServiceUnavailable)
	default:
		s.board.Load().ServeHTTP(w, r)
	}
}

// known reports whether requests may call this machine by a name: addresses, localhost, the name it
// listens at, and its own, all of which no other site can take.
func (s *Server) known(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if net.ParseIP(host) != nil || strings.EqualFold(host, "localhost") || strings.EqualFold(host, s.name) {
		return true
	}
	own, err := os.Hostname()
	return err == nil && strings.EqualFold(host, own)
}

// URL is where a browser on this machine finds the page.
func (s *Server) URL() string {
	address := s.listener.Addr().(*net.TCPAddr)
	host := address.IP.String()
	if address.IP.IsUnspecified() {
		host = "localhost"
	}
	_, port, _ := net.SplitHostPort(address.String())
	return "http://" + net.JoinHostPort(host, port) + "/"
}

// closeTimeout is how long Close waits for requests that it has accepted.
const closeTimeout = time.Second

// Close stops listening. It returns when no request is being answered any more.
func (s *Server) Close() {
	ctx, stop := context.WithTimeout(context.Background(), closeTimeout)
	defer stop()
	if s.http.Shutdown(ctx) != nil {
		s.http.Close()
	}
	<-s.served
}
