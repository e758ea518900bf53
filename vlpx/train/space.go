package train

import (
	"github.com/gomlx/compute"

	"vlpx.internal/vlpx/framework"
)

// Space is about how many bytes a training of this configuration on so many pairs keeps on disk: its checkpoint, and the best epoch's
// model where one is selected. Embeddings that mini-batches are chosen by are counted of all pairs, which is the most that a sampler keeps.
// Curves are not counted. The backend only lends its graph builder.
func (c Config) Space(backend compute.Backend, pairs int) (int64, error) {
	c.Chunk = 0
	c.Devices = 0 // each has all variables, and the first one's are kept
	o, store, err := c.Outline(backend, pairs, c.BatchSize)
	if err != nil {
		return 0, err
	}
	defer store.Finalize()
	defer o.Close()
	const name = 128 // about what a file's header says of a variable
	var bytes int64
	for v := range store.IterVariables() {
		size := int64(v.Shape().ByteSize()) + name
		if !passing(v) {
			bytes += size
		}
		if c.Select != "" && below(v, framework.Model, framework.State) {
			bytes += size
		}
	}
	if c.Method.Embeds() {
		const sides, float = 2, 4
		bytes += int64(pairs) * sides * float * int64(framework.Dim(c.Framework.Framework))
	}
	return bytes, nil
}
