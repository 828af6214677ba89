// Command libcarousel is Carousel's networks as a library for C, and for every language that calls
// C:
//
//	go build -buildmode=c-shared -o libcarousel.so ./cmd/libcarousel
//	cc -o client client.c -I cmd/libcarousel ./libcarousel.so
//
// So a simulator of something else (cores, memory, a whole system) can use the routers of this
// module. carousel.h is the interface, with the rules of ownership and threads, and carousel.py
// the same for Python; testdata has clients.
//
// library.go has the one type, network, without C; export.go puts it behind the functions of
// carousel.h. No panic crosses the border: it becomes an error code, and the network can only be
// closed after it.
package main

func main() {}
