package paper

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/plans"
)

// The papers as the tables name them.
const (
	mrr  = "Abad, Puente, Gregorio: MRR: Enabling Fully Adaptive Multicast Routing for CMP Interconnection Networks"
	atbm = "Varavithya, Mohapatra: Asynchronous Tree-Based Multicasting in Wormhole-Switched MINs"
	ocms = "Bouchitté, Cohen, Fleury: Optimal Deadlock-free Path-based Multicast Algorithms in Meshes"
	qg   = "Al-Dubai, Ould-Khaoua, Mackenzie: Trade-Offs between Latency, Complexity, and Load Balancing with Multicast Algorithms"
	now  = "Libeskind-Hadas, Mazzoni, Rajagopalan: Optimal Contention-Free Unicast-Based Multicasting in Switch-Based Networks of Workstations"
)

// claims are those of all papers, by entry. Their files are part of the program, so that a mistake
// in one is a mistake of the program.
var claims = sync.OnceValue(func() map[string][]claim.Claim {
	all := map[string][]claim.Claim{}
	for _, name := range []string{"mrr", "atbm", "ocms", "qg", "now"} {
		file := name + ".claims.yaml"
		content, err := plans.Files.ReadFile(file)
		if err != nil {
			panic(err)
		}
		of, err := claim.Read(file, content)
		if err != nil {
			panic(err)
		}
		for entry, list := range of {
			all[entry] = list
		}
	}
	return all
})

// Entries returns the entries of all papers, in their order.
func Entries() []claim.Entry {
	list := slices.Concat(mrrEntries(), atbmEntries(), ocmsEntries(), qgEntries(), nowEntries())
	for i := range list {
		list[i].Claims = claims()[list[i].ID]
	}
	return list
}

// Lookup finds an entry by its identifier.
func Lookup(id string) (claim.Entry, error) {
	var ids []string
	for _, e := range Entries() {
		if e.ID == id {
			return e, nil
		}
		ids = append(ids, e.ID)
	}
	return claim.Entry{}, fmt.Errorf("unknown figure or table %q; choose from %s", id, strings.Join(ids, ", "))
}
