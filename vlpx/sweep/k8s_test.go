package sweep

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"vlpx.internal/internal/test/must"
)

// The job is read back as Kubernetes reads it: into the fields of batch/v1's Job and core/v1's PodSpec, strictly, so that a field of
// another name or type is an error, as of kubectl apply --validate=strict.
func TestKubernetes(t *testing.T) {
	k := must.Get(NewKubernetes([]string{"image=registry:5000/vlpx:1", "claim=store", "mount=/mnt/it's: here",
		"gpus_per_node=1", "mem_gb=8",
		"cpus_per_task=2", "env=A=yes", "env=B=x: \"y\" # z",
		"namespace=lab", "name=My Sweep"}))(t)
	s := New("/home/me/store", planned(6))
	text := must.Get(k.YAML(s, Worker{Args: []string{"sweep", "work"}}))(t)
	var job struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   struct{ Name, Namespace string }
		Spec       struct {
			CompletionMode       string `yaml:"completionMode"`
			Completions          int
			Parallelism          int
			BackoffLimitPerIndex int `yaml:"backoffLimitPerIndex"`
			PodFailurePolicy     struct {
				Rules []struct {
					Action      string
					OnExitCodes struct {
						ContainerName string `yaml:"containerName"`
						Operator      string
						Values        []int
					} `yaml:"onExitCodes"`
					OnPodConditions []struct{ Type, Status string } `yaml:"onPodConditions"`
				}
			} `yaml:"podFailurePolicy"`
			Template struct {
				Spec struct {
					RestartPolicy string `yaml:"restartPolicy"`
					Grace         int    `yaml:"terminationGracePeriodSeconds"`
					Containers    []struct {
						Name, Image  string
						Command      []string
						Env          []struct{ Name, Value string }
						Resources    struct{ Requests, Limits map[string]string }
						VolumeMounts []struct {
							Name      string
							MountPath string `yaml:"mountPath"`
						} `yaml:"volumeMounts"`
					}
					Volumes []struct {
						Name  string
						Claim struct {
							Name string `yaml:"claimName"`
						} `yaml:"persistentVolumeClaim"`
					}
				}
			}
		}
	}
	read := yaml.NewDecoder(strings.NewReader(text))
	read.KnownFields(true)
	if err := read.Decode(&job); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if job.APIVersion != "batch/v1" || job.Kind != "Job" || job.Metadata.Name != "my-sweep" || job.Metadata.Namespace != "lab" {
		t.Errorf("it is %s %s %+v", job.APIVersion, job.Kind, job.Metadata)
	}
	if spec := job.Spec; spec.CompletionMode != "Indexed" || spec.Completions != 6 || spec.Parallelism != 3 ||
		spec.BackoffLimitPerIndex != 3 {
		t.Errorf("got %+v, want 6 indices, the 3 of the lowest level at once", spec)
	}
	rules := job.Spec.PodFailurePolicy.Rules
	if len(rules) != 3 || rules[0].Action != "Ignore" || rules[0].OnExitCodes.Values[0] != Again || rules[1].Action != "FailIndex" ||
		rules[0].OnExitCodes.ContainerName != "worker" || len(rules[2].OnPodConditions) != 1 || rules[2].OnPodConditions[0].Status != "True" {
		t.Errorf("got rules %+v", rules)
	}
	pod := job.Spec.Template.Spec
	if pod.RestartPolicy != "Never" || len(pod.Containers) != 1 || len(pod.Volumes) != 1 || pod.Volumes[0].Claim.Name != "store" {
		t.Fatalf("got the pod %+v", pod)
	}
	c := pod.Containers[0]
	const mount = "/mnt/it's: here"
	if want := "vlpx sweep work " + mount + "/sweeps/" + s.Name + "/plan.json"; c.Name != "worker" ||
		strings.Join(c.Command, " ") != want ||
		c.Image != "registry:5000/vlpx:1" {
		t.Errorf("got %s: %q of %s, want %q", c.Name, c.Command, c.Image, want)
	}
	if len(c.Env) != 3 || c.Env[0].Value != mount || c.Env[1].Value != "yes" || c.Env[2].Value != `x: "y" # z` {
		t.Errorf("got variables %+v", c.Env)
	}
	for _, r := range []map[string]string{c.Resources.Requests, c.Resources.Limits} {
		if r["cpu"] != "2" || r["memory"] != "8G" || r["nvidia.com/gpu"] != "1" {
			t.Errorf("got resources %v", r)
		}
	}
	if c.VolumeMounts[0].MountPath != mount || c.VolumeMounts[0].Name != pod.Volumes[0].Name {
		t.Errorf("got mounts %+v", c.VolumeMounts)
	}
	for set, want := range map[string]string{"": "image is missing", "image=x": "claim is missing", "image=x,claim=y,mount=z": "whole path",
		"image=x,claim=y,env=A": "NAME=VALUE", "immage=x": "there are image"} {
		must.Fail(t, must.Err(NewKubernetes(strings.FieldsFunc(set, func(r rune) bool { return r == ',' }))), want, "%s", set)
	}
	if _, err := k.YAML(s, Worker{}); err == nil {
		t.Error("a program that an image does not have is its worker")
	}
}
