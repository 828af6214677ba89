//go:build cgo

package main

// #define CAROUSEL_BUILDING
// #include "carousel.h"
import "C"

import (
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/carousel-sim/carousel/noc"
)

// handles holds the open networks. A client uses a network from one thread at a time, but several
// threads may open, use and close networks of their own.
var handles = struct {
	sync.RWMutex
	networks map[int64]*network
	next     int64
	failure  string // of the last failed open
}{networks: map[int64]*network{}}

func find(handle C.carousel_network) *network {
	handles.RLock()
	defer handles.RUnlock()
	return handles.networks[int64(handle)]
}

// call runs a function on a network and turns its error, or a panic, into a code.
func call(handle C.carousel_network, f func(n *network) (int64, error)) (result C.int64_t) {
	n := find(handle)
	if n == nil {
		return C.CAROUSEL_HANDLE
	}
	n.wait()
	if n.broken {
		return C.CAROUSEL_INTERNAL
	}
	result = C.CAROUSEL_INTERNAL
	defer n.rescue()
	value, err := f(n)
	if err != nil {
		n.failure = err.Error()
		return C.CAROUSEL_USAGE
	}
	return C.int64_t(value)
}

// put copies a text and a terminating 0 to a buffer, as much of it as there is room for, and
// returns the text's length.
func put(text string, into *C.char, capacity C.size_t) int64 {
	if into != nil && capacity > 0 {
		buffer := unsafe.Slice((*byte)(unsafe.Pointer(into)), min(uint64(capacity), uint64(len(text))+1))
		buffer[copy(buffer[:len(buffer)-1], text)] = 0
	}
	return int64(len(text))
}

//export carousel_open
func carousel_open(configuration *C.char) (handle C.carousel_network) {
	fail := func(reason any, code C.carousel_network) C.carousel_network {
		handles.Lock()
		defer handles.Unlock()
		handles.failure = fmt.Sprint(reason)
		return code
	}
	defer func() {
		if broken := recover(); broken != nil {
			handle = fail(broken, C.CAROUSEL_INTERNAL)
		}
	}()
	if configuration == nil {
		return fail("the configuration is NULL", C.CAROUSEL_USAGE)
	}
	n, err := open([]byte(C.GoString(configuration)))
	if err != nil {
		return fail(err, C.CAROUSEL_USAGE)
	}
	handles.Lock()
	defer handles.Unlock()
	handles.next++
	handles.networks[handles.next] = n
	return C.carousel_network(handles.next)
}

//export carousel_close
func carousel_close(handle C.carousel_network) C.int64_t {
	n := find(handle)
	if n == nil {
		return C.CAROUSEL_HANDLE
	}
	handles.Lock()
	delete(handles.networks, int64(handle))
	handles.Unlock()
	n.wait()
	noc.Close(n.Network)
	return 0
}

//export carousel_nodes
func carousel_nodes(handle C.carousel_network) C.int64_t {
	return call(handle, func(n *network) (int64, error) { return int64(n.Nodes()), nil })
}

//export carousel_now
func carousel_now(handle C.carousel_network) C.int64_t {
	return call(handle, func(n *network) (int64, error) { return int64(n.Now()), nil })
}

//export carousel_next
func carousel_next(handle C.carousel_network) C.int64_t {
	return call(handle, func(n *network) (int64, error) { return int64(min(n.next(), math.MaxInt64)), nil })
}

//export carousel_in_order
func carousel_in_order(handle C.carousel_network) C.int64_t {
	return call(handle, func(n *network) (int64, error) {
		if n.inOrder {
			return 1, nil
		}
		return 0, nil
	})
}

//export carousel_limit_sink
func carousel_limit_sink(handle C.carousel_network, node C.uint32_t, class C.uint8_t, places C.uint32_t) C.int64_t {
	return call(handle, func(n *network) (int64, error) { return 0, n.limitSink(uint32(node), uint8(class), uint32(places)) })
}

