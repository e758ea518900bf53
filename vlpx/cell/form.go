package cell

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
	"github.com/janpfeifer/gonb/gonbui/protocol"
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
	status string        // told last, as JSON
	done   []Event       // by a person, and not yet taken from events
	more   chan struct{} // has an element while something is done
	closed chan struct{}
}

// ErrNoAnswer says that a page shows the form and cannot send what is done with it, as in VS Code.
var ErrNoAnswer = errors.New("this page does not answer, so its controls would do nothing; run the cell again, or, from VS Code for one, " +
	"open the notebook in JupyterLab or Jupyter Notebook (vlpx notebook), where they work")

// answerTime is how long a page may take to answer at first. It is asked again meanwhile: GoNB's script in the page gives up when the
// kernel's answer to its first word takes half a second.
const (
	answerTime = 30 * time.Second
	askAgain   = 1500 * time.Millisecond
)

// Open shows the form and waits until the page answers, or fails with ErrNoAnswer and leaves nothing. What is done is told by Events.
func (f *Form) Open() error {
	f.id = "vlpx_" + gonbui.UniqueId()
	page, err := f.html()
	if err != nil {
		return err
	}
	f.listen()
	f.status = statusOf("", nil)
	ready := make(chan struct{})
	var once sync.Once
	comms.Start()
	comms.Subscribe(f.address(), func(_ string, text string) {
		if e := heard(text); e.Name != "ready" {
			f.take(e)
			return
		}
		once.Do(func() { close(ready) }) // for the first time, or on a channel made anew
		f.tell()
	})
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

// Events are what is done, in order. Of the values that a control had one after the other before they are taken, the last is told.
func (f *Form) Events() <-chan Event { return f.events }

// heard is the event that a page sent. What is none becomes one of a control that no form has, so that it is told as a mistake.
func heard(text string) Event {
	var e Event
	if err := json.Unmarshal([]byte(text), &e); err != nil || e.Name == "" {
		return Event{Name: text}
	}
	return e
}

// listen begins to hand out what is done.
func (f *Form) listen() {
	f.events, f.more, f.closed = make(chan Event), make(chan struct{}, 1), make(chan struct{})
	go func() {
		for {
			select {
			case <-f.more:
			case <-f.closed:
				return
			}
			for e, ok := f.next(); ok; e, ok = f.next() {
				select {
				case f.events <- e:
				case <-f.closed:
					return
				}
			}
		}
	}()
}

// take keeps an event until it is handed out; it never waits.
func (f *Form) take(e Event) {
	f.mu.Lock()
	if last := len(f.done) - 1; last >= 0 && f.done[last].Name == e.Name {
		f.done[last] = e
	} else {
		f.done = append(f.done, e)
	}
	f.mu.Unlock()
	select {
	case f.more <- struct{}{}:
	default:
	}
}

// next is the event that was taken first, if there is one.
func (f *Form) next() (e Event, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.done) == 0 {
		return Event{}, false
	}
	e, f.done = f.done[0], f.done[1:]
	return e, true
}

// Check tells what is wrong with an event: it is of no control or button of the form, or the control cannot have its value.
func (f *Form) Check(e Event) error {
	if slices.ContainsFunc(f.Buttons, func(b Button) bool { return b.Name == e.Name }) {
		return nil
	}
	at := slices.IndexFunc(f.Controls, func(c Control) bool { return c.Name == e.Name })
	if at < 0 {
		return fmt.Errorf("no control %q", e.Name)
	}
	c := f.Controls[at]
	if c.Range == nil {
		if !slices.Contains(c.Options, e.Value) {
			return fmt.Errorf("%s: no choice %q", c.Name, e.Value)
		}
		return nil
	}
	if v, err := strconv.ParseFloat(e.Value, 64); err != nil || !(v >= c.Range.Min && v <= c.Range.Max) {
		return fmt.Errorf("%s: %q is no number from %v to %v", c.Name, e.Value, c.Range.Min, c.Range.Max)
	}
	return nil
}

// Status says in a line below the buttons what is going on, and which of them can be pressed.
func (f *Form) Status(text string, pressable ...string) {
	status := statusOf(text, pressable)
	f.mu.Lock()
	changed := f.status != status
	f.status = status
	f.mu.Unlock()
	if changed {
		f.tell()
	}
}

func statusOf(text string, pressable []string) string {
	status, err := json.Marshal(struct {
		Text      string   `json:"text"`
		Pressable []string `json:"pressable"`
	}{text, append([]string{}, pressable...)})
	if err != nil {
		panic(err) // of strings alone
	}
	return string(status)
}

// tell sends the status.
func (f *Form) tell() {
	f.mu.Lock()
	defer f.mu.Unlock()
	comms.Send(f.address(), f.status)
}

// Close takes the form off the page. What was done and not taken from Events is dropped.
func (f *Form) Close() {
	close(f.closed)
	gonbui.UpdateHTML(f.id, "")
}

// lost is what a form says whose cell does not answer: it was saved with the notebook, or the page was loaded again.
const lost = "These controls have lost their cell. If it still runs (a * before it), stop it (\u25a0), and then run it again."

func (f *Form) address() string { return "/vlpx/" + f.id }

//go:embed form.html
var formText string

var formTemplate = template.Must(template.New("form").Parse(formText))

// html is the form with its style and script, all within one element.
func (f *Form) html() (string, error) {
	var b strings.Builder
	err := formTemplate.Execute(&b, struct {
		*Form
		ID, Address, Kernel, Lost string
	}{f, f.id, f.address(), os.Getenv(protocol.GONB_JUPYTER_KERNEL_ID_ENV), lost})
	if err != nil {
		return "", fmt.Errorf("cell: form %s: %w", f.Name, err)
	}
	return b.String(), nil
}
