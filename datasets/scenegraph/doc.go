// Package scenegraph holds what a caption says as a graph: the objects that it mentions, their attributes, and the relations between
// them, each with its place among the caption's words. SPICE (Anderson et al., 2016) scores captions by such graphs, TAGS (METHODS.md 12.1)
// masks their phrases, and VSE-C (Shi et al., 2018) edits them into captions that are almost right.
//
// [Parse] makes a graph of an English caption by rules; [ReadTSV] and [ReadCSV] read the graphs that people or other parsers made;
// [Compare] scores one against another, and [Vocabulary.Edits] edits a caption by its graph. The names in a graph follow FACTUAL
// (Li et al., 2023): "( man , sit on , bench ) , ( bench , is , green )", numbers in digits, and a whole has its parts: "( bear , have ,
// leg )".
//
// It knows strings only, and imports of this module package text, whose words its positions count.
package scenegraph
