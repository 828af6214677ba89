#!/bin/sh
# Compiles the kernels and records them: record.sh CAROUSEL FOLDER. The recordings beside this script were made so, with
# gcc 12.2 and QEMU 7.2. Recordings of programs of several threads do not repeat record by record.
set -e
carousel=$(realpath "$1") folder=$(realpath "$2")
sources=$(realpath "$(dirname "$0")")
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
for source in "$sources"/*.c; do
	gcc -O2 -pthread -Wl,-z,now -o "$built/$(basename "$source" .c)" "$source"
done
cd "$built"

# record NAME TURN KERNEL ARGUMENT...
record() {
	name=$1 turn=$2 kernel=$3
	shift 3
	"$carousel" trace record --markers --no-fetches --small --turn "$turn" --cpu qemu64 --name "$name" -o "$folder/$name.trace" -- "./$kernel" "$@" >&2
}

for passes in 2 6; do
	record chase-$passes 1000 chase $passes
	record stream-$passes 1000 stream $passes
done
for threads in 2 4 8 16; do
	record pingpong-$threads-short 100 pingpong $threads $((100 / threads))
	record pingpong-$threads-long 100 pingpong $threads $((300 / threads))
	record mutex-$threads 100 lock mutex $threads $((400 / threads))
	record spin-$threads 100 lock spin $threads $((400 / threads))
	record barrier-$threads-10 1000 barrier $threads 10
	record barrier-$threads-30 1000 barrier $threads 30
done
for turn in 10 100 1000; do
	record sharing-8-turn-$turn $turn sharing 2 5000 8
	record increments-turn-$turn $turn queue 4 400 0
done
record sharing-128 100 sharing 2 5000 128
record readonly-8 1000 readonly 16 16 8
record readonly-64 1000 readonly 16 16 64
record queue-turn-1000 1000 queue 16 400 40
record streams 1000 streams 3
