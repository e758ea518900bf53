package negative

// Entry is a method by its name. It stands in the file of the part that makes the method, and Methods lists it.
type Entry struct {
	Name    string
	Aliases []string // further names
	Source  string   // the paper, and the section of METHODS.md
	What    string   // what it does, in a few words
	// At composes the method at a scale.
	At func(Sizes) Method
	// Reference is the registered method whose run of the same seed is the frozen model that the parts need; empty for none.
	Reference string
	// Tuned says that the fine-tuning for retrieval is part of the method.
	Tuned bool
}

// Methods lists the methods by name: those of FALCON's table 1 in its order, the plain baseline, and those of other papers.
func Methods() []Entry {
	return []Entry{
		albef, gritVLP, diHT, srcl, mafa, easyQuantile, hardQuantile, hardening, softening, falcon, infoNCE, inStream,
		sITC, conD, mafaOracle, albefPlusPlus,
		sogCLR, iSogCLR, fastCLIPv0, fastCLIPv1, fastCLIPv2, fastCLIPv3, gloFND, fnc, sogCLROracle,
		uniter, uniterMLM, tags, tagsDC, tagsByWord, tagsStatic,
		sigLIP, debiased,
	}
}
