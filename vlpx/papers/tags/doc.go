// Package tags has the tables and figures of TAGS-DC (Fan et al., 2022).
package tags

// Title is the title of the paper.
const Title = "TAGS-DC: Negative Sample is Negative in Its Own Way: Tailoring Negative Sentences for Image-Text Retrieval"
