package paper

import "vlpx.internal/vlpx/scale"

// Scale is package scale's, by the name that notebooks and programs call it.
type Scale = scale.Scale
