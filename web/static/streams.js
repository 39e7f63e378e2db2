// Runs as a shared worker: all windows of a browser that show one game hear one stream. A browser keeps only six
// connections to a host, so that the pages of further windows would wait until one of the first is closed.

const SILENCE_MS = 4500; // as in line.js: then the connection is dead
const CONNECT_MS = 2500;
const GONE_MS = 30000; // a window that crashed says nothing any more; one that lives answers each beat
const MOST_KEPT = 500; // entries, for windows that join

const streams = new Map(); // path → its stream

class Stream {
  constructor(path) {
    this.path = path;
    this.windows = new Map(); // port → the newest entry that it has seen, and when it was last heard of
    this.entries = []; // of those sent since `since`
    this.source = null;
  }

  // A window joins with the newest entry that it has seen: it hears what came after it.
  join(port, seen) {
    this.windows.set(port, { seen, heard: Date.now() });
    if (!this.isAlive() || seen < this.since || seen > this.last) {
      this.open();
      return;
    }
    if (this.source.readyState === EventSource.OPEN) port.postMessage({ name: "open" });
    this.entries.forEach((entry) => this.pass(port, entry));
  }

  leave(port) {
    this.windows.delete(port);
    if (this.windows.size > 0) return;
    this.source.close();
    streams.delete(this.path);
  }

  isAlive() {
    const state = this.source?.readyState;
    return (state === EventSource.OPEN && Date.now() - this.heard < SILENCE_MS)
      || (state === EventSource.CONNECTING && Date.now() - this.tried < CONNECT_MS);
  }

  open() {
    this.source?.close();
    this.tried = Date.now();
    this.entries = [];
    this.since = Math.min(...[...this.windows.values()].map(({ seen }) => seen));
    this.last = this.since;
    this.source = new EventSource(`${this.path}?since=${this.since}`);
    this.source.addEventListener("open", () => {
      this.heard = Date.now();
      this.tell({ name: "open" });
    });
    this.source.addEventListener("error", () => this.tell({ name: "error", state: this.source.readyState }));
    ["beat", "entry", "change"].forEach((name) => this.source.addEventListener(name, (message) => this.hear(name, message)));
  }

  hear(name, { data, lastEventId }) {
    this.heard = Date.now();
    const number = Number(lastEventId || this.since);
    if (number < this.last) { // the table was restored from a copy: what the windows saw after that is gone
      this.windows.forEach((window) => { window.seen = Math.min(window.seen, number); });
      this.entries = [];
      this.since = Math.min(this.since, number);
    }
    this.last = number;
    const told = name === "entry" ? { name, data, number } : { name, data };
    if (name === "entry") this.entries = [...this.entries, told];
    if (this.entries.length > MOST_KEPT) this.since = this.entries.shift().number;
    this.tell(told);
    if (name === "beat") this.forgetTheGone();
  }

  tell(told) {
    [...this.windows.keys()].forEach((port) => this.pass(port, told));
  }

  pass(port, told) {
    const window = this.windows.get(port);
    if (told.number <= window.seen) return;
    window.seen = told.number ?? window.seen;
    port.postMessage(told);
  }

  forgetTheGone() {
    this.windows.forEach(({ heard }, port) => {
      if (Date.now() - heard > GONE_MS) this.leave(port);
    });
  }
}

addEventListener("connect", ({ ports: [port] }) => {
  let stream = null;
  port.onmessage = ({ data: { path, seen } }) => {
    if (path) {
      if (!streams.has(path)) streams.set(path, new Stream(path));
      stream = streams.get(path);
      port.postMessage({ name: "joined" });
      stream.join(port, seen);
    } else if (seen === undefined) {
      stream?.leave(port);
      stream = null;
    } else if (stream?.windows.has(port)) stream.windows.get(port).heard = Date.now();
  };
});
