package figures

import (
	"io"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
)

// pdf writes the scene as a document of one page, which holds those letters of the font that it uses. The same
// scene always gives the same file.
func (s *scene) pdf(w io.Writer) error {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: s.width * perPoint, Ht: s.height * perPoint}})
	never := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	doc.SetCreationDate(never)
	doc.SetModificationDate(never)
	doc.SetCatalogSort(true)
	doc.SetAutoPageBreak(false, 0)
	doc.SetTitle(s.title, true)
	doc.AddUTF8FontFromBytes("sans", "", liberationsansregular.TTF)
	doc.AddPage()
	for i := range s.shapes {
		s.shapes[i].pdf(doc)
	}
	return doc.Output(w)
}

// pdf draws one shape.
func (s *shape) pdf(doc *fpdf.Fpdf) {
	c := ink(s.role)
	r, g, b := int(c.R), int(c.G), int(c.B)
	doc.SetFillColor(r, g, b)
	doc.SetDrawColor(r, g, b)
	doc.SetTextColor(r, g, b)
	for _, ring := range s.rings {
		at := xy{ring[0].x * perPoint, ring[0].y * perPoint}
		switch s.kind {
		case area:
			points := make([]fpdf.PointType, len(ring))
			for i, p := range ring {
				points[i] = fpdf.PointType{X: p.x * perPoint, Y: p.y * perPoint}
			}
			doc.Polygon(points, "F")
		case line:
			pattern := []float64{}
			for _, d := range dashes[s.dash%len(dashes)] {
				pattern = append(pattern, d*perPoint)
			}
			doc.SetDashPattern(pattern, 0)
			doc.SetLineWidth(s.size * perPoint)
			doc.MoveTo(at.x, at.y)
			for _, p := range ring[1:] {
				doc.LineTo(p.x*perPoint, p.y*perPoint)
			}
			doc.DrawPath("D")
		case disc:
			how := "F"
			if s.open {
				how = "FD"
				doc.SetFillColor(255, 255, 255)
				doc.SetDashPattern(nil, 0)
				doc.SetLineWidth(1.6 * perPoint)
			}
			doc.Circle(at.x, at.y, s.size*perPoint, how)
		case words:
			doc.SetFont("sans", "", s.size*perPoint)
			doc.Text(at.x-s.align*doc.GetStringWidth(s.text), at.y, s.text)
		}
	}
}
