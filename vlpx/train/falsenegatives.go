package train

// FalseNegatives counts, exactly, the true pairs among the negatives of an epoch whose truth is known.
type FalseNegatives struct {
	Batch       int `json:"batch"`        // negatives within the mini-batches: every other image with every caption
	BatchTrue   int `json:"batch_true"`   // of these, the true pairs
	Hardest     int `json:"hardest"`      // hardest negatives: one image a caption and one caption an image
	HardestTrue int `json:"hardest_true"` // of these, the true pairs
	// Hops are the negatives between neighbours in a mini-batch, both ways. A sampler that goes from one pair to the next has
	// chosen them.
	Hops     int `json:"hops"`
	HopsTrue int `json:"hops_true"` // of these, the true pairs
	// OfImages are those of Hardest whose anchor is the image; the others' is the caption.
	OfImages     int `json:"of_images,omitempty"`
	OfImagesTrue int `json:"of_images_true,omitempty"` // of these, the true pairs
}

// Names of what training counts, among a run's metrics: of its last epoch, where it is known.
const (
	FalseInBatch  = "FN in batch"  // per cent
	FalseHardest  = "FN hardest"   // per cent
	FalseOfImages = "FN of images" // per cent, of the hardest whose anchor is the image
	FalseOfTexts  = "FN of texts"  // per cent, of the hardest whose anchor is the caption
	FalseChosen   = "FN chosen"    // per cent, of neighbours in a mini-batch
)

// count adds a mini-batch of pairs.
//
//   - truth: whether the caption of one pair is true of the image of another, and whether that is known.
func (f *FalseNegatives) count(truth func(image, text int) (holds, known bool), batch []int, hardestImages, hardestTexts []int32) {
	add := func(image, text int, all, holding *int) {
		if holds, known := truth(batch[image], batch[text]); known {
			*all++
			if holds {
				*holding++
			}
		}
	}
	for k := range batch {
		for j := range batch {
			if j != k {
				add(j, k, &f.Batch, &f.BatchTrue)
			}
		}
		add(int(hardestImages[k]), k, &f.Hardest, &f.HardestTrue)
		add(k, int(hardestTexts[k]), &f.Hardest, &f.HardestTrue)
		add(k, int(hardestTexts[k]), &f.OfImages, &f.OfImagesTrue)
		if k > 0 {
			add(k-1, k, &f.Hops, &f.HopsTrue)
			add(k, k-1, &f.Hops, &f.HopsTrue)
		}
	}
}
