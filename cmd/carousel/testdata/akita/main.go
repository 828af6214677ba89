// Command akita runs two examples of Akita over Akita's own networks and over Carousel's router mrr: two agents that
// ping each other, and 16 agents on a grid that send each other messages of up to 4 KiB.
//
//go:debug randseednop=0
package main

import (
	"fmt"
	"math/rand"
	"os"
	"time"

	"github.com/sarchlab/akita/v5/examples/tickingping"
	"github.com/sarchlab/akita/v5/messaging"
	"github.com/sarchlab/akita/v5/modeling"
	"github.com/sarchlab/akita/v5/noc/acceptance"
	"github.com/sarchlab/akita/v5/noc/directconnection"
	"github.com/sarchlab/akita/v5/noc/networking/mesh"
	"github.com/sarchlab/akita/v5/timing"

	"github.com/carousel-sim/carousel/noc/models"
	"github.com/carousel-sim/carousel/noc/topology"

	"example.com/akita/network"
)

// The agents of the second example, and their messages.
const side, messages = 4, 2000

func main() {
	fmt.Println("two agents, a direct connection of Akita:")
	ping(func(reg modeling.Registrar) messaging.Connection {
		return directconnection.MakeBuilder().WithRegistrar(reg).Build("Connection")
	})
	fmt.Println("two agents, mrr on torus:2x2:")
	ping(func(reg modeling.Registrar) messaging.Connection { return carousel(reg, topology.Torus(2, 2)) })
	fmt.Printf("%d agents, %d messages:\n", side*side, messages)
	traffic("a mesh of Akita", func(reg modeling.Registrar, agents []*acceptance.Agent) {
		m := mesh.NewConnector().WithRegistrar(reg).WithFreq(timing.GHz)
		m.CreateNetwork("Mesh")
		for i, a := range agents {
			m.AddTile([3]int{i % side, i / side, 0}, a.AgentPorts)
		}
		m.EstablishNetwork()
	})
	for _, g := range []topology.Grid{topology.Mesh(side, side), topology.Torus(side, side)} {
		traffic("mrr on "+g.String(), func(reg modeling.Registrar, agents []*acceptance.Agent) {
			c := carousel(reg, g)
			for _, a := range agents {
				c.PlugIn(a.AgentPorts[0])
			}
		})
	}
}

// carousel makes a connection of routers mrr, whose links carry 16 bytes per cycle, as those of Akita's mesh do.
func carousel(reg modeling.Registrar, g topology.Grid) *network.Connection {
	m := must(models.Lookup("mrr"))
	o := models.DefaultOptions()
	o.Grid, o.Classes = g, 1
	longest, _ := m.MaxPhits(o)
	return must(network.New(reg, "Carousel", must(m.Build(o)), network.Config{Freq: timing.GHz, PacketPhits: longest, SinkPackets: 4, Classes: 1}))
}

// ping runs the first example, whose agents print the time from each request to its answer.
func ping(connect func(reg modeling.Registrar) messaging.Connection) {
	engine := timing.NewSerialEngine()
	reg := modeling.NewStandaloneRegistrar(engine)
	connection := connect(reg)
	var agents []*tickingping.Comp
	for _, name := range []string{"AgentA", "AgentB"} {
		a := tickingping.MakeBuilder().WithRegistrar(reg).Build(name)
		a.AssignPort("Out", modeling.MakePortBuilder().WithRegistrar(reg).WithComponent(a).WithSpec(modeling.PortSpec{BufSize: 16}).Build("Out"))
		connection.PlugIn(a.GetPortByName("Out"))
		agents = append(agents, a)
	}
	agents[0].State.PingDst, agents[0].State.NumPingNeedToSend = agents[1].GetPortByName("Out").AsRemote(), 2
	agents[0].TickLater()
	check(engine.Run())
}

// traffic runs the second example and prints the time that it simulates and the time that this takes.
func traffic(name string, connect func(modeling.Registrar, []*acceptance.Agent)) {
	engine, test := timing.NewSerialEngine(), acceptance.NewTest()
	reg := modeling.NewStandaloneRegistrar(engine)
	var agents []*acceptance.Agent
	for i := range side * side {
		port := messaging.NewPort(nil, 1, 1, fmt.Sprintf("Agent[%d].Port", i))
		agents = append(agents, acceptance.NewAgent(reg, timing.GHz, fmt.Sprintf("Agent[%d]", i), []messaging.Port{port}, test))
		test.RegisterAgent(agents[i])
	}
	connect(reg, agents)
	rand.Seed(1) // the messages of each network are the same
	test.GenerateMsgs(messages)
	for _, a := range agents {
		a.TickLater()
	}
	begun := time.Now()
	check(engine.Run())
	test.MustHaveReceivedAllMsgs()
	fmt.Printf("  %-18s simulates %6d ns in %.2f s\n", name, engine.CurrentTime()/1000, time.Since(begun).Seconds())
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
