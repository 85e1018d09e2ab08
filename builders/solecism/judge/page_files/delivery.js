"use strict";
// How answers come home: kept on the device, sent to a server one by one, or saved in the end.

// What is known of the session, kept on the device so that a reload loses nothing.
class Memory {
  constructor(study) {
    this.name = `solecism:${study}`;
    this.state = null;
  }

  load(mark) {
    try {
      this.state = JSON.parse(window.localStorage.getItem(this.name));
    } catch (error) {
      this.state = null; // no storage, as in some private windows: the session lives in this page
    }
    if (this.state && this.state.mark !== mark) this.state = null;
    return this.state;
  }

  begin(state) {
    this.state = state;
    this.keep();
  }

  keep() {
    try {
      window.localStorage.setItem(this.name, JSON.stringify(this.state));
    } catch (error) {
      // As above.
    }
  }
}

class Refused extends Error {
  constructor(status) {
    super(`refused with status ${status}`);
    this.status = status;
  }
}

const Delivery = (() => {
  const WAITS = [1, 2, 4, 8, 15, 30, 30, 30];

  function wait(seconds) {
    return new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  }

  // Send a value once. Raises Refused for a status that will not change.
  async function once(address, value) {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(value),
      credentials: "omit",
    });
    if (answer.ok) return answer.json();
    if (answer.status !== 429 && answer.status < 500) throw new Refused(answer.status);
    throw new Error(`status ${answer.status}`);
  }

  // Send a value, again after a fault of the network.
  async function send(address, value) {
    for (const seconds of WAITS) {
      try {
        return await once(address, value);
      } catch (error) {
        if (error instanceof Refused) throw error;
      }
      await wait(seconds);
    }
    return once(address, value);
  }

  function random() {
    const bytes = crypto.getRandomValues(new Uint8Array(12));
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // Return the pseudonym of a platform's identifier, null where the browser cannot hash.
  async function pseudonym(identifier, salt) {
    if (!identifier || !window.crypto.subtle) return null;
    const bytes = new TextEncoder().encode(`${salt}:${identifier}`);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return [...digest.slice(0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // A server that takes answers one by one, while the session goes on.
  class Server {
    constructor(study, memory) {
      this.base = study.home.server ? `${study.home.server.replace(/\/$/, "")}/` : "";
      this.study = study.id;
      this.memory = memory;
      this.running = null;
    }

    async begin(participant, list, about) {
      const asked = { study: this.study, participant, ...about };
      if (list) asked.list = list;
      return send(`${this.base}api/session`, asked);
    }

    added() {
      this.flush().catch(() => {}); // what is left is sent with the next answer, or in the end
    }

    flush() {
      if (!this.running) {
        this.running = this.pump().finally(() => { this.running = null; });
      }
      return this.running;
    }

    async pump() {
      const state = this.memory.state;
      for (let row; (row = state.rows.find((one) => !state.sent.includes(one.position)));) {
        await this.answer(row);
        state.sent.push(row.position);
        this.memory.keep();
      }
    }

    async answer({ item, position, ...row }) {
      const value = { session: this.memory.state.session, position, item, row };
      try {
        await send(`${this.base}api/answer`, value);
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 409) throw error;
      }
    }

    async finish() {
      const state = this.memory.state;
      for (let turn = 0; turn < 3; turn += 1) {
        await this.flush();
        const value = { session: state.session, answers: state.rows.length, flags: state.flags };
        const { missing } = await send(`${this.base}api/finish`, value);
        const here = new Set(state.rows.map((row) => row.position));
        const again = (missing || []).filter((position) => here.has(position));
        if (!again.length) return;
        state.sent = state.sent.filter((position) => !again.includes(position));
      }
      throw new Error("answers are missing");
    }
  }

  // No server: the whole session is saved in the end, by `save(file)`.
  class File {
    constructor(study, memory, save, everyTime) {
      Object.assign(this, { study, memory, save, everyTime });
    }

    async begin(participant, list) {
      const session = random();
      const number = list || (Order.mix(participant) % this.study.lists.length) + 1;
      return { session, list: number, answered: [], finished: false };
    }

    added() {
      if (this.everyTime) Promise.resolve(this.save(this.whole())).catch(() => {});
    }

    async finish() {
      await this.save(this.whole());
    }

    whole() {
      return whole(this.study, this.memory.state);
    }
  }

  // Return the file that is saved (solecism/judge/protocol.py).
  function whole(study, state) {
    const rows = state.rows.map((row) => complete(study, state, row));
    return {
      format: "solecism answers 1",
      study: study.id,
      session: state.session,
      seed: state.seed,
      participant: state.participant,
      list: state.list,
      native_language: state.native_language,
      finished: state.finished,
      flags: state.flags,
      rows,
    };
  }

  function complete(study, state, row) {
    const item = study.items[row.item];
    const ids = ["kind", "config", "id", "set_id", "UID", "linguistics_term"];
    return {
      study: study.id,
      participant: state.participant,
      list: state.list,
      design: study.design,
      trials: study.lists[state.list - 1].length,
      native_language: state.native_language,
      ...Object.fromEntries(ids.map((name) => [name, item[name]])),
      answer: null,
      rating: null,
      reason: null,
      comment: null,
      ...row,
      flags: [...new Set([...state.flags, ...row.flags])],
    };
  }

  async function toDataPipe(study, file) {
    await send("https://pipe.jspsych.org/api/data/", {
      experimentID: study.home.datapipe,
      filename: `${file.session}.json`,
      data: JSON.stringify(file),
    });
  }

  function of(study, memory) {
    if (study.home.to === "server") return new Server(study, memory);
    if (study.home.to === "datapipe") return new File(study, memory, (file) => toDataPipe(study, file));
    if (study.home.to === "jatos") {
      return new File(study, memory, (file) => window.jatos.submitResultData(file), true);
    }
    return new File(study, memory, () => {}, false);
  }

  return { of, whole, random, pseudonym, Refused };
})();
