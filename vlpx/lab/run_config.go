package lab

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// Config is the run as a file that -config reads: the method, and the flags of vlpx train by their names, in YAML.
func (p *RunPage) Config() ([]byte, error) {
	if p.Scale == "" || p.Method == "" {
		return nil, fmt.Errorf("run %s is of an older version and does not say its scale and method; make it again", run.Short(p.ID))
	}
	var file bytes.Buffer
	fmt.Fprintf(&file, "# Run %s. vlpx train -config FILE makes it again; flags win over the file.\n", p.ID)
	set, data := yaml.Node{Kind: yaml.MappingNode}, p.Data
	if p.scenes {
		data = "scenes"
	}
	all := yaml.Node{Kind: yaml.MappingNode}
	add := func(to *yaml.Node, key string, value any) error {
		var k, v yaml.Node
		if err := k.Encode(key); err != nil {
			return err
		}
		if err := v.Encode(value); err != nil {
			return err
		}
		to.Content = append(to.Content, &k, &v)
		return nil
	}
	for _, assignment := range p.Set {
		key, value, _ := strings.Cut(assignment, "=")
		if _, err := scale.FindSetting(key); err != nil { // of a file, which only the flag has
			fmt.Fprintf(&file, "# It had %s, too, which is a flag's.\n", assignment)
			continue
		}
		if err := add(&set, key, value); err != nil {
			return nil, err
		}
	}
	for _, of := range []struct {
		key   string
		value any
	}{{"method", p.Method}, {"scale", p.Scale}, {"data", data}, {"seeds", []uint64{p.Seed}}} {
		if err := add(&all, of.key, of.value); err != nil {
			return nil, err
		}
	}
	if len(set.Content) > 0 {
		var key yaml.Node
		if err := key.Encode("set"); err != nil {
			return nil, err
		}
		all.Content = append(all.Content, &key, &set)
	}
	text, err := yaml.Marshal(&all)
	file.Write(text)
	return file.Bytes(), err
}
