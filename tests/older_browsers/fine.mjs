// What may be used though the oldest browsers lack it, and why.

const NO_HARM = "without it the page only looks plainer";
const FILLED = "web/static/older.js has it for browsers that lack it";
const REWRITTEN = "web/static/older_selectors.js enters such rules once more";

export const FINE = {
  "cursor: pointer": "touch has no cursor", "cursor: default": "touch has no cursor", "cursor: crosshair": "touch has no cursor",
  "cursor: grab": "touch has no cursor", "cursor: grabbing": "touch has no cursor",
  "text-wrap": NO_HARM, "text-wrap: balance": NO_HARM, "overscroll-behavior": NO_HARM, "overscroll-behavior: contain": NO_HARM,
  "scrollbar-width": NO_HARM, "@page": "the paper's size is then chosen in the print dialog", "font-family: ui-monospace": "another font follows in the list", "color-scheme: only": NO_HARM,
  "container-type": "lengths of it have older ones before them", "container-type: size": "lengths of it have older ones before them", "container-type: inline-size": "lengths of it have older ones before them",
  "@container": "a table whose letters are twice as large scrolls sideways without it",
  "aspect-ratio": "web/static/older.css gives such squares their height",
  "autofocus=": NO_HARM, "autocapitalize=": NO_HARM, "autocorrect=": "what is typed may be corrected there, and is typed again", "loading=": NO_HARM, "capture=": "a file is chosen from the photos then", "createImageBitmap": "photo.js sends the photo as it is where it is missing",
  "share": "the button is shown only where canShare is there",
  "AbortSignal.timeout": FILLED, "showModal": FILLED, "<dialog>": FILLED, "popover=": FILLED, "popovertarget=": FILLED, ":backdrop": FILLED,
  ":has": REWRITTEN, ":focus-visible": REWRITTEN, ":popover-open": REWRITTEN,
};
