package run

// Need is a run that another one needs.
type Need struct {
	For string // what it gives, in a few words
	ID  string
}

// Needs are the runs that this one's settings name.
func (d Description) Needs() []Need {
	var all []Need
	add := func(what, id string) {
		if id != "" {
			all = append(all, Need{what, id})
		}
	}
	add("the model that it starts from", d.Run.Train.Init)
	add("the reference model", d.Run.Train.Reference)
	add("the frozen language model", d.Run.Train.Language)
	if d.Run.Locked != nil {
		add("the locked image encoder", d.Run.Locked.Run)
	}
	if d.Run.Data.Added != nil {
		add("the pairs that it mined", d.Run.Data.Added.By)
	}
	return all
}
