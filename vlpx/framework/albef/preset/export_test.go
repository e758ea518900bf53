package preset

var (
	Answering = answering
	Reasoning = reasoning
)
