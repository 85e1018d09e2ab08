// A study of solecism for PCIbex (PennController 2.0). `study` is defined above; the trials are in
// items.csv, whose column `group` is the list. Import the results with `solecism judge import`.
PennController.ResetPrefix(null);
DebugOff();

const participant = crypto.randomUUID();

Sequence(
  "consent", "instructions", "practice", randomize("trials"), SendResults(), "debriefing",
);

function screen(name, button) {
  newTrial(name,
    newHtml(name, `${name}.html`).print(),
    newButton("next", button).center().print().wait(),
  );
}

screen("consent", study.words.agree);
screen("instructions", study.words.next);

function text(name, sentence) {
  return newText(name, sentence)
    .css({ direction: study.dir, "font-size": "1.3em", margin: "0.6em", padding: "0.6em" })
    .center();
}

function trial(row) {
  const parts = [
    defaultText.print(),
    newText("question", study.words[`question_${study.design}`]).css("direction", study.dir).center(),
  ];
  if (study.design === "choice") {
    parts.push(
      text("first", row.first), text("second", row.second),
      newSelector("answer").add(getText("first"), getText("second")).keys("F", "J").log().wait(),
    );
  } else if (study.design === "likert") {
    parts.push(
      text("sentence", row.sentence),
      newScale("rating", 7).before(newText(study.words.low)).after(newText(study.words.high))
        .labelsPosition("top").keys().center().print().log().wait(),
    );
  } else {
    parts.push(
      text("sentence", row.sentence),
      newScale("answer", ...study.readings).labelsPosition("right").vertical().center().print()
        .log().wait(),
    );
  }
  const label = row.kind === "practice" ? "practice" : "trials";
  return newTrial(label, ...parts)
    .log("study", study.study)
    .log("participant", participant)
    .log("list", row.group)
    .log("item", row.item)
    .log("shown", row.shown);
}

Template("items.csv", trial);

newTrial("debriefing",
  newHtml("debriefing", "debriefing.html").print(),
  newButton("wait").wait(),
).setOption("countsForProgressBar", false);
