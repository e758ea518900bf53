package answer

import "fmt"

// Question is a predicted answer, and what people answered.
type Question struct {
	Predicted  string
	Answers    []string // people's, ten in VQA
	Kind       string   // how the question starts, such as "how many"
	AnswerKind string   // "yes/no", "number" or "other"
}

// Accuracies are in per cent; those of kinds are the means over their questions.
type Accuracies struct {
	Questions []float64 // in the order of the questions
	Overall   float64
	Kinds     map[string]float64
	Answers   map[string]float64 // by AnswerKind
}

// Score is VQA's accuracy of answers. A question's is the mean over people of min(1, matches/3), matches being the others who gave the
// predicted answer. Answers are compared as [Normalise] makes them, but where all people gave the same one they are only cleaned.
//
// The published code rounds to two digits what it shows; these are not rounded. A question without answers is an error that tells its
// index.
func Score(questions []Question) (Accuracies, error) {
	a := Accuracies{Kinds: map[string]float64{}, Answers: map[string]float64{}}
	kinds, answers := map[string]float64{}, map[string]float64{} // how many questions
	for i, q := range questions {
		if len(q.Answers) == 0 {
			return Accuracies{}, fmt.Errorf("answer: question %d (%q predicted): nobody answered it; leave it out", i, q.Predicted)
		}
		accuracy := 100 * q.accuracy()
		a.Questions = append(a.Questions, accuracy)
		a.Overall += accuracy
		a.Kinds[q.Kind] += accuracy
		a.Answers[q.AnswerKind] += accuracy
		kinds[q.Kind]++
		answers[q.AnswerKind]++
	}
	a.Overall /= float64(max(1, len(questions)))
	for kind, n := range kinds {
		a.Kinds[kind] /= n
	}
	for kind, n := range answers {
		a.Answers[kind] /= n
	}
	return a, nil
}

// accuracy is from 0 to 1.
func (q Question) accuracy() float64 {
	people, unanimous := make([]string, len(q.Answers)), true
	for i, answer := range q.Answers {
		people[i] = Clean(answer)
		unanimous = unanimous && people[i] == people[0]
	}
	predicted := Clean(q.Predicted)
	if !unanimous {
		predicted = Normalise(predicted)
		for i, answer := range people {
			people[i] = Normalise(answer)
		}
	}
	matches := 0
	for _, answer := range people {
		if answer == predicted {
			matches++
		}
	}
	var sum float64
	for _, answer := range people {
		others := matches
		if answer == predicted {
			others--
		}
		sum += min(1, float64(others)/3)
	}
	return sum / float64(len(people))
}
