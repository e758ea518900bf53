package albef

import "vlpx.internal/vlpx/framework"

func init() { framework.Register(Model{}) }
