#!/bin/sh
# launch.sh CHECKOUT CONNECTION_FILE: starts GoNB so that a cell imports vlpx from the checkout above the notebook, or,
# where there is none, from CHECKOUT, which installed this kernel.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
bin=$(CDPATH='' cd -- "$here/../../../../bin" && pwd)
root=$PWD
until [ "$root" = / ] || grep -qx 'module vlpx.internal' "$root/go.mod" 2>/dev/null; do
	root=$(dirname -- "$root")
done
[ "$root" != / ] || root=$1
# A cell is linked anew each time it runs; without symbol tables that takes half as long.
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-ldflags=-s"
# GoNB calls go get before each cell, which would ask the network about modules that are all here. A notebook that needs
# another module says so in a cell: %env GOPROXY=...
export GOPROXY=off
export PATH="$bin:$PATH"
exec "$bin/gonb" --kernel "$2" -go_work="$root" -raw_error=true
