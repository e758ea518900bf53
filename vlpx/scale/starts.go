package scale

// starts are the checkpoints from which ALBEF starts at a scale: at the papers', its own.
var starts = map[string]First{"paper": {"deit-base", "bert-base"}}

// first are the names of the checkpoints of the image encoder and of the text encoder; empty where weights are drawn.
type First struct{ Vision, Text string }

// Starts is the name of the checkpoint that a part of the model, "vision" or "text", starts from at this scale; empty where its weights are
// drawn.
func (s Scale) Starts(part string) string {
	if part == "vision" {
		return s.StartsOf().Vision
	}
	return s.StartsOf().Text
}

// starts are the checkpoints that runs at the scale start from; none of a framework for which the scale was not made.
func (s Scale) StartsOf() First {
	if s.Framework != "" && s.Framework != Frameworks()[0].Name {
		return First{}
	}
	return starts[s.Name]
}
