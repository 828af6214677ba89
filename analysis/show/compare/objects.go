package compare

import (
	"github.com/carousel-sim/carousel/analysis/show/sheet"
	"github.com/carousel-sim/carousel/analysis/tables"
)

// pick makes a spreadsheet of some fields of objects: full precision, and empty cells for what is
// absent.
func pick(objects []tables.Object, names ...string) *sheet.Sheet {
	s := sheet.New(names...)
	for _, o := range objects {
		s.Rows = append(s.Rows, o.Texts(names))
	}
	return s
}

// internal are columns of the tables that only programs which price energy again need.
var internal = []string{"hardware", "power", "simulation_key"}

// runObjects are the rows of the runs table as documents have them: all columns by their names,
// and the packets by cast and class.
func runObjects(rows *tables.Rows) []tables.Object {
	classes := map[string][]tables.Object{}
	for i := range rows.Classes {
		c := &rows.Classes[i]
		classes[c.RunKey] = append(classes[c.RunKey], tables.Object{{Name: "class", Value: c.Class}, {Name: "unicast", Value: c.Unicast},
			{Name: "multicast", Value: c.Multicast}, {Name: "broadcast", Value: c.Broadcast}, {Name: "local", Value: c.Local}, {Name: "phits", Value: c.Phits}})
	}
	list := []tables.Object{}
	for i := range rows.Runs {
		r := &rows.Runs[i]
		o := tables.Runs.Object(r, internal...)
		var packets any
		if r.PacketsUnicast.Known {
			packets = tables.Object{{Name: "unicast", Value: r.PacketsUnicast.Value}, {Name: "multicast", Value: r.PacketsMulticast.Value},
				{Name: "broadcast", Value: r.PacketsBroadcast.Value}}
		}
		o.Set("packets", packets)
		o.Set("packets_by_class", classes[r.RunKey])
		o.Set("network_energy_j", o.Get("energy_j"))
		o.Set("network_ed2p", o.Get("ed2p_js2"))
		list = append(list, o)
	}
	return list
}

// trafficObjects are the rows of the traffic table as documents have them.
func trafficObjects(rows []tables.Traffic) []tables.Object {
	list := []tables.Object{}
	for i := range rows {
		o := tables.TrafficPoints.Object(&rows[i], internal...)
		if s := rows[i].Saturated; s.Known {
			o.Set("saturated", s.Value == tables.Saturated)
		}
		list = append(list, o)
	}
	return list
}

// Claims are claims as documents have them.
func Claims(claims []tables.Claim) []tables.Object {
	list := []tables.Object{}
	for i := range claims {
		list = append(list, tables.Claims.Object(&claims[i], "entry"))
	}
	return list
}
