// A page's event stream: the one that all windows of this browser share (streams.js), or its own where there is no such
// worker (Chrome on Android, Safari before 16) or it does not answer.

const PATIENCE_MS = 10000; // for the worker's first answer

let workersFail = false;

export function openStream(address) {
  const { pathname, searchParams } = new URL(address, location.href);
  const seen = searchParams.get("since"); // without it a stream cannot tell a window that joins what it has missed
  const isForItself = seen === null || searchParams.has("ticket"); // the worker's stream shows the browser's own ticket
  if (workersFail || isForItself || typeof SharedWorker === "undefined") return new EventSource(address);
  try {
    return new SharedStream(new SharedWorker(new URL("streams.js", import.meta.url)), pathname, Number(seen));
  } catch { // a browser that forbids workers
    workersFail = true;
    return new EventSource(address);
  }
}

// What a page uses of an EventSource, heard from the worker.
class SharedStream extends EventTarget {
  constructor(worker, path, seen) {
    super();
    this.readyState = EventSource.CONNECTING;
    this.port = worker.port;
    const failed = () => {
      workersFail = true;
      this.fail(EventSource.CONNECTING);
    };
    this.patience = setTimeout(failed, PATIENCE_MS);
    worker.addEventListener("error", failed);
    this.port.onmessage = ({ data }) => this.hear(data);
    this.port.postMessage({ path, seen });
  }

  hear({ name, data, state }) {
    if (this.readyState === EventSource.CLOSED) return;
    clearTimeout(this.patience);
    if (name === "joined") return;
    if (name === "error") {
      this.fail(state);
      return;
    }
    if (name === "beat") this.port.postMessage({ seen: 0 });
    if (name === "open") this.readyState = EventSource.OPEN;
    this.dispatchEvent(new MessageEvent(name, { data }));
  }

  fail(state) {
    if (this.readyState === EventSource.CLOSED) return;
    this.readyState = state;
    this.dispatchEvent(new Event("error"));
  }

  close() {
    clearTimeout(this.patience);
    this.readyState = EventSource.CLOSED;
    this.port.postMessage({});
    setTimeout(() => this.port.close());
  }
}
