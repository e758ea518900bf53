// Package annotated opens folders of pictures with what benchmarks' own files say of them: VQA v2's questions, NLVR2's statements about two
// pictures, NoCaps' captions and domains. Packages vqa, nlvr and cococaptions read the files; here they meet the pictures.
//
// A picture lies where the benchmark's own archives put it, there below images/, or in images/ itself. What is not there is left out and
// told.
package annotated
