package tables_test

import (
	"os"

	"vlpx.internal/tables"
)

func ExampleTable_Text() {
	retrieval().Text(os.Stdout, tables.Terminal{Width: 120})
	// Output:
	// Table 1: heuristic negative mining
	//                                  Text Retrieval (%)            Image Retrieval (%)
	//                             ────────────────────────────  ────────────────────────────
	// method                         R@1       R@5      R@10       R@1       R@5      R@10
	// ──────────────────────────────────────────────────────────────────────────────────────
	// ALBEF           paper       55.6      81.8      89.6      41.2      69.9      80.3
	//                 here (n=3)   7.7±0.6  20.1±0.9  36.4±0.4   5.1±0.2  18.7±1.2  30.9±0.7
	// GRIT-VLP        paper       60.9      83.8      90.9      44.6      72.0      81.9
	//   2 of 3 seeds  here (n=2)   9.2±0.5  23.2±0.7     –         –         –         –
	// FALCON          paper       62.6         –         –         –         –         –
	//   not yet
	// ──────────────────────────────────────────────────────────────────────────────────────
	// scale mini, scenes, go:ops_sequential
}

func ExampleTable_Markdown() {
	retrieval().Markdown(os.Stdout)
	// Output:
	// **Table 1: heuristic negative mining**
	//
	// | method |  | Text Retrieval (%) R@1 | Text Retrieval (%) R@5 | Text Retrieval (%) R@10 | Image Retrieval (%) R@1 | Image Retrieval (%) R@5 | Image Retrieval (%) R@10 |
	// | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
	// | ALBEF | paper | 55.6 | 81.8 | 89.6 | 41.2 | 69.9 | 80.3 |
	// |  | here (n=3) | 7.7 ±0.6 | 20.1 ±0.9 | 36.4 ±0.4 | 5.1 ±0.2 | 18.7 ±1.2 | 30.9 ±0.7 |
	// | GRIT-VLP *(2 of 3 seeds)* | paper | 60.9 | **83.8** | **90.9** | **44.6** | **72.0** | **81.9** |
	// |  | here (n=2) | **9.2** ±0.5 | **23.2** ±0.7 | – | – | – | – |
	// | FALCON *(not yet)* | paper | **62.6** | – | – | – | – | – |
	//
	// scale mini, scenes, go:ops\_sequential
}
