package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// K8sSettings are what can be told of Kubernetes.
func K8sSettings() []Setting {
	return []Setting{
		{"image", "the container image, which has vlpx", false},
		{"claim", "the PersistentVolumeClaim, ReadWriteMany, on which the store lies", false},
		{"mount", "where the claim is mounted (default the store's place here)", false},
		{"program", "vlpx in the image (default vlpx)", false},
		{"namespace", "the namespace", false},
		{"name", "what the job is called (default after the artifact)", false},
		{"cpus_per_task", "processors of a task", true},
		{"mem_gb", "memory of a task, in gigabytes", true},
		{"gpus_per_node", "GPUs of a task, as nvidia.com/gpu", true},
		{"array_parallelism", "tasks at once (default all of the lowest level)", true},
		{"env", "a variable of the worker's environment, NAME=VALUE; may be repeated", false},
	}
}

// Kubernetes is an Indexed Job. It is only described: nothing talks to a cluster.
type Kubernetes struct {
	settings map[string]string
	env      [][2]string
}

// NewKubernetes is an Indexed Job with settings, "key=value" (see [K8sSettings]).
func NewKubernetes(set []string) (*Kubernetes, error) {
	all, err := parseSettings(K8sSettings(), set, nil)
	if err != nil {
		return nil, fmt.Errorf("k8s: %w", err)
	}
	k := &Kubernetes{settings: map[string]string{}}
	for _, a := range all {
		if a.key != "env" {
			k.settings[a.key] = a.value
			continue
		}
		name, value, ok := strings.Cut(a.value, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("k8s: setting env=%s: write it as env=NAME=VALUE", a.value)
		}
		k.env = append(k.env, [2]string{name, value})
	}
	for _, key := range []string{"image", "claim"} {
		if k.settings[key] == "" {
			for _, s := range K8sSettings() {
				if s.Key == key {
					return nil, fmt.Errorf("k8s: setting %s is missing: %s", key, s.What)
				}
			}
		}
	}
	if mount := k.settings["mount"]; mount != "" && !path.IsAbs(mount) {
		return nil, fmt.Errorf("k8s: setting mount=%s: write the whole path", mount)
	}
	return k, nil
}

// object is a mapping of YAML, in the order in which it is written.
type object []entry

type entry struct {
	key   string
	value any
}

// MarshalYAML has the entries in their order.
func (o object) MarshalYAML() (any, error) {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for _, e := range o {
		key, value := new(yaml.Node), new(yaml.Node)
		if err := key.Encode(e.key); err != nil {
			return nil, err
		}
		if err := value.Encode(e.value); err != nil {
			return nil, err
		}
		node.Content = append(node.Content, key, value)
	}
	return node, nil
}

// YAML is the job: an index a task, all of which start the worker. Kubernetes starts those of low indices first, which are those of low
// levels; a worker whose needs are missing waits for who is at them, or makes them. A task that exits with [Again] does not count as
// failed.
func (k *Kubernetes) YAML(s *Sweep, w Worker) (string, error) {
	if w.Args == nil {
		return "", fmt.Errorf("k8s: what is one's own is known to this program alone, and the image has vlpx; sweep over it by " +
			"local or slurm")
	}
	mount := filepath.ToSlash(s.Home)
	if other := k.settings["mount"]; other != "" {
		mount = other
	}
	program := "vlpx"
	if other := k.settings["program"]; other != "" {
		program = other
	}
	name := s.Name
	if own := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(k.settings["name"]), "-"), "-"); own != "" {
		name = own
	}
	lowest := 0
	for _, t := range s.Tasks {
		if t.Level == 0 {
			lowest++
		}
	}
	command := append([]string{program}, w.Args...)
	command = append(command, path.Join(mount, sweepsName, s.Name, planName))
	env := []object{{{"name", "VLPX_HOME"}, {"value", mount}}}
	for _, variable := range k.env {
		env = append(env, object{{"name", variable[0]}, {"value", variable[1]}})
	}
	resources := object{}
	for _, r := range []struct{ key, name, unit string }{{"cpus_per_task", "cpu", ""}, {"mem_gb", "memory", "G"},
		{"gpus_per_node", "nvidia.com/gpu", ""}} {
		if amount := k.settings[r.key]; amount != "" {
			resources = append(resources, entry{r.name, amount + r.unit})
		}
	}
	container := object{
		{"name", "worker"}, {"image", k.settings["image"]}, {"command", command}, {"env", env},
		{"volumeMounts", []object{{{"name", "store"}, {"mountPath", mount}}}},
	}
	if len(resources) > 0 {
		container = append(container, entry{"resources", object{{"requests", resources}, {"limits", resources}}})
	}
	metadata := object{{"name", name}}
	if namespace := k.settings["namespace"]; namespace != "" {
		metadata = append(metadata, entry{"namespace", namespace})
	}
	parallel := lowest
	if n, err := strconv.Atoi(k.settings["array_parallelism"]); err == nil {
		parallel = n
	}
	onExit := func(action, operator string, codes ...int) object {
		return object{{"action", action}, {"onExitCodes", object{{"containerName", "worker"}, {"operator", operator}, {"values", codes}}}}
	}
	job := object{
		{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", metadata},
		{"spec", object{
			{"completionMode", "Indexed"}, {"completions", len(s.Tasks)}, {"parallelism", parallel}, {"backoffLimitPerIndex", retries},
			{"podFailurePolicy", object{{"rules", []object{
				onExit("Ignore", "In", Again),
				onExit("FailIndex", "In", 1), // by an error of its own, which it would meet again
				{{"action", "Ignore"}, {"onPodConditions", []object{{{"type", "DisruptionTarget"}, {"status", "True"}}}}},
			}}}},
			{"template", object{{"spec", object{
				{"restartPolicy", "Never"}, {"terminationGracePeriodSeconds", 120}, {"containers", []object{container}},
				{"volumes", []object{{{"name", "store"}, {"persistentVolumeClaim", object{{"claimName", k.settings["claim"]}}}}}},
			}}}},
		}},
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(job), e.Close()); err != nil {
		return "", fmt.Errorf("k8s: %w", err)
	}
	return out.String(), nil
}
