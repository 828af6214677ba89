package wormhole

import (
	"strings"
	"testing"

	"github.com/carousel-sim/carousel/noc"
	"github.com/carousel-sim/carousel/noc/leaf/must"
	"github.com/carousel-sim/carousel/noc/topology"
)

// TestClassesKeepApart: classes have sets of their own while there are channels for them, and share
// where there are not, or where they are told to. ChannelText says so.
func TestClassesKeepApart(t *testing.T) {
	for _, v := range []struct {
		g        topology.Grid
		channels int
		share    bool
		apart    bool
		text     string
	}{
		{topology.Mesh(4, 4), 0, false, true, "6 virtual channels per port, owned by 6 classes"},
		{topology.Torus(4, 4), 0, false, true, "12 virtual channels per port, owned by 6 classes"},
		{topology.Torus(4, 4), 17, false, true, "17 virtual channels per port, owned by 6 classes"},
		{topology.Torus(4, 4), 11, false, false, "11 virtual channels per port, owned by 5 groups of the 6 classes"},
		{topology.Mesh(4, 4), 4, false, false, "4 virtual channels per port, owned by 4 groups of the 6 classes"},
		{topology.Mesh(4, 4), 1, false, false, "1 virtual channel per port, shared by 6 classes"},
		{topology.Mesh(4, 4), 12, true, false, "12 virtual channels per port, shared by 6 classes"},
		{topology.Torus(4, 4), 0, true, false, "12 virtual channels per port, shared by 6 classes"},
	} {
		c := Default()
		c.VirtualChannels, c.ShareChannels = v.channels, v.share
		if got := c.ChannelText(c.Parts(v.g)); got != v.text {
			t.Errorf("%s, %d channels, share %v: %q, want %q", v.g, v.channels, v.share, got, v.text)
		}
		used, apart := ChannelSet(0), true
		sets := c.ClassChannels(c.Parts(v.g))
		for _, set := range sets[:c.Classes] {
			if set[0] == 0 || set[1] == 0 || v.g.Wrap && set[0]&set[1] != 0 {
				t.Errorf("%s, %d channels: a class has channels %b and %b", v.g, v.channels, set[0], set[1])
			}
			apart = apart && used&(set[0]|set[1]) == 0
			if all := ChannelSet(1)<<c.Channels(c.Parts(v.g)) - 1; v.share && set[0]|set[1] != all {
				t.Errorf("%s, %d channels: a class that shares all has %b", v.g, v.channels, set[0]|set[1])
			}
			used |= set[0] | set[1]
		}
		if apart != v.apart || used != 1<<c.Channels(c.Parts(v.g))-1 {
			t.Errorf("%s, %d channels: apart %v, used %b", v.g, v.channels, apart, used)
		}
	}
}

// TestChannelsOfOneClass: one class neither owns nor shares channels.
func TestChannelsOfOneClass(t *testing.T) {
	c := Default()
	c.Classes, c.VirtualChannels = 1, 4
	if got := c.ChannelText(1); got != "4 virtual channels per port" {
		t.Errorf("the text is %q", got)
	}
}

// TestValidate holds that Validate names the key that is wrong.
func TestValidate(t *testing.T) {
	for want, spoil := range map[string]func(*Config){
		"classes is 9":           func(c *Config) { c.Classes = 9 },
		"virtual_channels is 40": func(c *Config) { c.VirtualChannels = 40 },
		"buffer_phits is 0":      func(c *Config) { c.BufferPhits = 0 },
		"link_cycles is 0":       func(c *Config) { c.LinkCycles = 0 },
		`routing is "adaptive"`:  func(c *Config) { c.Routing = "adaptive" },
		"preparation is -1":      func(c *Config) { c.Preparation = -1 },
	} {
		c := Default()
		spoil(&c)
		if err := c.Validate(topology.Mesh(4, 4)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestLinkDelays: in an idle network a packet arrives when the sums of its links say, and many packets leave a
// narrow link as fast as it takes their parts.
func TestLinkDelays(t *testing.T) {
	c := Default()
	c.Classes, c.VirtualChannels = 1, 4
	for _, v := range []struct {
		link           *topology.Link
		phits, arrives int
		rate, credits  int // cycles of a phit, and delay of credits
	}{
		// Four routers of 4 + 1 cycles, 1 cycle to the node, and the further phits.
		{nil, 3, 4*5 + 1 + 2, 1, 2},
		{&topology.Link{Cycles: 1, Bits: 128}, 3, 4*5 + 1 + 2, 1, 2},
		{&topology.Link{Cycles: 6}, 3, 4*5 + 1 + 2 + 5, 1, 7},
		{&topology.Link{Bits: 32}, 1, 4*5 + 1 + 3, 4, 2},
		// The tail leaves the link 8 cycles after the header, and gains 2 in each of two routers, where the header
		// needs a route and a virtual channel.
		{&topology.Link{Bits: 32}, 3, 4*5 + 1 + 3 + 8 - 2*2, 4, 2},
		{&topology.Link{Cycles: 6, Bits: 33}, 1, 4*5 + 1 + 5 + 3, 4, 7},
	} {
		l := topology.Mesh(4).Layout()
		for i := range l.Wiring.Channels {
			if ch := &l.Wiring.Channels[i]; ch.From == 1 && ch.To == 2 {
				ch.Link = v.link
			}
		}
		if d := c.DelaysOf(v.link); d.Credit != v.credits || d.Parts != v.rate {
			t.Errorf("%+v: delays are %+v", v.link, d)
		}
		n := New(must.Get(c.OnLayout(l, nil)), c, nil)
		send := func(packets int) (arrives int) {
			for range packets {
				n.Offer(noc.Packet{Src: 0, Dst: noc.One(3), Phits: uint16(v.phits)})
			}
			for start := n.Now(); n.InFlight() > 0; {
				n.Step(n.Now() + 1)
				for _, d := range n.Deliveries() {
					arrives = int(d.Arrived - start)
				}
			}
			return arrives
		}
		if got := send(1); got != v.arrives {
			t.Errorf("%+v: %d phits arrive in cycle %d, want %d", v.link, v.phits, got, v.arrives)
		}
		if got, want := send(c.SourceQueue), v.arrives+(c.SourceQueue-1)*v.phits*v.rate; got < want || got > want+want/10 {
			t.Errorf("%+v: %d packets of %d phits arrive within %d cycles, want %d", v.link, c.SourceQueue, v.phits, got, want)
		}
	}
	c.PhitBits = 65
	if _, err := c.OnLayout(must.Get(topology.Mesh(4).Layout().WithLinks(topology.LinksOptions{X: topology.LinkOptions{Link: topology.Link{Bits: 1}}})), nil); err == nil || !strings.Contains(err.Error(), "takes 65 cycles on the link of 1 bits from router 0 to 1") {
		t.Errorf("a link of one bit: %v", err)
	}
}
