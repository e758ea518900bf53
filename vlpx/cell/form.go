package cell

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
)

// Control is an input of a form. Exactly one of Options and Range is there.
type Control struct {
	Name, Label string
	Hint        string   // what it is, shown where the pointer rests; may be empty
	Options     []string // to select from
	Range       *Range   // to slide over
	Value       string   // at first, as its events give it
}

// Range is what a slider covers.
type Range struct{ Min, Max, Step float64 }

// Button is one of a form.
type Button struct{ Name, Label string }

// Event is what a person did: a control that has a new value, or a button that was pressed.
type Event struct {
	Name  string `json:"name"`
	Value string `json:"value"` // empty for a button
}

// Form is a set of controls on a page that answers. GoNB's own widgets have no labels and take a round trip each to be built; this is
// one piece of HTML on the same channel, gonbui/comms.
type Form struct {
	Name     string // of the kind of form, in its HTML, for tests and styles
	Controls []Control
	Buttons  []Button

	id     string
	events chan Event
	mu     sync.Mutex
	status string // told last, as JSON
}

// ErrNoAnswer says that a page shows the form and cannot send what is done with it, as outside of Jupyter's own page.
var ErrNoAnswer = errors.New("this page does not answer, so its controls would do nothing; run the cell again, or open the notebook in " +
	"Jupyter's own page (vlpx notebook), where they work")

// answerTime is how long a page may take to answer at first. It is asked again meanwhile: GoNB's script in the page gives up when the
// kernel's answer to its first word takes half a second.
const (
	answerTime = 30 * time.Second
	askAgain   = 1500 * time.Millisecond
)

// Open shows the form and waits until the page answers, or fails with ErrNoAnswer and leaves nothing. What is done is told by Events.
func (f *Form) Open() error {
	f.id, f.events = "vlpx_"+gonbui.UniqueId(), make(chan Event, 64)
	ready := make(chan struct{})
	var once sync.Once
	comms.Start()
	comms.Subscribe(f.address(), func(_ string, text string) {
		var e Event
		switch err := json.Unmarshal([]byte(text), &e); {
		case err != nil:
		case e.Name == "ready": // for the first time, or on a channel made anew
			once.Do(func() { close(ready) })
			f.tell()
		default:
			select {
			case f.events <- e:
			default: // nobody presses faster than this is read
			}
		}
	})
	page, err := f.html()
	if err != nil {
		return err
	}
	gonbui.UpdateHTML(f.id, page)
	given, again := time.After(answerTime), time.NewTicker(askAgain)
	defer again.Stop()
	for {
		select {
		case <-ready:
			return nil
		case <-again.C:
			comms.Start()
		case <-given:
			f.Close()
			return ErrNoAnswer
		}
	}
}

// Events are what is done, in order.
func (f *Form) Events() <-chan Event { return f.events }

// Status says in a line below the buttons what is going on, and which of them can be pressed.
func (f *Form) Status(text string, pressable ...string) {
	status, err := json.Marshal(struct {
		Text      string   `json:"text"`
		Pressable []string `json:"pressable"`
	}{text, append([]string{}, pressable...)})
	if err != nil {
		panic(err) // of strings alone
	}
	f.mu.Lock()
	changed := f.status != string(status)
	f.status = string(status)
	f.mu.Unlock()
	if changed {
		f.tell()
	}
}

// tell sends the status.
func (f *Form) tell() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.status != "" {
		comms.Send(f.address(), f.status)
	}
}

// Close takes the form off the page.
func (f *Form) Close() { gonbui.UpdateHTML(f.id, "") }

func (f *Form) address() string { return "/vlpx/" + f.id }

//go:embed form.html
var formText string

var formTemplate = template.Must(template.New("form").Parse(formText))

// html is the form with its style and script, all within one element.
func (f *Form) html() (string, error) {
	var b strings.Builder
	err := formTemplate.Execute(&b, struct {
		*Form
		ID, Address string
	}{f, f.id, f.address()})
	if err != nil {
		return "", fmt.Errorf("cell: form %s: %w", f.Name, err)
	}
	return b.String(), nil
}
