package transform

// AutoContrast stretches each channel linearly so that its darkest value becomes 0 and its brightest 255; a channel of one
// value stays (PIL's ImageOps.autocontrast without cut-off).
func (m RGB) AutoContrast() {
	for c := range 3 {
		low, high := uint8(255), uint8(0)
		for i := c; i < len(m.Pix); i += 3 {
			low, high = min(low, m.Pix[i]), max(high, m.Pix[i])
		}
		if high <= low {
			continue
		}
		scale := 255 / float64(high-low)
		offset := -float64(low) * scale
		m.lookUp(c, func(value int) float64 { return float64(float64(value)*scale) + offset })
	}
}

// Equalize maps each channel so that its histogram becomes as flat as it can (PIL's ImageOps.equalize): with step the number
// of pixels below the brightest value over 255, value v becomes (step/2 + pixels darker than v) / step, in whole numbers.
func (m RGB) Equalize() {
	for c := range 3 {
		var histogram [256]int
		brightest := 0
		for i := c; i < len(m.Pix); i += 3 {
			histogram[m.Pix[i]]++
			brightest = max(brightest, int(m.Pix[i]))
		}
		step := (len(m.Pix)/3 - histogram[brightest]) / 255
		if step == 0 {
			continue
		}
		var darker [256]int
		for v := 1; v < 256; v++ {
			darker[v] = darker[v-1] + histogram[v-1]
		}
		m.lookUp(c, func(value int) float64 { return float64((step/2 + darker[value]) / step) })
	}
}

// Brightness multiplies every value by factor: 0 is black, 1 the image.
func (m RGB) Brightness(factor float64) {
	for c := range 3 {
		m.lookUp(c, func(value int) float64 { return float64(value) * factor })
	}
}

// lookUp replaces every value of a channel by that of a table, clipped to [0, 255] and truncated.
func (m RGB) lookUp(channel int, to func(value int) float64) {
	var table [256]uint8
	for v := range table {
		table[v] = uint8(min(max(to(v), 0), 255))
	}
	for i := channel; i < len(m.Pix); i += 3 {
		m.Pix[i] = table[m.Pix[i]]
	}
}

// Sharpness moves the image away from its smoothed self: smooth + factor*(image - smooth), with the 3x3 kernel
// (1 1 1, 1 5 1, 1 1 1)/13. 0 is smooth, 1 the image. The outermost pixels stay, as in PIL.
func (m RGB) Sharpness(factor float64) {
	source, stride := m.clone(), 3*m.Width
	amount := float32(factor)
	for y := 1; y < m.Height-1; y++ {
		above, row, below := source.row(y-1), source.row(y), source.row(y+1)
		out := m.row(y)
		for i := 3; i < stride-3; i++ {
			sum := int(above[i-3]) + int(above[i]) + int(above[i+3]) +
				int(row[i-3]) + 5*int(row[i]) + int(row[i+3]) +
				int(below[i-3]) + int(below[i]) + int(below[i+3])
			smooth := float32((2*sum + 13) / 26) // sum/13 to the nearest
			out[i] = uint8(min(max(smooth+amount*(float32(row[i])-smooth), 0), 255))
		}
	}
}