//export carousel_free_sink
func carousel_free_sink(handle C.carousel_network, node C.uint32_t, class C.uint8_t) C.int64_t {
	return call(handle, func(n *network) (int64, error) { return 0, n.freeSink(uint32(node), uint8(class)) })
}

//export carousel_reset_sums
func carousel_reset_sums(handle C.carousel_network) C.int64_t {
	return call(handle, func(n *network) (int64, error) { n.mark.Set(n); return 0, nil })
}

// packetOf reads a packet of the caller. Its destinations stay the caller's.
func packetOf(p *C.carousel_packet) packet {
	var to []uint32
	if p.destinations != nil {
		to = unsafe.Slice((*uint32)(unsafe.Pointer(p.destinations)), int(p.count))
	}
	return packet{cycle: noc.Cycle(p.cycle), source: uint32(p.source), tag: uint32(p.tag), phits: uint16(p.phits),
		class: uint8(p.class_), unused: uint8(p.unused), destinations: to}
}

// packetsOf checks all packets of a call before any of them is offered.
func packetsOf(n *network, packets *C.carousel_packet, count C.size_t, sorted bool) ([]C.carousel_packet, error) {
	if count == 0 {
		return nil, nil
	}
	if packets == nil {
		return nil, fmt.Errorf("packets is NULL, but count is %d", count)
	}
	if err := checkCount(uint64(count), unsafe.Sizeof(*packets)); err != nil {
		return nil, err
	}
	list := unsafe.Slice(packets, int(count))
	before := n.Now()
	for i := range list {
		p := packetOf(&list[i])
		if err := n.check(i, &p); err != nil {
			return nil, err
		}
		if sorted && p.cycle < before {
			return nil, fmt.Errorf("packet %d: cycle is %d; packets are sorted by cycle, and none is before cycle %d", i, p.cycle, before)
		}
		if sorted {
			before = p.cycle
		}
	}
	return list, nil
}

//export carousel_offer
func carousel_offer(handle C.carousel_network, packets *C.carousel_packet, count C.size_t, accepted *C.uint8_t) C.int64_t {
	return call(handle, func(n *network) (int64, error) {
		list, err := packetsOf(n, packets, count, false)
		if err != nil {
			return 0, err
		}
		var taken []C.uint8_t
		if accepted != nil {
			taken = unsafe.Slice(accepted, int(count))
			clear(taken)
		}
		total := int64(0)
		for i := range list {
			p := packetOf(&list[i])
			if k := n.header(&p); !n.offer(k) {
				n.pending.drop(k.Tag)
				continue
			}
			if total++; taken != nil {
				taken[i] = 1
			}
		}
		return total, nil
	})
}

//export carousel_step
func carousel_step(handle C.carousel_network, until C.uint64_t) C.int64_t {
	return call(handle, func(n *network) (int64, error) {
		if err := checkUntil(uint64(until)); err != nil {
			return 0, err
		}
		return int64(n.step(noc.Cycle(until))), nil
	})
}

//export carousel_start
func carousel_start(handle C.carousel_network, until C.uint64_t) C.int64_t {
	return call(handle, func(n *network) (int64, error) {
		if err := checkUntil(uint64(until)); err != nil {
			return 0, err
		}
		n.start(noc.Cycle(until))
		return 0, nil
	})
}

//export carousel_done
func carousel_done(handle C.carousel_network) C.int64_t {
	n := find(handle)
	if n == nil {
		return C.CAROUSEL_HANDLE
	}
	if n.running == nil {
		return 1
	}
	select {
	case <-n.running:
		return 1
	default:
		return 0
	}
}

//export carousel_run
func carousel_run(handle C.carousel_network, packets *C.carousel_packet, count C.size_t, until C.uint64_t) C.int64_t {
	return call(handle, func(n *network) (int64, error) {
		list, err := packetsOf(n, packets, count, true)
		if err == nil {
			err = checkUntil(uint64(until))
		}
		if err != nil {
			return 0, err
		}
		if len(list) > 0 && list[len(list)-1].cycle >= until {
			return 0, fmt.Errorf("packet %d: cycle is %d; run ends before cycle %d", len(list)-1, list[len(list)-1].cycle, until)
		}
		at := 0
		var p packet
		n.run(func() (*packet, bool) {
			if at == len(list) {
				return nil, false
			}
			p = packetOf(&list[at])
			at++
			return &p, true
		}, noc.Cycle(until))
		return int64(n.Now()), nil
	})
}

