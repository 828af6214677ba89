package chip

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
)

//go:embed prices.csv
var pricesFile []byte

//go:embed caches.csv
var cachesFile []byte

// records are the rows of an embedded file without its header.
func records(file []byte) [][]string {
	reader := csv.NewReader(bytes.NewReader(file))
	reader.Comment = '#'
	rows, err := reader.ReadAll()
	if err != nil {
		panic(fmt.Sprintf("chip: %v", err))
	}
	return rows[1:]
}

// number is a cell of an embedded file; 0 where it is empty.
func number(text string) float64 {
	if text == "" {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(fmt.Sprintf("chip: %v", err))
	}
	return v
}

// quantity names a price: what it is of, at which technology; 0 nm for what does not depend on it.
type quantity struct {
	part, kind string
	nm         int
	name       string
}

var prices = sync.OnceValue(func() map[quantity]float64 {
	list := map[quantity]float64{}
	for _, r := range records(pricesFile) {
		list[quantity{r[0], r[1], int(number(r[2])), r[3]}] = number(r[4])
	}
	return list
})

// price returns a price in the unit of the file.
func price(part, kind string, nm int, name string) float64 {
	v, ok := prices()[quantity{part, kind, nm, name}]
	if !ok {
		panic(fmt.Sprintf("chip: prices.csv has no price of %s %s %s at %d nm", part, kind, name, nm))
	}
	return v
}

// The prices of a cache: of accesses to 64 bits; to 512 bits after the tags; to 512 bits of all
// ways at once.
const (
	WordRead = iota
	WordWrite
	BlockRead
	BlockWrite
	WideRead
	WideWrite
	Tag
	Leakage
	cachePrices
)

// Cache has the prices of one cache, in pJ, and its leakage in mW at 350 K.
type Cache [cachePrices]float64

// associativities are those of the file, in powers of two from 1 on.
const associativities = 5

// size has the caches of one size.
type size struct {
	kb   float64
	ways [associativities]Cache
}

// caches has those of fast cells by technology, the smallest first.
var caches = sync.OnceValue(func() map[int][]size {
	list := map[int][]size{}
	for i, r := range records(cachesFile) {
		nm := int(number(r[0]))
		if i%associativities == 0 {
			list[nm] = append(list[nm], size{kb: number(r[1])})
		}
		s := &list[nm][len(list[nm])-1]
		for q := range s.ways[0] {
			s.ways[i%associativities][q] = number(r[3+q])
		}
	}
	return list
})

// tabledCache interpolates a cache of fast cells at a technology of the file (rule 7).
func tabledCache(nm int, kb float64, ways int) (c Cache) {
	list, across := caches()[nm], min(math.Log2(float64(ways)), associativities-1)
	i := slices.IndexFunc(list, func(s size) bool { return s.kb >= kb })
	if i < 0 {
		i = len(list) - 1
	}
	a, b := &list[max(i, 1)-1], &list[max(i, 1)]
	along := math.Log(kb/a.kb) / math.Log(b.kb/a.kb)
	w := min(max(int(math.Ceil(across)), 1), associativities-1)
	between := func(low, high, at float64) float64 { return low * math.Pow(high/low, at) }
	for q := range c {
		at := func(s *size) float64 { return between(s.ways[w-1][q], s.ways[w][q], across-float64(w-1)) }
		c[q] = between(at(a), at(b), along)
	}
	return c
}

// anchor is the technology of the cache table from which the smaller ones are scaled (rule 8).
const anchor = 45

// Scale has the factors from 22 nm to a smaller technology.
type Scale struct{ Logic, Wire, Leakage float64 }

// ScaleOf returns the factors of a technology below 22 nm.
func ScaleOf(nm int) Scale {
	factor := func(of string) float64 { return price("scale", of, nm, "factor_of_22") }
	return Scale{factor("logic"), factor("wire"), factor("leakage")}
}

// tableOf returns the technology of the tables from which one is priced, and the factors on it. 100
// nm, the technology of Orion 1, is priced as 90 nm.
func tableOf(nm int) (table int, s Scale, err error) {
	s = Scale{1, 1, 1}
	switch nm {
	case 100:
		return 90, s, nil
	case 90, 65, 45, 32, 22:
		return nm, s, nil
	case 16, 7, 5, 3:
		return 22, ScaleOf(nm), nil
	}
	return 0, s, fmt.Errorf("there are no prices of chips at %d nm", nm)
}

// CacheAt returns the prices of a cache. Cells are one of those of Config.
func CacheAt(nm int, kb float64, ways int, cells string) (c Cache, err error) {
	table, s, err := tableOf(nm)
	if err != nil {
		return c, err
	}
	if !slices.Contains(cellTypes(), cells) {
		return c, fmt.Errorf("cells are %q; %q are allowed", cells, cellTypes())
	}
	c = tabledCache(table, kb, ways)
	leakage := c[Leakage] * s.Leakage
	if nm <= 22 {
		c = tabledCache(anchor, kb, ways)
		for q := range c {
			c[q] *= price("scale", "sram", nm, "factor_of_45")
		}
	}
	c[Leakage] = leakage
	if cells != "hp" {
		for q := range c {
			factor := "block_factor"
			switch q {
			case WordRead, WordWrite, Tag:
				factor = "word_factor"
			case Leakage:
				factor = "leakage_factor"
			}
			c[q] *= price("cache", cells, table, factor)
		}
	}
	return c, nil
}

// InstructionAt returns the energy of an instruction of a large core in pJ: with its share of the
// clock, at some instructions per cycle.
func InstructionAt(nm int, perCycle float64) (float64, error) {
	table, s, err := tableOf(nm)
	if err != nil {
		return 0, err
	}
	return s.Logic * (price("core", "large", table, "instruction") + price("core", "large", table, "clock")/perCycle), nil
}
