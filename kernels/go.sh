#!/bin/sh
# go ARGUMENT...: the go command, which launch.sh found at $VLPX_GO. GoNB finds this one instead, because a "go get" that
# lacks a module complains of it for each package that leads there: this tells in one line what is missing and what to do.
case "$*" in
get | "get -t") ;;
*) exec "$VLPX_GO" "$@" ;;
esac
complaint=$("$VLPX_GO" "$@" 2>&1) && exit
status=$?
# The names that a pattern finds in the complaint: the first three, and how many more there are.
named() {
	printf '%s\n' "$complaint" | sed -n "s/$1/\\1/p" | sort -u |
		awk 'NR <= 3 { printf "%s%s", (NR > 1 ? ", " : ""), $0 } END { if (NR > 3) printf " and %d more", NR - 3 }'
}
modules=$(named '.* \([^ ]*@[^ ]*\): module lookup disabled by GOPROXY=off.*')
packages=$(named '.*cannot find module providing package \([^ :]*\).*')
if [ -n "$modules" ]; then
	echo "cells need modules that are not on this machine: $modules; vlpx notebook -install fetches them"
elif [ -n "$packages" ]; then
	echo "no module here has the package $packages; if the network has it, set %env GOPROXY= to your module proxy in a cell before"
else
	printf '%s\n' "$complaint" | tail -n 8
fi
exit "$status"
