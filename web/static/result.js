// The result as a PNG picture, drawn from the page's SVG: shared if the browser can, else downloaded.

import { toast } from "./talk.js";
import { t } from "./words.js";

const share = document.querySelector("[data-picture]");

async function png(address) {
  const drawing = new Image();
  drawing.src = address;
  await drawing.decode();
  const canvas = document.createElement("canvas");
  canvas.width = drawing.naturalWidth;
  canvas.height = drawing.naturalHeight;
  canvas.getContext("2d").drawImage(drawing, 0, 0);
  return new Promise((done) => { canvas.toBlob(done, "image/png"); });
}

function keep(file) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser may still be reading it
}

share.addEventListener("click", async () => {
  share.classList.add("busy");
  try {
    const file = new File([await png(share.dataset.picture)], share.dataset.name, { type: "image/png" });
    const sharing = { files: [file], title: document.title };
    if (navigator.canShare?.(sharing)) await navigator.share(sharing);
    else keep(file);
  } catch (error) {
    if (error.name !== "AbortError") { // the person closed the sheet of the system
      toast(t("The picture couldn't be made. Try again."));
    }
  } finally {
    share.classList.remove("busy");
  }
});
share.hidden = false;
