// Package all registers the frameworks. What makes plans imports it.
package all

import (
	albef "vlpx.internal/vlpx/framework/albef/preset"
	blip2 "vlpx.internal/vlpx/framework/blip2/preset"
	clip "vlpx.internal/vlpx/framework/clip/preset"
	gpt "vlpx.internal/vlpx/framework/gpt/preset"
	opt "vlpx.internal/vlpx/framework/opt/preset"
	simclr "vlpx.internal/vlpx/framework/simclr/preset"
	uniter "vlpx.internal/vlpx/framework/uniter/preset"
	"vlpx.internal/vlpx/plan"
)

func init() {
	plan.Register(albef.Framework, clip.Framework, blip2.Framework, simclr.Framework, uniter.Framework, gpt.Framework, opt.Framework)
}
