"use strict";
// A synthetic participant. `solecism judge simulate` puts this before the scripts of the page, with
// the values of SETTINGS; jsPsych's simulation mode asks it what to answer.
window.solecismSimulate = (() => {
  const settings = SETTINGS;

  // Return a number from 0 to 1 that is the same for the same participant and trial.
  function chance(what) {
    return Order.mix(`${settings.seed} ${what}`) / 2 ** 32;
  }

  function right(item) {
    return chance(`answer ${item.key}`) < (settings.guesses ? 0.5 : settings.accuracy);
  }

  function time(item) {
    const slow = settings.guesses ? [250, 100] : [900, 700];
    return Math.round(slow[0] - slow[1] * Math.log(1 - chance(`time ${item.key}`)));
  }

  function response(item, design, sides) {
    if (design === "choice") return sides.indexOf(right(item) ? "good" : "bad");
    const high = (sides[0] === "good") === right(item);
    return Math.floor(3 * chance(`rating ${item.key}`)) + (high ? 4 : 0);
  }

  function choose(form, name, value) {
    form.querySelector(`[name="${name}"][value="${value}"]`).checked = true;
  }

  return {
    seed: settings.seed,
    mode: settings.mode,
    answer: (item, design, sides) => ({ response: response(item, design, sides), rt: time(item) }),
    about: (form, language) => {
      choose(form, "native", language);
      form.requestSubmit();
    },
    read: (form, item, side) => {
      choose(form, "answer", (side === "good") === right(item) ? "yes" : "no");
      form.requestSubmit();
    },
  };
})();
