// Command outside is the command carousel with two routers, a traffic pattern, a multicast scheme, a
// coherence protocol and a workload of its own.
package main

import (
	"github.com/carousel-sim/carousel/cmd/carousel/cli"
	"github.com/carousel-sim/carousel/noc/models"

	"example.com/outside/relay"
)

func main() {
	cli.Main(cli.Extra{Routers: []models.Model{relay.Model(), relay.Crossbar()}}, others)
}
