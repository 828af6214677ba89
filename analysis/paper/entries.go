package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carousel-sim/carousel/analysis/paper/atbm"
	"github.com/carousel-sim/carousel/analysis/paper/claim"
	"github.com/carousel-sim/carousel/analysis/paper/mrr"
	"github.com/carousel-sim/carousel/analysis/paper/now"
	"github.com/carousel-sim/carousel/analysis/paper/ocms"
	"github.com/carousel-sim/carousel/analysis/paper/qg"
)

// Entries returns the entries of all papers, in their order.
func Entries() []claim.Entry {
	var list []claim.Entry
	for _, entry := range slices.Concat(mrr.Entries, atbm.Entries, ocms.Entries, qg.Entries, now.Entries) {
		list = append(list, entry())
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
	return claim.Entry{}, fmt.Errorf("no figure or table is called %q; there are %s", id, strings.Join(ids, ", "))
}
