package monitor

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"time"
)

// policy lets the page load and run nothing but what it brings itself.
const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP answers requests for the page and the document.
func (b *Board) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "there is nothing to change here", http.StatusMethodNotAllowed)
		return
	}
	status := b.Status()
	var content []byte
	switch r.URL.Path {
	case "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		content = status.page()
	case "/status.json":
		w.Header().Set("Content-Type", "application/json")
		content, _ = json.Marshal(status) // numbers and texts only: it cannot fail
	default:
		http.Error(w, "there are / and /status.json", http.StatusNotFound)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(content) // a reader who has gone away is no concern of the computation
}

// Server listens for requests.
type Server struct {
	listener net.Listener
	http     http.Server
	served   chan struct{}
}

// Listen takes an address, such as localhost:8080. With port 0 it is a free one; Address tells which. Requests wait until
// Serve.
func Listen(address string) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return &Server{listener: listener, served: make(chan struct{})}, nil
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

// Serve begins to answer requests.
func (s *Server) Serve(b *Board) {
	s.http.Handler = b
	s.http.ReadHeaderTimeout, s.http.WriteTimeout, s.http.IdleTimeout = 10*time.Second, 30*time.Second, time.Minute
	go func() {
		defer close(s.served)
		_ = s.http.Serve(s.listener) // a monitor that fails must not stop what it watches
	}()
}

// patience is how long Close waits for requests on their way.
const patience = time.Second

// Close stops listening. It returns when no request is being answered any more.
func (s *Server) Close() {
	if s.http.Handler == nil { // it never served
		s.listener.Close()
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	if s.http.Shutdown(ctx) != nil {
		s.http.Close()
	}
	<-s.served
}
