// Caches the pages of a game as they were last seen, for when the table is out of reach. The network always goes first:
// a cached page is shown only if there is no answer, with its age.

const VERSION = "STATIC_VERSION"; // filled in when it is served (web/pages/install.py)
const FILES = `files-${VERSION}`;
const STATES = "states";
const MOST_STATES = 40;
const PATIENCE_MS = 4000;
const PIECE = /^\/(?:s\/[\w-]+|board)(?:\/sheet)?$/; // a page of a game, or the part of it that changes
const ROOT = new URL(".", location).pathname; // "/", or the path below which a proxy serves the table
const KEPT_AT = "X-Kept-At"; // when it was kept, in milliseconds of wall time

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => event.waitUntil((async () => {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== FILES && name !== STATES).map((name) => caches.delete(name)));
  await self.clients.claim();
})()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, searchParams } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || !pathname.startsWith(ROOT)) return;
  const path = pathname.slice(ROOT.length - 1);
  if (path.startsWith("/static/")) event.respondWith(file(request));
  else if (path === "/" || PIECE.test(path)) {
    const drafted = [...searchParams.keys()].some((name) => name.startsWith("d."));
    event.respondWith(state(request, !drafted));
  }
});

// a static file's address changes with its content, so a cached file is never out of date
async function file(request) {
  const files = await caches.open(FILES);
  const kept = await files.match(request);
  if (kept) return kept;
  const fresh = await fetch(request);
  if (fresh.ok) files.put(request, fresh.clone());
  return fresh;
}

async function state(request, isWhole) {
  const states = await caches.open(STATES);
  const kept = await states.match(request);
  try {
    const patience = new AbortController(); // AbortSignal.timeout came later than the oldest browsers of the pages
    if (kept) setTimeout(() => patience.abort(), PATIENCE_MS); // without a kept page, a busy table is waited for
    const fresh = await fetch(request, { signal: patience.signal });
    if (fresh.ok && isWhole && !fresh.redirected) await keep(states, request, fresh.clone());
    if (fresh.status === 403) await states.delete(request); // this device was shown out
    return fresh;
  } catch (lost) {
    if (!kept) throw lost;
    return kept;
  }
}

// A page holds the time when it was cached; for a part of a page a header does.
async function keep(states, request, fresh) {
  const now = String(Date.now());
  const text = (await fresh.text()).replace("<html ", `<html data-kept="${now}" `);
  const headers = { "Content-Type": "text/html; charset=utf-8", [KEPT_AT]: now };
  const policy = fresh.headers.get("Content-Security-Policy");
  if (policy) headers["Content-Security-Policy"] = policy;
  await states.put(request, new Response(text, { headers }));
  const known = await states.keys();
  await Promise.all(known.slice(0, Math.max(0, known.length - MOST_STATES)).map((old) => states.delete(old)));
}
