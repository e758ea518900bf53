// Package framework says what a framework is: a model that declares which fields of a mini-batch it reads, builds the losses of a training
// step from them and a method, and has further abilities that evaluation, samplers and methods ask for. Frameworks live in packages of
// their own below it, and nothing else needs to know one of them. It does not train.
package framework
