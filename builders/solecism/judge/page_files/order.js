"use strict";
// The order of trials and which side stands first, from the seed of a session. The same as
// solecism/judge/order.py.
const Order = (() => {
  // Return a 32-bit hash of a text: FNV-1a, then the finalizer of MurmurHash3.
  function mix(text) {
    let value = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(text)) {
      value = Math.imul(value ^ byte, 0x01000193);
    }
    for (const [shift, factor] of [[16, 0x85ebca6b], [13, 0xc2b2ae35], [16, 1]]) {
      value = Math.imul(value ^ (value >>> shift), factor);
    }
    return value >>> 0;
  }

  function compare(a, b) {
    for (let place = 0; place < a.length; place += 1) {
      if (a[place] !== b[place]) return a[place] < b[place] ? -1 : 1;
    }
    return 0;
  }

  function sorted(keys, rank) {
    return [...keys].sort((a, b) => compare([...rank(a), a], [...rank(b), b]));
  }

  // Return in which half of an expert's session a trial stands: one side of each pair in the first.
  function half(study, key, seed) {
    if (study.design !== "expert") return 0;
    const [pair, side] = key.split("-");
    return (mix(`half ${seed} ${pair}`) & 1) ^ (side === "bad" ? 1 : 0);
  }

  // Return the keys of a list (from 1) in the order of a session, practice first.
  function trials(study, number, seed) {
    const keys = study.lists[number - 1];
    const practice = keys.filter((key) => study.items[key].kind === "practice");
    const rest = keys.filter((key) => study.items[key].kind !== "practice");
    const rank = (key) => [half(study, key, seed), mix(`${seed} ${key}`)];
    return [...practice, ...sorted(rest, rank)];
  }

  // Return which side stands first in each trial of a forced choice: "good" in half of them.
  function sides(keys, seed) {
    const ranked = sorted(keys, (key) => [mix(`side ${seed} ${key}`)]);
    return Object.fromEntries(ranked.map((key, rank) => [key, rank % 2 ? "bad" : "good"]));
  }

  return { mix, trials, sides };
})();
