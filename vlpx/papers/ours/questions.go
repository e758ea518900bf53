package ours

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/eval/answer"
	albef "vlpx.internal/vlpx/framework/albef/preset"
	blip2 "vlpx.internal/vlpx/framework/blip2/preset"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// questions shows what models answer to some questions: ALBEF, which is taught to and ranks the answers of training, and BLIP-2's second
// stage, which is not and writes one. The questions were chosen before there was a model: evenly over the test split (see [eval.VQA]).
var questions = paper.Artifact{
	ID:    "vlpx/questions",
	Title: "Answers to questions: ALBEF's most probable ones, fine-tuned, and what BLIP-2 writes, untaught",
	Look: "Which kinds of questions are answered right, how sure ALBEF is where it is wrong, and whether its second answer is then the " +
		"right one. BLIP-2 was never taught to answer.",
	Note: "ALBEF's rows are those of falcon/table1, BLIP-2's those of mafa/table8. " + whoseEncoder,
	Rows: []plan.Row{
		plan.MethodRow("ALBEF").On("ALBEF"), plan.MethodRow("MAFA").On("ALBEF"),
		blip2.Row("").OnWebCaptions(), blip2.Row("MAFA").OnWebCaptions(),
	},
	Downstream: []plan.Downstream{albef.VQA, blip2.Generation},
	Table:      questionsTable,
	Figure:     questionsFigure,
}

// whoseEncoder tells whose the encoder is that a report says images are seen by.
const whoseEncoder = "The frozen image encoder is BLIP-2's alone; ALBEF trains its own."

// answersShown is how many answers to a question are in the figure.
const answersShown = 3

// answered are the questions of the first seed of a row that has them.
func answered(row paper.RowReport) []eval.AnsweredQuestion {
	for _, task := range []string{albef.VQA.Name, blip2.Generation.Name} {
		if result, done := row.First(task); done {
			return eval.AnsweredQuestions.Of(result.Examples)
		}
	}
	return nil
}

// one is a question with what the rows answer.
type one struct {
	eval.AnsweredQuestion                         // without answers
	by                    []eval.AnsweredQuestion // those that answer it
	rows                  []string                // their names
}

// gathered are the questions that rows were asked, each once.
func gathered(r *paper.Report) []one {
	var all []one
	for _, row := range r.Rows {
		for _, q := range answered(row) {
			at := slices.IndexFunc(all, func(o one) bool { return o.Image == q.Image && o.Text == q.Text })
			if at < 0 {
				at = len(all)
				all = append(all, one{AnsweredQuestion: eval.AnsweredQuestion{Image: q.Image, Key: q.Key, Text: q.Text, Right: q.Right}})
			}
			all[at].by, all[at].rows = append(all[at].by, q), append(all[at].rows, row.Name)
		}
	}
	return all
}

// right is what is right in a few words: the answer, or the two that most people gave, with how many did.
func right(answers []string) string {
	if len(answers) == 1 {
		return answers[0]
	}
	count := map[string]int{}
	var distinct []string
	for _, a := range answers {
		if a = answer.Normalise(a); count[a] == 0 {
			distinct = append(distinct, a)
		}
		count[a]++
	}
	slices.SortStableFunc(distinct, func(a, b string) int { return count[b] - count[a] })
	var told []string
	for _, a := range distinct[:min(2, len(distinct))] {
		told = append(told, fmt.Sprintf("%s (%d of %d)", a, count[a], len(answers)))
	}
	return strings.Join(told, ", ")
}

// chance says a model's answer with its probability, which one that is written has none of.
func chance(a eval.Answer) string {
	if a.Probability == 0 {
		return cmp.Or(a.Text, nothing)
	}
	return fmt.Sprintf("%s %.2f", a.Text, a.Probability)
}

// questionsTable has a line for each question and row.
func questionsTable(r *paper.Report) (tables.Table, error) {
	t := r.NewTable("The first seed's answers to some questions of the test split, chosen evenly: of ALBEF the most probable candidates " +
		"with their probabilities among those that it ranks, of BLIP-2 the one that it writes. Answers that are right are marked.")
	t.Heading = "question"
	t.Columns = []tables.Column{{Name: "right"}, {Name: "model"}, {Name: "answers"}}
	for _, row := range r.Rows {
		t.Rows = append(t.Rows, row.Unfinished()...)
	}
	for _, o := range gathered(r) {
		for k, q := range o.by {
			var words []tables.Word
			for _, a := range q.Answers {
				accuracy, err := eval.AnsweredQuestion{Text: q.Text, Right: q.Right, Answers: []eval.Answer{a}}.Accuracy()
				if err != nil {
					return t, err
				}
				if len(words) > 0 {
					words = append(words, tables.Word{Text: "·"})
				}
				words = append(words, tables.Word{Text: chance(a), Changed: accuracy > halfRight})
			}
			t.Rows = append(t.Rows, tables.Row{Name: o.Text, Cells: []tables.Cell{{{Text: right(o.Right)}}, {{Text: o.rows[k]}},
				{tables.Words(words...)}}})
		}
	}
	return t, nil
}

// halfRight is the accuracy in per cent above which an answer is marked as right: where people disagree it is right in part.
const halfRight = 50

// questionsFigure has a row for each question: its picture once for each row of the report, with what that one answers below.
func questionsFigure(r *paper.Report) (plots.Drawing, error) {
	f := plots.Pictures{Title: r.Heading(), Note: r.Caption(r.FirstSeedOnly(), "Test split. Numbers are probabilities among the "+
		"candidates that are ranked; an answer that is "+
		"written has none. In brackets is what is right.", whoseEncoder)}
	a, err := paper.TestAlbum(r)
	if err != nil {
		return nil, err
	}
	for _, o := range gathered(r) {
		line := plots.PictureRow{Name: fmt.Sprintf("%s (%s)", o.Text, right(o.Right))}
		picture, err := a.Set.Image(context.Background(), o.Image)
		if err != nil {
			return nil, err
		}
		for k, q := range o.by {
			accuracy, err := q.Accuracy()
			if err != nil {
				return nil, err
			}
			shown := plots.Picture{Image: picture, Mark: plots.Wrong}
			if accuracy > halfRight {
				shown.Mark = plots.Right
			}
			var answers []string
			for _, given := range q.Answers[:min(answersShown, len(q.Answers))] {
				answers = append(answers, chance(given))
			}
			shown.Caption = o.rows[k] + ": " + strings.Join(answers, ", ")
			line.Pictures = append(line.Pictures, shown)
		}
		f.Rows = append(f.Rows, line)
	}
	if len(f.Rows) == 0 {
		return nil, nil
	}
	return f, nil
}
