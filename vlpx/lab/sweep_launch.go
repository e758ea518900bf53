package lab

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/sweep"
)

// Sweeping says where the tasks of a sweep are worked at.
type Sweeping struct {
	// Launcher is "local" (the default) for processes beside each other on this machine, "ssh" for those of hosts, "slurm" for job arrays,
	// or "k8s" for the YAML of an Indexed Job, which is printed.
	Launcher string
	// Jobs are the processes of "local" at once; 0 for one a GPU where the engine uses these, else as many as get most done: one a
	// processor, or fewer, if that is seen to be faster before a sweep of more than five minutes.
	Jobs int
	// Hosts is the file of the hosts of "ssh"; see sweep.NewSSH.
	Hosts string
	// Slurm are settings of "slurm", "key=value", by submitit's names; see sweep.SlurmSettings.
	Slurm []string
	// K8s are settings of "k8s", "key=value"; see sweep.K8sSettings.
	K8s []string
	// Submit returns as soon as Slurm has the jobs.
	Submit bool
	// DryRun only says what would be submitted, and writes nothing.
	DryRun bool
}

// check says what of this does not go together.
func (how Sweeping) check() error {
	switch {
	case !slices.Contains([]string{"", local, ssh, slurm, kubernetes}, how.Launcher):
		return fmt.Errorf("no launcher %q; there are %s, %s, %s and %s", how.Launcher, local, ssh, slurm, kubernetes)
	case how.Launcher != ssh && how.Hosts != "":
		return errors.New("a file of hosts is for the launcher ssh; choose it, or leave it out")
	case how.Launcher == ssh && how.Hosts == "":
		return errors.New("the launcher ssh needs a file of hosts, one a line; name it with -hosts or Sweeping.Hosts")
	case how.Launcher != slurm && len(how.Slurm) > 0:
		return errors.New("settings of Slurm are for the launcher slurm; choose it, or leave them out")
	case how.Launcher != kubernetes && len(how.K8s) > 0:
		return errors.New("settings of Kubernetes are for the launcher k8s; choose it, or leave them out")
	case how.Launcher != slurm && how.Submit:
		return errors.New("only Slurm is submitted to: workers on this machine and on hosts end with this process, and a job of Kubernetes is printed")
	case (how.Launcher == "" || how.Launcher == local || how.Launcher == ssh) && how.DryRun:
		return errors.New("workers on this machine and on hosts have no script to print; a dry run is for the launcher slurm")
	case how.Launcher != "" && how.Launcher != local && how.Jobs != 0:
		return errors.New("processes at once are for the launcher local; hosts have jobs=N in their file, and the others the " +
			"setting array_parallelism")
	case how.Jobs < 0:
		return fmt.Errorf("%d processes at once; use 1 or more, or 0 for as many as are fastest", how.Jobs)
	}
	return nil
}

// Names of launchers.
const (
	local      = "local"
	ssh        = "ssh"
	slurm      = "slurm"
	kubernetes = "k8s"
)

// launcher is the one that is asked for, of those that start something.
func (how Sweeping) launcher() (sweep.Launcher, error) {
	if err := how.check(); err != nil {
		return nil, err
	}
	switch how.Launcher {
	case ssh:
		return sweep.NewSSH(how.Hosts)
	case slurm:
		return sweep.NewSlurm(how.Slurm)
	case kubernetes:
		return nil, errors.New("a job of Kubernetes is printed, and started by kubectl apply; nothing here follows it but vlpx list")
	}
	l := &sweep.Local{Jobs: how.Jobs}
	if choice, _ := engine.Choose(engine.Cache()); strings.Contains(choice.Name, "cuda") {
		l.GPUs = devices()
	}
	return l, nil
}

// devices are the GPUs that this process may use.
func devices() []string {
	if named, set := os.LookupEnv("CUDA_VISIBLE_DEVICES"); set {
		return slices.DeleteFunc(strings.Split(named, ","), func(name string) bool { return name == "" })
	}
	var all []string
	for k := range engine.Describe().GPUs {
		all = append(all, fmt.Sprint(k))
	}
	return all
}

// devicesEach is how many devices a run of the sweep is divided among, at most.
func (s *Sweep) devicesEach() int {
	most := 1
	for _, g := range s.Grids {
		for _, r := range slices.Concat(g.Plan.Rows...) {
			most = max(most, r.Train.Devices)
		}
	}
	return most
}

// together puts GPUs together for workers that want so many each, as $CUDA_VISIBLE_DEVICES names them; some may be left over. An engine
// that has none tells by itself what it lacks.
func together(gpus []string, each int) ([]string, error) {
	if each < 2 || len(gpus) == 0 {
		return gpus, nil
	}
	if len(gpus) < each {
		return nil, fmt.Errorf("devices=%d, and there are %d GPUs here; set devices=%[2]d, or sweep where there are more", each, len(gpus))
	}
	var all []string
	for some := range slices.Chunk(gpus[:len(gpus)/each*each], each) {
		all = append(all, strings.Join(some, ","))
	}
	return all, nil
}
