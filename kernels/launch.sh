#!/bin/sh
# launch.sh CHECKOUT CONNECTION_FILE LINKER_FLAGS GO_FOLDER: starts GoNB so that a cell imports vlpx from the checkout above
# the notebook, or, where there is none, from that in which Jupyter was started ($VLPX_CHECKOUT), or, where that is none, from
# CHECKOUT, which installed this kernel.
set -eu
refuse() {
	echo "vlpx kernel: $1" >&2
	exit 1
}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
is_checkout() { grep -qx 'module vlpx.internal' "$1/go.mod" 2>/dev/null; }
root=$PWD
until [ "$root" = / ] || is_checkout "$root"; do
	root=$(dirname -- "$root")
done
if [ "$root" = / ]; then
	root=$1
	[ -z "${VLPX_CHECKOUT:-}" ] || ! is_checkout "$VLPX_CHECKOUT" || root=$VLPX_CHECKOUT
fi
[ -f "$root/go.mod" ] || refuse "the checkout $root, which installed it, is gone; run vlpx notebook -install in another one"
case $root in
*,*) refuse "the checkout $root has a comma in its path, which GoNB takes for the end of it; move it" ;;
esac
[ "$root" = "$1" ] || echo "vlpx kernel: cells import vlpx from $root; the kernel was installed from $1" >&2
# The folder of go comes last: it serves a Jupyter that was started from a desktop, whose PATH may lack it.
PATH=$PATH:$4
VLPX_GO=$(command -v go) || refuse "there is no go in $PATH"
export VLPX_GO PATH="$here/bin:$PATH"
# A cell is linked anew each time it runs, so linking decides what it costs. GoNB makes a workspace, which takes no -mod.
flags=$(go env GOFLAGS | sed "s/-mod=[^ ']*//g")
export GOFLAGS="$flags '-ldflags=$3'"
unset GOWORK
# A cell is built outside of the checkout, which its results shall name.
VLPX_COMMIT=$(git -C "$root" describe --always --abbrev=12 --exclude='*' --dirty=+changes 2>/dev/null || :)
export VLPX_COMMIT
export VLPX_CHECKOUT="$root"
# GoNB calls go get before each cell, which would ask the network about modules that are all here, as installing fetched
# them. A notebook that needs another module says so in a cell: %env GOPROXY=...
export GOPROXY=off
# Jupyter and GoNB end what they started unless they are killed themselves; then this does. The proxy leads the process group in
# which GoNB and its cell run; a cell that was told to stop has ten seconds to keep what it wants to keep.
kernel=$$
jupyter=${JPY_PARENT_PID:-$kernel}
kill -0 "$jupyter" 2>/dev/null || jupyter=$kernel # another user's
(
	cd /
	while kill -0 "$kernel" && kill -0 "$jupyter"; do sleep 2; done
	kill "$kernel" || :
	sleep 10
	kill -s KILL -- "-$kernel"
) </dev/null >/dev/null 2>&1 &
# JupyterLab waits one second for completions: gopls reads vlpx before it is asked, unless nobody will ask.
warm=vlpx.internal/vlpx
[ -z "${VLPX_UNATTENDED:-}" ] || warm=
# GoNB's log is of no use to whoever reads the notebook; what ends it is still told.
exec "$here/bin/proxy" "$2" "$here/bin/gonb" -go_work="$root" -warm="$warm" -raw_error=true -logtostderr=false -stderrthreshold=FATAL
