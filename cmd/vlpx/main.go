// Command vlpx regenerates the tables and figures of five papers on false negatives in vision-language pre-training.
package main

import "vlpx.internal/vlpx"

func main() { vlpx.Main() }
