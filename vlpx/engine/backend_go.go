package engine

import _ "github.com/gomlx/compute/gobackend" // registers "go"
