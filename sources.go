// Package sources has the source of the packages that compute what a run gives, as this program was built from it. So a result can tell which
// code made it, wherever the program runs. It imports nothing.
package sources

import "embed"

// Computing has the files, tests among them, by their paths in the module.
//
//go:embed datasets/*.go datasets/annotated/*.go datasets/cifar/*.go datasets/cococaptions/*.go datasets/content/*.go datasets/imagefolder/*.go
//go:embed datasets/karpathy/*.go datasets/layout/*.go datasets/loader/*.go datasets/nlvr/*.go datasets/scenegraph/*.go datasets/scenes/*.go
//go:embed datasets/plainjson/*.go datasets/text/*.go datasets/transform/*.go datasets/vqa/*.go datasets/webdataset/*.go
//go:embed vlpx/encoder/*.go vlpx/eval/*.go vlpx/eval/answer/*.go vlpx/eval/caption/*.go vlpx/evidence/*.go vlpx/field/*.go
//go:embed vlpx/framework/*.go vlpx/framework/albef/*.go vlpx/framework/blip2/*.go vlpx/framework/clip/*.go vlpx/framework/gpt/*.go
//go:embed vlpx/framework/opt/*.go vlpx/framework/simclr/*.go vlpx/framework/uniter/*.go
//go:embed vlpx/generate/*.go vlpx/locked/*.go vlpx/negative/*.go vlpx/objective/*.go vlpx/random/*.go vlpx/regions/*.go vlpx/run/*.go
//go:embed vlpx/scheduler/*.go vlpx/scheduler/*.s vlpx/train/*.go vlpx/weights/*.go
var Computing embed.FS
