#!/bin/sh
# goimports -w FILE: adds the imports that a cell lacks. The tool itself finds a package by whole names only, so that a name of which
# a part is typed is never completed. What is then left with a name of vlpx's packages before a dot is taken for that package, unless
# it is a variable, which the tool knows.
"$0-tool" "$@" || exit
[ -n "${VLPX_CHECKOUT:-}" ] || exit 0
for file do :; done
lacking=
for name in $(grep -v '"vlpx\.internal/' "$file" | tr -cs 'A-Za-z0-9_.' '\n' | sed -n 's/^\([a-z][a-z0-9]*\)\..*/\1/p' | sort -u); do
	for path in "$name" "vlpx/$name" "datasets/$name"; do
		grep -qs "^package $name\$" "$VLPX_CHECKOUT/$path"/*.go || continue
		grep -qE "^(import)?[[:space:]]*([A-Za-z_.]+ )?\"(.*/)?$name\"" "$file" || lacking="$lacking;import \"vlpx.internal/$path\""
		break
	done
done
[ -n "$lacking" ] || exit 0
whole=$(cat "$file"; echo .)
printf '%s' "${whole%.}" | sed "s|^package main\$|&$lacking|" >"$file"
"$0-tool" "$@"
