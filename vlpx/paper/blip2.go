package paper

func OnBLIP2(x ...string) []Column { return nil }
