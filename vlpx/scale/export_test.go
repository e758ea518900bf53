package scale

// NoSettings are the fields of a scale that nobody sets, with the setting in whose place they stand.
var NoSettings = noSettings

// Path is where the setting's field stands.
func (x Settable) Path() string { return x.path() }
