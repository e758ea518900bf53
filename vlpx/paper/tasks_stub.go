package paper

func none(trained) ([]Outcome, error) { return nil, nil }

var NLVR2, VQA = Downstream{"NLVR2", none}, Downstream{"VQA", none}

func NLVR2Columns() []Column       { return Accuracies("NLVR2", "NLVR2", "dev", "test-P") }
func VQAColumns() []Column         { return Accuracies("VQA", "VQA", "test-dev", "test-std") }
func OnBLIP2(x ...string) []Column { return nil }
