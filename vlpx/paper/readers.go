package paper

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
)

// Readers are what reads a setting: what would be another run if it had another value.
type Readers struct {
	// Everything tells that every method on every framework does.
	Everything bool
	// Frameworks are those on which every method does, where not all are.
	Frameworks []string
	// Methods are those that do by themselves.
	Methods []string
	// Tasks are the downstream tasks that do.
	Tasks []string
	// Where is what does besides, in words.
	Where string

	but []string // the other frameworks
}

// String names the readers: "every method on CLIP and SimCLR", "every method but on SimCLR".
func (r Readers) String() string {
	var of []string
	switch {
	case r.Everything:
		return "every method"
	case r.Frameworks != nil && len(r.but) < len(r.Frameworks):
		of = append(of, "every method but on "+listed(r.but))
	case r.Frameworks != nil:
		of = append(of, "every method on "+listed(r.Frameworks))
	}
	if r.Methods != nil {
		of = append(of, listed(r.Methods))
	}
	if r.Tasks != nil {
		of = append(of, "the downstream "+plural(len(r.Tasks), "task", "tasks")+" "+listed(r.Tasks))
	}
	if r.Where != "" {
		of = append(of, r.Where)
	}
	return strings.Join(of, "; ")
}

// Short names some of the readers in few words: "GRIT-VLP, MAFA and 9 more", "all on UNITER", "all but on SimCLR".
func (r Readers) Short() string {
	if n := len(r.Methods); n > mostNamed {
		r.Methods = append(slices.Clone(r.Methods[:mostNamed-1]), fmt.Sprintf("%d more", n-mostNamed+1))
	}
	return strings.NewReplacer("every method", "all", "the downstream ", "").Replace(r.String())
}

// mostNamed is how many methods a short text names at most.
const mostNamed = 3

// listed joins names: "a, b and c".
func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// ReadersOf works out what reads a setting.
func ReadersOf(x Settable) Readers { return NewReading().Of(x) }

// Reading works out what reads settings: it changes one of the smallest scale and looks what is identified otherwise then. Nothing is declared
// by hand, so that a method of the registry and a framework are known from the day that they are there.
type Reading struct {
	planner            planner
	tuned              run.Run // what fine-tuning goes on from
	frameworks, others []reading
	methods            []reading
	tasks              []reading // which cost more, and are asked where nothing else reads a setting
}

// reading is what has an identity at a scale; the error is of a scale that it cannot have.
type reading struct {
	name string
	base Scale
	id   func(Scale) (string, error)
	was  func() (string, error) // the identity at the base
}

// NewReading makes one.
func NewReading() *Reading {
	base := scales()[0]
	base.WarmStart = 1 // which has settings of its own
	r := &Reading{planner: planner{Request: Request{Scale: base.Name}, seeds: []uint64{1}, known: map[words]*text.Tokenizer{}, sizes: map[string]textSizes{}}}
	r.tuned = base.Runs(run.Data{}, run.Vocabulary{}, 1, negative.Plain(), []uint64{1})[0]
	begin := func(name string, base Scale, id func(Scale) (string, error)) reading {
		return reading{name, base, id, sync.OnceValues(func() (string, error) { return id(base) })}
	}
	on := func(k Kind) Scale {
		s := base
		s.Framework = k.Name
		if k.preset != nil {
			k.preset(&s)
		}
		return s
	}
	for _, k := range Frameworks() {
		r.frameworks = append(r.frameworks, begin(k.Name, on(k), r.plain))
		for _, d := range []Downstream{VQA, NLVR2, Generation, Captioning} {
			r.tasks = append(r.tasks, begin(d.Name, on(k), func(s Scale) (string, error) { return r.downstream(d, s) }))
		}
	}
	locked := base
	locked.Locked = Locked{Side: 2, Epochs: 1}
	r.others = append(r.others, begin("an image encoder of our own that is locked (locked.side and locked.epochs)", locked, r.plain))
	for _, m := range Methods() {
		r.methods = append(r.methods, begin(m.Name, base, func(s Scale) (string, error) { return r.parts(m, s) }))
	}
	return r
}

// plain is the identity of a plain method's run.
func (r *Reading) plain(s Scale) (string, error) {
	data, err := r.planner.data(s)
	if err != nil {
		return "", err
	}
	runs, _, _, err := r.planner.pretraining(MethodRow("InfoNCE"), s, data)
	if err != nil {
		return "", err
	}
	return runs[0].ID(), nil
}

