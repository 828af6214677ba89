module example.com/outside

go 1.26.0

require github.com/carousel-sim/carousel v0.0.0

// In a module of your own, delete this line and take a release: go get github.com/carousel-sim/carousel
replace github.com/carousel-sim/carousel => ../../../..