//export carousel_deliveries
func carousel_deliveries(handle C.carousel_network, into *C.carousel_delivery, capacity C.size_t) C.int64_t {
	return call(handle, func(n *network) (int64, error) {
		count, err := n.ready(into == nil, uint64(capacity))
		if count == 0 || err != nil {
			return 0, err
		}
		list := unsafe.Slice(into, count)
		for i := range count {
			d := n.arrived.Pop()
			list[i] = C.carousel_delivery{offered: C.uint64_t(d.Offered), injected: C.uint64_t(d.Injected), arrived: C.uint64_t(d.Arrived),
				tag: C.uint32_t(n.pending.take(&d)), source: C.uint32_t(d.Src), node: C.uint32_t(d.At), hops: C.uint16_t(d.Hops), class_: C.uint8_t(d.Class)}
		}
		return int64(count), nil
	})
}

//export carousel_pending
func carousel_pending(handle C.carousel_network, into *C.carousel_owed, capacity C.size_t) C.int64_t {
	return call(handle, func(n *network) (int64, error) {
		if into == nil && capacity > 0 {
			return 0, fmt.Errorf("into is NULL, but capacity is %d", uint64(capacity))
		}
		at, list := 0, unsafe.Slice(into, int(min(uint64(capacity), uint64(n.pending.count))))
		if len(list) > 0 {
			n.pending.each(func(k *pendingPacket, to noc.NodeID) bool {
				list[at] = C.carousel_owed{offered: C.uint64_t(k.offered), tag: C.uint32_t(k.Tag), source: C.uint32_t(k.Src),
					node: C.uint32_t(to), phits: C.uint16_t(k.Phits), class_: C.uint8_t(k.Class)}
				at++
				return at < len(list)
			})
		}
		return int64(n.pending.count), nil
	})
}

//export carousel_sums
func carousel_sums(handle C.carousel_network, into *C.carousel_totals) C.int64_t {
	return call(handle, func(n *network) (int64, error) {
		if into == nil {
			return 0, fmt.Errorf("totals is NULL; pass a pointer")
		}
		e, err := n.energy()
		if err != nil {
			return 0, err
		}
		t := n.mark.Totals(n)
		*into = C.carousel_totals{cycles: C.uint64_t(n.Now() - n.mark.Start), offered: C.uint64_t(t.Offered), injected: C.uint64_t(t.Injected),
			delivered: C.uint64_t(t.Delivered), phits: C.uint64_t(t.Phits), phit_hops: C.uint64_t(t.PhitHops), buffered: C.uint64_t(t.Buffered),
			owed: C.uint64_t(n.InFlight()), waiting: C.uint64_t(n.lines.Len()), dynamic_joules: C.double(e.Dynamic), static_joules: C.double(e.Static)}
		return 0, nil
	})
}

//export carousel_report
func carousel_report(handle C.carousel_network, into *C.char, capacity C.size_t) C.int64_t {
	return call(handle, func(n *network) (int64, error) {
		text, err := n.report()
		return put(text, into, capacity), err
	})
}

//export carousel_explain
func carousel_explain(handle C.carousel_network, into *C.char, capacity C.size_t) C.int64_t {
	return call(handle, func(n *network) (int64, error) { return put(n.explain(), into, capacity), nil })
}

//export carousel_error
func carousel_error(handle C.carousel_network, into *C.char, capacity C.size_t) C.int64_t {
	if handle == 0 {
		handles.RLock()
		defer handles.RUnlock()
		return C.int64_t(put(handles.failure, into, capacity))
	}
	n := find(handle)
	if n == nil {
		return C.CAROUSEL_HANDLE
	}
	return C.int64_t(put(n.failure, into, capacity))
}