// parts is the identity of a method's parts, of its fine-tuning and of the method that it asks.
func (r *Reading) parts(m Method, s Scale) (string, error) {
	id, err := json.Marshal(m.Parts(s).WithDefaults())
	if err != nil {
		return "", err
	}
	if m.Tune != nil {
		id = append(id, s.tuned(r.tuned, run.Data{}, m.Tune(s)).JSON()...)
	}
	if m.Reference == "" {
		return string(id), nil
	}
	reference, err := r.parts(registered(m.Reference), s)
	return string(id) + reference, err
}

// downstream is the identity of what a downstream task gives of a plain method's run; empty where the framework cannot be put to it.
func (r *Reading) downstream(d Downstream, s Scale) (string, error) {
	data, err := r.planner.data(s)
	if err != nil {
		return "", err
	}
	t, err := r.planner.trained(MethodRow("InfoNCE"), s, data)
	if err != nil {
		return "", err
	}
	jobs, err := d.jobs(t)
	if lacking := new(framework.Lacking); errors.As(err, &lacking) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	id := ""
	for _, j := range jobs {
		id += j.ID()
	}
	return id, nil
}

// reads tells whether what is read is identified otherwise by another value of a setting. A value that it cannot have is read, too.
func (of reading) reads(x Settable) bool {
	was, err := of.was()
	if err != nil || was == "" {
		return false // the base is none that it can have
	}
	for _, other := range x.others(x.of(&of.base)) {
		s := of.base
		x.of(&s).Set(other)
		if id, err := of.id(s); err != nil || id != was {
			return true
		}
	}
	return false
}

// others are some other values of a setting than the one that it has.
func (x Settable) others(now reflect.Value) (all []reflect.Value) {
	other := func(v any) {
		if value := reflect.ValueOf(v).Convert(now.Type()); !value.Equal(now) {
			all = append(all, value)
		}
	}
	switch now.Kind() {
	case reflect.Bool:
		other(!now.Bool())
	case reflect.Int:
		other(2*now.Int() + 1)
	case reflect.Uint64:
		other(now.Uint() + 1)
	case reflect.Float64:
		other(now.Float()/2 + 0.25) // of a share another share
		other(1.)
	case reflect.String:
		values := x.Values
		if values == nil {
			values = []string{string(negative.ITC), string(negative.ITM)}
		}
		for _, text := range values {
			other(text)
		}
	case reflect.Array:
		v := reflect.New(now.Type()).Elem()
		for i := range v.Len() {
			v.Index(i).Set(x.others(now.Index(i))[0])
		}
		all = append(all, v)
	case reflect.Slice:
		v := reflect.New(now.Type().Elem()).Elem()
		all = append(all, reflect.Append(reflect.AppendSlice(reflect.MakeSlice(now.Type(), 0, now.Len()+1), now), x.others(v)[0]))
	default:
		panic(fmt.Sprintf("paper: the setting %s is of kind %s", x.Name, now.Kind()))
	}
	return all
}

// Of works out what reads a setting.
func (r *Reading) Of(x Settable) Readers {
	among := func(all []reading) (names []string) {
		for _, of := range all {
			if of.reads(x) && !slices.Contains(names, of.name) {
				names = append(names, of.name)
			}
		}
		return names
	}
	readers := Readers{Frameworks: among(r.frameworks), Methods: among(r.methods), Where: x.Where}
	if len(readers.Frameworks) == len(r.frameworks) {
		return Readers{Everything: true}
	}
	if slices.Contains(readers.Frameworks, r.frameworks[0].name) {
		readers.Methods = nil // which are read there
	}
	for _, of := range r.frameworks {
		if !slices.Contains(readers.Frameworks, of.name) {
			readers.but = append(readers.but, of.name)
		}
	}
	if readers.Frameworks != nil || readers.Methods != nil {
		return readers
	}
	if also := among(r.others); also != nil && readers.Where == "" {
		readers.Where = also[0]
	}
	if readers.Where == "" {
		readers.Tasks = among(r.tasks)
	}
	return readers
}

// AllReaders works out what reads each of the settings, in their order.
func AllReaders(of []Settable) []Readers {
	all := make([]Readers, len(of))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(of)) {
		workers.Go(func() {
			r := NewReading() // which is one worker's own
			for i := next.Add(1) - 1; i < int64(len(of)); i = next.Add(1) - 1 {
				all[i] = r.Of(of[i])
			}
		})
	}
	workers.Wait()
	return all
}
