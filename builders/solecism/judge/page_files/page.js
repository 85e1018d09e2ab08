"use strict";
// The page of a study: consent, instructions, trials, debriefing. What it knows is in study.js.
(() => {
  const study = window.solecismStudy;
  const words = study.words;
  const memory = new Memory(study.id);
  const home = Delivery.of(study, memory);
  const root = document.getElementById("study");
  const PAUSE = 150; // milliseconds in which a second tap is not yet an answer

  function escaped(text) {
    const signs = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
    return String(text).replace(/[&<>"']/g, (sign) => signs[sign]);
  }

  function word(name, values = {}) {
    return escaped(words[name].replace(/\{(\w+)\}/g, (all, key) => values[key] ?? all));
  }

  function sentence(text, tag = "span") {
    return `<${tag} class="sentence" lang="${escaped(study.language)}" dir="${study.dir}">${escaped(text)}</${tag}>`;
  }

  // Parameters of the address, which JATOS keeps elsewhere.
  function parameter(...names) {
    const ours = new URLSearchParams(window.location.search);
    const theirs = (window.jatos && window.jatos.urlQueryParameters) || {};
    const found = names.map((name) => ours.get(name) || theirs[name]).find(Boolean);
    return found ? String(found).slice(0, 200) : "";
  }

  function listAsked() {
    const number = Number.parseInt(parameter("list"), 10);
    return number >= 1 && number <= study.lists.length ? number : null;
  }

  function focus(selector) {
    const element = root.querySelector(selector);
    if (element) element.focus({ preventScroll: true });
    root.scrollTop = 0;
    window.scrollTo(0, 0);
  }

  async function run(timeline, progress) {
    root.replaceChildren();
    const jsPsych = initJsPsych({
      display_element: root,
      show_progress_bar: Boolean(progress),
      auto_update_progress_bar: false,
      override_safe_mode: true, // there are no media that a page from the disk could not load
      message_progress_bar: progress ? (share) => progress.text(share) : "",
    });
    if (progress) progress.of(jsPsych);
    await jsPsych.run(timeline);
  }

  function button(choice, number, kind = "plain") {
    return `<button type="button" class="jspsych-btn ${kind}">${choice}</button>`;
  }

  // A page with a text and buttons; `chosen` gets the number of the button.
  function screen(html, choices, chosen = () => {}) {
    return {
      type: jsPsychHtmlButtonResponse,
      stimulus: `<article class="text">${html}</article>`,
      choices,
      button_layout: "flex",
      button_html: (choice, number) => button(choice, number, number ? "second" : "first"),
      enable_button_after: PAUSE,
      on_load: () => {
        const heading = root.querySelector("h1, p");
        if (heading) heading.tabIndex = -1;
        focus("h1, p");
      },
      on_finish: (data) => chosen(data.response),
    };
  }

  function form(html, label, finished) {
    return {
      type: jsPsychSurveyHtmlForm,
      html,
      button_label: label,
      autocomplete: false,
      on_load: () => {
        root.querySelector("h1").tabIndex = -1;
        focus("h1");
      },
      on_finish: (data) => finished(data.response, data.rt),
    };
  }

  function choiceOf(name, value, label, required) {
    const id = `${name}-${value.replace(/\W/g, "-")}`;
    return `<div class="option"><input type="radio" id="${id}" name="${name}" value="${escaped(value)}"
      ${required ? "required" : ""}><label for="${id}">${label}</label></div>`;
  }

  // Native language, and a field that people do not see and bots fill in.
  function about(said) {
    const html = `<h1>${word("about_you")}</h1>
      <fieldset><legend>${word("native")}</legend>
        ${choiceOf("native", study.language, word("native_this"), true)}
        ${choiceOf("native", "other", word("native_other"), true)}
        <div class="field which"><label for="which">${word("native_which")}</label>
          <input type="text" id="which" name="which" maxlength="60" dir="auto"></div>
      </fieldset>
      <div class="away" aria-hidden="true"><label for="website">${word("website")}</label>
        <input type="text" id="website" name="website" tabindex="-1" autocomplete="off"></div>`;
    const finished = (response) => {
      said.native_language = response.native === "other" ? response.which.trim() || "other" : response.native;
      said.flags = response.website ? ["honeypot"] : [];
    };
    return form(html, words.next, finished);
  }

  // Return what a person said of themselves, null if they do not take part.
  async function introduced() {
    const said = {};
    let agreed = false;
    await run([screen(study.texts.consent, [word("agree"), word("decline")], (choice) => {
      agreed = choice === 0;
    })]);
    if (!agreed) return null;
    await run([about(said), screen(study.texts.instructions, [word("begin")])]);
    return said;
  }

  // Begin a session. `mark` says whether a later visitor of this browser is the same person.
  async function begin(said, mark) {
    const identifier = parameter("PROLIFIC_PID", "participant", "workerId");
    const served = study.home.to === "server";
    const own = served ? null : await Delivery.pseudonym(identifier, study.salt);
    const kept = served && identifier ? "" : own || Delivery.random();
    const started = await home.begin(kept || identifier, listAsked(), said);
    const sent = started.answered || [];
    memory.begin({
      ...said,
      mark,
      session: started.session,
      participant: started.participant || kept || started.session,
      list: started.list,
      seed: `${study.seed}:${started.session}`,
      rows: [],
      sent,
      elsewhere: [...sent],
      finished: Boolean(started.finished),
    });
  }

  const KEYS = {
    choice: { KeyF: 0, KeyJ: 1 },
    likert: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].flatMap((n) => [
      [`Digit${n}`, n - 1], [`Numpad${n}`, n - 1],
    ])),
  };

  // Keys answer by their place on the keyboard, whatever script it writes.
  function listen(keys) {
    const pressed = (event) => {
      const number = keys[event.code];
      if (number === undefined || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
      const target = root.querySelector(`[data-choice="${number}"]`);
      if (target && !target.disabled) target.click();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }

  // Note whether the page goes out of sight.
  function watch() {
    const seen = { hidden: document.hidden };
    const changed = () => { seen.hidden = seen.hidden || document.hidden; };
    document.addEventListener("visibilitychange", changed);
    return { seen, stop: () => document.removeEventListener("visibilitychange", changed) };
  }

  function record(item, position, resumed, hidden, row) {
    const flags = [...(resumed ? ["resumed"] : []), ...(hidden ? ["hidden"] : [])];
    memory.state.rows.push({ item, position, ...row, flags });
    memory.keep();
    home.added();
  }

  // Add to a trial what all kinds share: keys, the eye on visibility, recording, progress.
  function shared(trial, place, answered) {
    let unlisten = () => {};
    let watched = null;
    const { on_load: loaded = () => {} } = trial;
    return {
      ...trial,
      on_start: () => { place.progress(place.position - 1); },
      on_load: () => {
        loaded();
        watched = watch();
        if (KEYS[study.design]) unlisten = listen(KEYS[study.design]);
        focus("#question");
      },
      on_finish: (data) => {
        unlisten();
        if (watched) watched.stop();
        const row = { ...answered(data), time: data.rt };
        record(place.key, place.position, place.resumed, Boolean(watched && watched.seen.hidden), row);
      },
    };
  }

  function question(name) {
    return `<h1 class="question" id="question" tabindex="-1">${word(name)}</h1>`;
  }

  function choiceTrial(item, place) {
    const order = place.first === "good" ? ["good", "bad"] : ["bad", "good"];
    const html = (text, number) => `<button type="button" class="jspsych-btn option"><kbd
      aria-hidden="true">${number ? "J" : "F"}</kbd><span class="heard">${word(number ? "second" : "first")}:
      </span>${sentence(text)}</button>`;
    return shared({
      type: jsPsychHtmlButtonResponse,
      stimulus: question("question_choice"),
      choices: order.map((side) => item[side]),
      button_layout: "flex",
      button_html: html,
      enable_button_after: PAUSE,
      prompt: `<p class="keys" aria-hidden="true">${word("keys_choice")}</p>`,
    }, place, (data) => ({ shown: order[0], answer: order[data.response] }));
  }

  function sideOf(item) {
    return item.good === undefined ? "bad" : "good";
  }

  function likertTrial(item, place) {
    const side = sideOf(item);
    const ends = { 0: words.low, 6: words.high };
    const html = (text, number) => {
      const end = ends[number] ? `<span class="heard">: ${escaped(ends[number])}</span>` : "";
      return `<button type="button" class="jspsych-btn number">${text}${end}</button>`;
    };
    return shared({
      type: jsPsychHtmlButtonResponse,
      stimulus: `${question("question_likert")}${sentence(item[side], "p")}`,
      choices: ["1", "2", "3", "4", "5", "6", "7"],
      button_layout: "flex",
      button_html: html,
      enable_button_after: PAUSE,
      prompt: `<p class="ends" aria-hidden="true"><span>1: ${word("low")}</span>
        <span>7: ${word("high")}</span></p><p class="keys" aria-hidden="true">${word("keys_likert")}</p>`,
    }, place, (data) => ({ shown: side, rating: data.response + 1 }));
  }

  function expertTrial(item, place) {
    const side = sideOf(item);
    const readings = [["yes", "yes"], ["no", "no"], ["not applicable", "not_applicable"]];
    const reasons = study.reasons.map((reason) => (
      `<option value="${reason}">${word(`reason_${reason.replace(/ /g, "_")}`)}</option>`)).join("");
    const html = `${question("question_expert")}${sentence(item[side], "p")}
      <fieldset class="readings"><legend class="heard">${word("question_expert")}</legend>
        ${readings.map(([value, name]) => choiceOf("answer", value, word(name), true)).join("")}</fieldset>
      <div class="field"><label for="reason">${word("reason")}</label>
        <select id="reason" name="reason"><option value="">${word("reason_none")}</option>${reasons}</select></div>
      <div class="field"><label for="comment">${word("comment")}</label>
        <textarea id="comment" name="comment" maxlength="2000" rows="2" dir="auto"></textarea></div>`;
    const trial = form(html, words.next, () => {});
    return shared(trial, place, ({ response }) => ({
      shown: side,
      answer: response.answer,
      reason: response.reason || null,
      comment: response.comment.trim() || null,
    }));
  }

  const TRIALS = { choice: choiceTrial, likert: likertTrial, expert: expertTrial };

  // What is said after a practice trial about words in disorder; nothing of other sentences.
  function feedback(key) {
    const text = () => {
      const row = memory.state.rows.find((one) => one.item === key);
      const fine = row.rating ? row.rating <= 3 : !["bad", "yes"].includes(row.answer);
      return `<article class="text"><h1>${word("practice")}</h1><p>${word(fine ? "right" : "wrong")}</p></article>`;
    };
    return { ...screen("", [word("next")]), stimulus: text };
  }

  class Progress {
    constructor(total) {
      this.total = total;
    }

    of(jsPsych) {
      this.jsPsych = jsPsych;
    }

    text(share) {
      return word("progress", { done: Math.round(share * this.total), total: this.total });
    }

    set(done) {
      this.jsPsych.progressBar.progress = Math.min(1, done / this.total);
      const bar = root.querySelector("#jspsych-progressbar-outer");
      const values = { role: "progressbar", "aria-valuemin": 0, "aria-valuemax": this.total, "aria-valuenow": done };
      Object.entries(values).forEach(([name, value]) => bar.setAttribute(name, value));
      bar.setAttribute("aria-label", this.text(done / this.total));
    }
  }

  function timeline(resumed) {
    const { state } = memory;
    const keys = Order.trials(study, state.list, state.seed);
    const first = study.design === "choice" ? Order.sides(study.lists[state.list - 1], state.seed) : {};
    const done = new Set([...state.rows.map((row) => row.position), ...state.elsewhere]);
    const progress = new Progress(keys.length);
    const between = (trial, position) => ({ ...trial, on_start: () => progress.set(position) });
    const trials = resumed
      ? [between(screen(`<h1>${word("welcome_back")}</h1>`, [word("go_on")]), done.size)]
      : [];
    const practised = keys.filter((key) => study.items[key].kind === "practice").length;
    keys.forEach((key, index) => {
      const position = index + 1;
      if (done.has(position)) return;
      const place = { key, position, resumed, first: first[key], progress: (n) => progress.set(n) };
      const item = study.items[key];
      const trial = TRIALS[study.design](item, place);
      trials.push(trial);
      if (position <= practised && item.bad !== undefined) trials.push(between(feedback(key), position));
      if (position === practised) {
        trials.push(between(screen(`<h1>${word("practice_over")}</h1>`, [word("begin")]), position));
      }
    });
    return { trials, progress, left: keys.length - done.size };
  }

  function show(html) {
    root.replaceChildren();
    root.classList.add("jspsych-display-element");
    const content = document.createElement("article");
    content.className = "text last";
    content.innerHTML = html;
    root.append(content);
    const heading = content.querySelector("h1, p");
    if (heading) {
      heading.tabIndex = -1;
      heading.focus();
    }
    return content;
  }

  function download(label) {
    const file = Delivery.whole(study, memory.state);
    const blob = new Blob([JSON.stringify(file, null, 1)], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${study.id}-${memory.state.participant}.json`;
    link.className = "jspsych-btn first";
    link.id = "download";
    link.textContent = label;
    return link;
  }

  // The last page: how the data came home, the code, debriefing, the way back to the platform.
  function end() {
    const saved = study.home.to === "download";
    const content = show(`<p class="note" role="status">${word(saved ? "download_why" : "done")}</p>
      <p id="here"></p>${study.texts.debriefing}
      <p>${word("code")}: <code dir="ltr">${escaped(memory.state.participant)}</code></p>`);
    if (saved) content.querySelector("#here").append(download(words.download));
    if (study.home.completion) {
      const link = document.createElement("a");
      link.href = study.home.completion;
      link.className = "jspsych-btn first";
      link.textContent = words.back;
      content.append(link);
    }
    document.body.dataset.ended = "yes";
  }

  function notSent(again) {
    const content = show(`<h1>${word("not_sent")}</h1><p>${word("download_why")}</p><p id="here"></p>`);
    const retry = document.createElement("button");
    retry.type = "button";
    retry.className = "jspsych-btn first";
    retry.textContent = words.retry;
    retry.addEventListener("click", again);
    content.querySelector("#here").append(retry, " ", download(words.download));
  }

  async function finish() {
    memory.state.finished = true;
    memory.keep();
    show(`<p role="status">${word("sending")}</p>`);
    try {
      await home.finish();
      memory.state.home = true;
      memory.keep();
      if (window.jatos && window.jatos.endStudyWithoutRedirect) window.jatos.endStudyWithoutRedirect();
      end();
    } catch (error) {
      notSent(finish);
    }
  }

  async function start() {
    document.title = study.title;
    const identifier = parameter("PROLIFIC_PID", "participant", "workerId");
    const mark = Order.mix(`${study.id} ${identifier}`);
    const state = memory.load(mark);
    if (state && state.home) {
      end();
      return;
    }
    if (!state) {
      const said = await introduced();
      if (!said) {
        show(`<p>${word("declined")}</p>`);
        return;
      }
      try {
        await begin(said, mark);
      } catch (error) {
        show(`<h1>${word(error instanceof Delivery.Refused ? "out_of_date" : "not_sent")}</h1>`);
        return;
      }
    }
    const { trials, progress, left } = timeline(Boolean(state) || memory.state.elsewhere.length > 0);
    if (left > 0) await run(trials, progress);
    await finish();
  }

  if (window.jatos) window.jatos.onLoad(start);
  else start();
})();
