package scenegraph

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"vlpx.internal/datasets/content"
)

// Captioned is a caption with the graph that a file has for it.
type Captioned struct {
	Caption string
	Text    string // of the graph, as the file has it
	Graph   Graph  // the same with its places in the caption (see [Align])
}

// ReadFile reads captions with graphs: a .csv of FACTUAL ([ReadCSV]), or else a caption and its graph a line ([ReadTSV]); either may be
// compressed (.gz).
func ReadFile(path string) ([]Captioned, error) {
	file, err := content.Open(path)
	if err != nil {
		return nil, fmt.Errorf("scenegraph: %s: %w; write it anew", path, err)
	}
	defer file.Close()
	if strings.HasSuffix(strings.TrimSuffix(path, ".gz"), ".csv") {
		return ReadCSV(path, file)
	}
	return ReadTSV(path, file)
}

// ReadCSV reads captions with graphs as FACTUAL publishes them: a header that names the columns caption and scene_graph, then a record a
// caption. An error names the file and the line.
func ReadCSV(file string, from io.Reader) ([]Captioned, error) {
	r := content.NewRecords(from)
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("scenegraph: %s: no header: %w", file, err)
	}
	caption, graph := slices.Index(header, "caption"), slices.Index(header, "scene_graph")
	if caption < 0 || graph < 0 {
		return nil, fmt.Errorf("scenegraph: %s:1: the columns are %q; there must be caption and scene_graph", file, header)
	}
	var all []Captioned
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("scenegraph: %s: %w", file, err)
		}
		line, _ := r.FieldPos(graph)
		if all, err = appendCaptioned(all, file, line, record[caption], record[graph]); err != nil {
			return nil, err
		}
	}
}

// ReadTSV reads a caption, a tab and its graph a line, as SPICE's parser writes them. An error names the file and the line.
func ReadTSV(file string, content io.Reader) ([]Captioned, error) {
	var all []Captioned
	lines := bufio.NewScanner(content)
	lines.Buffer(nil, 1<<24)
	line := 0
	for lines.Scan() {
		line++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		caption, graph, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			return nil, fmt.Errorf("scenegraph: %s:%d: %.100q has no tab; put one between the caption and its graph", file, line,
				lines.Text())
		}
		var err error
		if all, err = appendCaptioned(all, file, line, caption, graph); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("scenegraph: %s:%d: %w", file, line+1, err)
	}
	return all, nil
}

// mostCaptions bounds the captions of a file. COCO's are 0.6 million.
const mostCaptions = 1 << 22

func appendCaptioned(all []Captioned, file string, line int, caption, text string) ([]Captioned, error) {
	graph, err := Align(caption, text)
	if err != nil {
		return nil, fmt.Errorf("scenegraph: %s:%d: caption %.100q: %w", file, line, caption, err)
	}
	if len(all) >= mostCaptions {
		return nil, fmt.Errorf("scenegraph: %s:%d: more than %d captions; leave some out", file, line, mostCaptions)
	}
	return append(all, Captioned{caption, text, graph}), nil
}
