// The result as a PNG picture, drawn from the page's SVG: shared if the browser can, else downloaded. And photos that are
// sent once they are taken.

import { smaller } from "./photo.js";
import { toast } from "./talk.js";
import { t } from "./words.js";

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

document.addEventListener("click", async (click) => {
  const button = click.target.closest("[data-picture]");
  if (!button) return;
  click.preventDefault();
  if (button.classList.contains("busy")) return;
  button.classList.add("busy");
  try {
    const file = new File([await png(button.href)], button.dataset.picture, { type: "image/png" });
    const sharing = { files: [file], title: document.title };
    if (navigator.canShare?.(sharing)) await navigator.share(sharing);
    else keep(file);
  } catch (error) {
    if (error.name !== "AbortError") { // the person closed the sheet of the system
      toast(t("The picture couldn't be made. Try again."));
    }
  } finally {
    button.classList.remove("busy");
  }
});

const SENT_PIXELS = 3_000_000; // larger than this nobody looks at the final table, or at a face

document.addEventListener("change", async (choice) => {
  const form = choice.target.closest("[data-smaller]");
  const file = form && choice.target.files?.[0];
  if (!file) return;
  form.querySelector(".tap").classList.add("busy");
  const photo = await smaller(file, SENT_PIXELS);
  const sent = new DataTransfer(); // Safari has had it since 14.1, the oldest that the pages promise to work in
  sent.items.add(new File([photo], "photo.jpg", { type: photo.type }));
  choice.target.files = sent.files;
  form.submit();
});

// what is folded away belongs on paper, too
window.addEventListener("beforeprint", () => {
  document.querySelectorAll(".result-details, .rounds").forEach((details) => { details.open = true; });
});
