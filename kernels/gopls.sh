#!/bin/sh
# gopls ARGUMENT...: the language server that GoNB asks for completions. GoNB killed outright cannot stop it: it ends by
# itself a minute after the last connection.
exec "$0-server" -listen.timeout=1m "$@"
