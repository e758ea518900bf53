package transform

// Statistics are mean and standard deviation of the channels red, green and blue over [0, 1].
type Statistics struct{ Mean, Deviation [3]float32 }

// The statistics by which published encoders see an image.
var (
	// CLIP's are those of ALBEF and its successors, too.
	CLIP = Statistics{[3]float32{0.48145466, 0.4578275, 0.40821073}, [3]float32{0.26862954, 0.26130258, 0.27577711}}
	// ImageNet's are those of DeiT and of torchvision's networks.
	ImageNet = Statistics{[3]float32{0.485, 0.456, 0.406}, [3]float32{0.229, 0.224, 0.225}}
	// Symmetric brings [0, 1] to [-1, 1], as Google's vision transformers have it.
	Symmetric = Statistics{[3]float32{.5, .5, .5}, [3]float32{.5, .5, .5}}
)

// Normalise writes (value/255 - mean) / deviation for every channel.
//
//   - out: [Height, Width, 3], as long as m.Pix.
func (s Statistics) Normalise(m RGB, out []float32) {
	var scale, shift [3]float32
	for c := range 3 {
		scale[c] = 1 / (255 * s.Deviation[c])
		shift[c] = s.Mean[c] / s.Deviation[c]
	}
	out = out[:len(m.Pix)]
	for i := 0; i+2 < len(out); i += 3 {
		out[i] = float32(m.Pix[i])*scale[0] - shift[0]
		out[i+1] = float32(m.Pix[i+1])*scale[1] - shift[1]
		out[i+2] = float32(m.Pix[i+2])*scale[2] - shift[2]
	}
}
