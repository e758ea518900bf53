package transform

// Mean and standard deviation of the channels red, green and blue over [0, 1], as CLIP, ALBEF and their successors use them.
var (
	mean      = [3]float32{0.48145466, 0.4578275, 0.40821073}
	deviation = [3]float32{0.26862954, 0.26130258, 0.27577711}
)

// Statistics are the mean and standard deviation of the channels red, green and blue over [0, 1] that Normalise takes.
func Statistics() (means, deviations [3]float32) { return mean, deviation }

// Normalise writes (value/255 - mean) / deviation for every channel with CLIP's statistics.
//
//   - out: [Height, Width, 3], as long as m.Pix.
func Normalise(m RGB, out []float32) {
	var scale, shift [3]float32
	for c := range 3 {
		scale[c] = 1 / (255 * deviation[c])
		shift[c] = mean[c] / deviation[c]
	}
	out = out[:len(m.Pix)]
	for i := 0; i+2 < len(out); i += 3 {
		out[i] = float32(m.Pix[i])*scale[0] - shift[0]
		out[i+1] = float32(m.Pix[i+1])*scale[1] - shift[1]
		out[i+2] = float32(m.Pix[i+2])*scale[2] - shift[2]
	}
}
