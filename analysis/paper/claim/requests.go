package claim

import (
	"math/rand/v2"

	"github.com/carousel-sim/carousel/analysis/experiment/messages"
	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/multicast"
	"github.com/carousel-sim/carousel/noc/topology"
)

// Randoms draws multicasts.
type Randoms struct{ *rand.Rand }

// NewRandoms returns a stream of multicasts that is the same in every run.
func NewRandoms(stream uint64) Randoms { return Randoms{rand.New(rand.NewPCG(11, stream))} }

// Request draws a source and k other nodes of n.
func (r Randoms) Request(n, k int) multicast.Request {
	order := r.Perm(n)
	m := multicast.Request{Source: noc.NodeID(order[0])}
	for _, d := range order[1 : k+1] {
		m.Destinations = append(m.Destinations, noc.NodeID(d))
	}
	return m
}

// Planned sends random multicasts through an idle network and calls visit with each plan and
// outcome.
func Planned(scheme string, startup int, stream uint64, visit func(multicast.Request, multicast.Plan, messages.Sent)) {
	layout := Must(topology.Open("mesh:16x16"))
	s := Must(multicast.LookupScheme(scheme))
	network := multicast.NewNetwork(layout)
	idle := idleMesh(scheme, startup)
	random := NewRandoms(stream)
	for range 200 {
		r := random.Request(256, 10)
		plan := Must(s.Plan(network, r, multicast.DefaultOptions()))
		sent := Must(idle.Send(r))
		visit(r, plan, sent)
	}
}

// idleMesh is the network of the claims about an idle one.
func idleMesh(scheme string, startup int) *messages.Idle {
	c := messages.Default()
	c.Flits, c.Scheme, c.Startup = 32, scheme, startup
	return Must(messages.NewIdle(c))
}

// Must returns a value of an exact claim. Such claims have all their inputs in their source, so that
// an error is a mistake in it, and panics.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
