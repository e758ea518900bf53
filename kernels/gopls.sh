#!/bin/sh
# gopls ARGUMENT...: the language server that GoNB asks for completions, but not where nobody completes a name. GoNB killed outright cannot
# stop it: it ends by itself a minute after the last connection.
[ -z "${VLPX_UNATTENDED:-}" ] || exit 0
exec "$0-server" -listen.timeout=1m "$@"
